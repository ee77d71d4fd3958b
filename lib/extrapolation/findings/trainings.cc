#include "lib/extrapolation/findings/trainings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "lib/base/error.h"
#include "lib/extrapolation/findings/length_results.h"
#include "lib/report/phrases.h"
#include "lib/report/reading.h"

namespace headway {
namespace {

struct TrainingOutcome {
  std::string name;  // in Markdown
  std::size_t epochs = 0, best_epoch = 0;
  MeasuredShare accuracy;  // of the best epoch; the interval NaN where the samples are not known
  double loss = 0;         // of validation, at that epoch
  double seconds = std::numeric_limits<double>::quiet_NaN();  // of all epochs
};

// The best of several epochs is above chance more often than one, and of several trainings one or
// the other: the interval is as much wider (Bonferroni) as there were to choose from.
MeasuredShare best_of(double accuracy, std::optional<std::size_t> samples, std::size_t together) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  if (!samples) return {accuracy, unknown, unknown, 0};
  return share_of_count(std::llround(accuracy * static_cast<double>(*samples)),
                        static_cast<std::int64_t>(*samples), deviations_for(together));
}

TrainingOutcome read_training(const SourceFile& file) {
  const Table log = parse_csv(file.bytes, file.origin);
  require_columns(log, {"epoch", "accuracy", "val_loss"}, "a log of train-classifier", file.origin);
  TrainingOutcome outcome;
  outcome.name = model_label(file.item);
  for (std::size_t row = 0; row < log.size(); ++row) {
    if (std::isnan(optional_number(log, row, "accuracy", file.origin))) continue;
    const double here = share_number(log, row, "accuracy", file.origin);
    const double loss = optional_number(log, row, "val_loss", file.origin);
    const double best = outcome.accuracy.value;
    const bool is_better =
        outcome.epochs == 0 || here > best || (here == best && loss < outcome.loss);
    ++outcome.epochs;
    if (!is_better) continue;
    outcome.accuracy.value = here;
    outcome.loss = loss;
    outcome.best_epoch = whole_number(log, row, "epoch", file.origin);
  }
  if (outcome.epochs == 0) throw Error(file.origin + ": no epoch was measured");
  return outcome;
}

std::optional<std::size_t> validation_samples(const Sources& sources) {
  std::optional<std::size_t> fewest;
  if (!sources.has("data")) return fewest;
  const std::vector<SourceMetrics> all = sources.all_metrics("data");
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!has_metric(all[i].metrics, "val")) continue;
    const std::size_t samples =
        metric_whole_number(all[i].metrics, "val", sources.files("data")[i].origin);
    fewest = std::min(samples, fewest.value_or(samples));
  }
  return fewest == 0 ? std::nullopt : fewest;
}

void read_seconds(const SourceFile& file, std::vector<TrainingOutcome>& outcomes) {
  const Table timing = parse_csv(file.bytes, file.origin);
  double seconds = 0;
  for (std::size_t row = 0; row < timing.size(); ++row)
    seconds += needed_number(timing, row, "seconds", file.origin);
  for (TrainingOutcome& outcome : outcomes) {
    if (outcome.name == model_label(file.item)) outcome.seconds = seconds;
  }
}

std::vector<TrainingOutcome> read_trainings(const Sources& sources,
                                            std::optional<std::size_t> samples) {
  std::vector<TrainingOutcome> outcomes;
  for (const SourceFile& file : sources.files("logs")) outcomes.push_back(read_training(file));
  for (TrainingOutcome& outcome : outcomes)
    outcome.accuracy = best_of(outcome.accuracy.value, samples, outcome.epochs * outcomes.size());
  if (sources.has("timings")) {
    for (const SourceFile& file : sources.files("timings")) read_seconds(file, outcomes);
  }
  return outcomes;
}

std::string outcome_text(const TrainingOutcome& outcome) {
  return fmt::format("{} with {}", outcome.name, share_text(outcome.accuracy));
}

std::string learned_text(std::vector<TrainingOutcome> learned, std::size_t all) {
  std::stable_sort(learned.begin(), learned.end(), [](const auto& a, const auto& b) {
    return a.accuracy.value < b.accuracy.value;
  });
  const std::string who = all == 1                ? "The training"
                          : learned.size() == all ? fmt::format("All {} trainings", count_text(all))
                                                  : n_of_m(learned.size(), all, "trainings");
  if (learned.size() == 1)
    return fmt::format("{} learned: {} in validation.", who, outcome_text(learned.front()));
  return fmt::format("{} learned: in validation from {} to {}.", who, outcome_text(learned.front()),
                     outcome_text(learned.back()));
}

std::vector<std::string> learning_sentences(const std::vector<TrainingOutcome>& outcomes,
                                            std::optional<std::size_t> samples) {
  if (!samples)
    return {"How many sequences the accuracies are of is not known, so neither are intervals."};
  std::vector<TrainingOutcome> learned;
  std::vector<std::string> others;
  for (const TrainingOutcome& outcome : outcomes) {
    if (outcome.accuracy.low > 0.5)
      learned.push_back(outcome);
    else
      others.push_back(outcome_text(outcome));
  }
  std::vector<std::string> sentences;
  if (!learned.empty()) sentences.push_back(learned_text(learned, outcomes.size()));
  if (others.empty()) return sentences;
  sentences.push_back(
      fmt::format("Not above chance on {} at {} best, so with nothing to extrapolate: {}.",
                  counted(*samples, "validation sequence"), others.size() == 1 ? "its" : "their",
                  enumerated(others, 8)));
  return sentences;
}

std::string outcome_row(const TrainingOutcome& outcome) {
  const bool has_interval = std::isfinite(outcome.accuracy.low);
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} |\n", outcome.name,
      has_interval ? share_cell(outcome.accuracy) : percent_text(outcome.accuracy.value),
      decimal_text(outcome.loss), count_text(outcome.best_epoch), count_text(outcome.epochs),
      std::isfinite(outcome.seconds) ? fmt::format("{:.1f}", outcome.seconds) : "");
}

}  // namespace

std::string tell_trainings(const Sources& sources) {
  const std::optional<std::size_t> samples = validation_samples(sources);
  const std::vector<TrainingOutcome> outcomes = read_trainings(sources, samples);
  if (outcomes.empty()) return "No training is there.\n";
  std::string text =
      bullets(learning_sentences(outcomes, samples)) +
      "\n| training | best validation accuracy | loss there | best epoch | epochs | time "
      "(s) |\n| --- | ---: | ---: | ---: | ---: | ---: |\n";
  for (const TrainingOutcome& outcome : outcomes) text += outcome_row(outcome);
  if (!samples) return text;
  return text +
         "\nIn percent, with 95 % intervals, which are wider for the choice of the best epoch and "
         "the number of trainings.\n";
}

}  // namespace headway
