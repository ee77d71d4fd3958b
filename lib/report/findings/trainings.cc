#include "lib/report/findings/trainings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/findings/length_results.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

struct TrainingOutcome {
  std::string name;  // in Markdown
  std::size_t epochs = 0, best_epoch = 0;
  MeasuredShare accuracy;  // of the best epoch; the interval NaN where the samples are not known
  double loss = 0;         // of validation, at that epoch
  double seconds = std::numeric_limits<double>::quiet_NaN();  // of all epochs
};

// How many deviations leave so much of a normal distribution beyond them, on one side.
double deviations_for(double tail) {
  double low = 0, high = 10;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(middle / std::sqrt(2.0)) > tail ? low : high) = middle;
  }
  return low;
}

// The best of several epochs is above chance more often than one: the interval is as much wider
// (Bonferroni) as there were epochs to choose from.
MeasuredShare best_of(double accuracy, double samples, std::size_t epochs) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  if (!(samples > 0)) return {accuracy, unknown, unknown};
  const double deviations = deviations_for(0.025 / static_cast<double>(epochs));
  return share_of_count(accuracy * samples, samples, deviations);
}

TrainingOutcome read_training(const SourceTable& log, double samples) {
  TrainingOutcome outcome;
  outcome.name = model_label(log.item);
  double accuracy = -1;
  for (std::size_t row = 0; row < log.table.size(); ++row) {
    const double here = log.table.number(row, "accuracy");
    if (std::isnan(here)) continue;
    ++outcome.epochs;
    const double loss = log.table.number(row, "val_loss");
    if (here < accuracy || (here == accuracy && !(loss < outcome.loss))) continue;
    accuracy = here;
    outcome.loss = loss;
    outcome.best_epoch = static_cast<std::size_t>(log.table.number(row, "epoch"));
  }
  if (outcome.epochs == 0) throw Error("no epoch was measured");
  outcome.accuracy = best_of(accuracy, samples, outcome.epochs);
  return outcome;
}

double validation_samples(const Sources& sources) {
  double fewest = std::numeric_limits<double>::quiet_NaN();
  if (!sources.has("data")) return fewest;
  for (const SourceMetrics& data : sources.all_metrics("data")) {
    const auto found = data.metrics.find("val");
    if (found != data.metrics.end() && found->is_number())
      fewest = std::fmin(fewest, found->get<double>());
  }
  return fewest;
}

std::vector<TrainingOutcome> read_trainings(const Sources& sources, double samples) {
  std::vector<TrainingOutcome> outcomes;
  for (const SourceTable& log : sources.tables("logs")) {
    try {
      outcomes.push_back(read_training(log, samples));
    } catch (const Error& error) {
      throw error.within("log of " + (log.item.empty() ? "the training" : printable(log.item)));
    }
  }
  if (!sources.has("timings")) return outcomes;
  for (const SourceTable& timing : sources.tables("timings")) {
    double seconds = 0;
    for (std::size_t row = 0; row < timing.table.size(); ++row)
      seconds += timing.table.number(row, "seconds");
    for (TrainingOutcome& outcome : outcomes) {
      if (outcome.name == model_label(timing.item)) outcome.seconds = seconds;
    }
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
                                            double samples) {
  if (!(samples > 0))
    return {"How many sequences the accuracies are of is not known, so neither are intervals."};
  std::vector<TrainingOutcome> learned;
  std::vector<std::string> others;
  for (const TrainingOutcome& outcome : outcomes) {
    if (standing_of(outcome.accuracy) == Standing::kAbove)
      learned.push_back(outcome);
    else
      others.push_back(outcome_text(outcome));
  }
  std::vector<std::string> sentences;
  if (!learned.empty()) sentences.push_back(learned_text(learned, outcomes.size()));
  if (others.empty()) return sentences;
  sentences.push_back(
      fmt::format("Not above chance on {} at {} best, so with nothing to extrapolate: {}.",
                  counted(static_cast<std::size_t>(samples), "validation sequence"),
                  others.size() == 1 ? "its" : "their", enumerated(others, 8)));
  return sentences;
}

std::string outcome_row(const TrainingOutcome& outcome) {
  const bool has_interval = std::isfinite(outcome.accuracy.low);
  return fmt::format(
      "| {} | {} | {} | {} of {} | {} |\n", outcome.name,
      has_interval ? share_cell(outcome.accuracy) : percent_text(outcome.accuracy.value),
      decimal_text(outcome.loss), count_text(outcome.best_epoch), count_text(outcome.epochs),
      std::isfinite(outcome.seconds) ? format_seconds(outcome.seconds) : "");
}

}  // namespace

std::string tell_trainings(const Sources& sources) {
  const double samples = validation_samples(sources);
  const std::vector<TrainingOutcome> outcomes = read_trainings(sources, samples);
  if (outcomes.empty()) return "No training is there.\n";
  std::string text = bullets(learning_sentences(outcomes, samples)) +
                     "\n| training | best validation accuracy | loss there | epoch | time |\n"
                     "| --- | ---: | ---: | ---: | ---: |\n";
  for (const TrainingOutcome& outcome : outcomes) text += outcome_row(outcome);
  if (!(samples > 0)) return text;
  return text +
         "\nIn percent, with 95 % intervals, which are wider for the choice of the best "
         "epoch.\n";
}

}  // namespace headway
