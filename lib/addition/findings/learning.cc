#include "lib/addition/findings/learning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/phrases.h"
#include "lib/report/reading.h"

namespace headway {
namespace {

struct LearningEpoch {
  std::size_t epoch = 0;
  double greedy = 0;  // exact match on validation problems, a share
  double loss = 0;    // on the same
};

// Those that were measured.
std::vector<LearningEpoch> read_epochs(const Sources& sources) {
  const Table log = sources.table("log");
  const std::string& origin = sources.file("log").origin;
  require_columns(log, {"epoch", "greedy", "val_loss"}, "a log of train-seq2seq", origin);
  std::vector<LearningEpoch> epochs;
  for (std::size_t row = 0; row < log.size(); ++row) {
    if (std::isnan(optional_number(log, row, "greedy", origin)) ||
        std::isnan(optional_number(log, row, "val_loss", origin)))
      continue;
    epochs.push_back({whole_number(log, row, "epoch", origin),
                      share_number(log, row, "greedy", origin),
                      needed_number(log, row, "val_loss", origin)});
  }
  if (epochs.empty()) throw Error(fmt::format("{}: no epoch of the log was measured", origin));
  return epochs;
}

// As trainings choose what they keep: most exact, then least loss.
const LearningEpoch& best_of(const std::vector<LearningEpoch>& epochs) {
  return *std::min_element(epochs.begin(), epochs.end(),
                           [](const LearningEpoch& a, const LearningEpoch& b) {
                             return a.greedy != b.greedy ? a.greedy > b.greedy : a.loss < b.loss;
                           });
}

const LearningEpoch* first_with(const std::vector<LearningEpoch>& epochs, double share) {
  const auto found = std::find_if(epochs.begin(), epochs.end(), [&](const LearningEpoch& epoch) {
    return epoch.greedy >= share;
  });
  return found == epochs.end() ? nullptr : &*found;
}

// "reached 50 % in epoch 6, 90 % and 99 % in epoch 8, and never 99.9 %"
std::string milestones_of(const std::vector<LearningEpoch>& epochs) {
  std::vector<std::pair<std::size_t, std::vector<std::string>>> reached;
  std::vector<std::string> missed;
  for (const double share : {0.5, 0.9, 0.99}) {
    const LearningEpoch* first = first_with(epochs, share);
    if (!first) {
      missed.push_back(percent_text(share));
    } else if (!reached.empty() && reached.back().first == first->epoch) {
      reached.back().second.push_back(percent_text(share));
    } else {
      reached.push_back({first->epoch, {percent_text(share)}});
    }
  }
  if (reached.empty()) return fmt::format("never reached {}", missed.front());
  std::vector<std::string> parts;
  for (const auto& [epoch, shares] : reached)
    parts.push_back(fmt::format("{} in epoch {}", enumerated(shares), epoch));
  const std::string never =
      missed.empty() ? "" : fmt::format(", but never {}", join(missed, " or "));
  return fmt::format("reached {}{}", enumerated(parts), never);
}

std::string steepest_rise(const std::vector<LearningEpoch>& epochs) {
  std::size_t steepest = 0;
  double rise = 0;
  for (std::size_t i = 1; i < epochs.size(); ++i) {
    if (epochs[i].greedy - epochs[i - 1].greedy <= rise) continue;
    steepest = i;
    rise = epochs[i].greedy - epochs[i - 1].greedy;
  }
  if (steepest == 0) return "";
  return fmt::format("the steepest rise is in epoch {}, from {} to {}", epochs[steepest].epoch,
                     percent_text(epochs[steepest - 1].greedy),
                     percent_text(epochs[steepest].greedy));
}

std::string how_it_learned(const std::vector<LearningEpoch>& epochs) {
  const std::string rise = steepest_rise(epochs);
  return fmt::format("In {} of training, exact match on the validation problems {}{}.",
                     counted(epochs.size(), "epoch"), milestones_of(epochs),
                     rise.empty() ? "" : "; " + rise);
}

// Where the end of the log is flat: within a point of the best.
std::string plateau_of(const std::vector<LearningEpoch>& epochs) {
  const LearningEpoch& best = best_of(epochs);
  if (best.greedy < 0.02) return "";  // flat all along: it never rose
  std::size_t first = epochs.size();
  while (first > 0 && best.greedy - epochs[first - 1].greedy <= 0.01) --first;
  if (first == epochs.size()) {
    return fmt::format("It did not settle: the last epoch is {} below the best.",
                       points_text(100 * (best.greedy - epochs.back().greedy)));
  }
  if (epochs.size() == 1) return "";
  if (first + 1 == epochs.size())
    return "It had not settled at the end: only the last epoch is within a point of the best.";
  return fmt::format("From epoch {} on it stays within a point of its best.", epochs[first].epoch);
}

// The epoch that the training says it kept; without its metrics, the one it would have kept.
const LearningEpoch& kept_of(const Sources& sources, const std::vector<LearningEpoch>& epochs) {
  if (!sources.has("training")) return best_of(epochs);
  const Json metrics = sources.metrics("training");
  if (!has_metric(metrics, "best_epoch")) return best_of(epochs);
  const std::string& origin = sources.file("training").origin;
  const std::size_t said = metric_whole_number(metrics, "best_epoch", origin);
  for (const LearningEpoch& epoch : epochs)
    if (epoch.epoch == said) return epoch;
  throw Error(fmt::format("{}: 'best_epoch' is {}, which {} does not have", origin, said,
                          sources.file("log").origin));
}

std::string kept_epoch(const Sources& sources, const std::vector<LearningEpoch>& epochs) {
  const LearningEpoch& kept = kept_of(sources, epochs);
  const LearningEpoch* first = first_with(epochs, kept.greedy);
  const std::string earlier =
      first->epoch == kept.epoch
          ? ""
          : fmt::format(
                " That share was first reached in epoch {}; among equals the lowest loss decides.",
                first->epoch);
  return fmt::format(
      "The model that is kept is that of epoch {}{}: {} exact on validation, loss {}.{}",
      kept.epoch, kept.epoch == epochs.back().epoch ? ", the last" : "", percent_text(kept.greedy),
      decimal_text(kept.loss), earlier);
}

std::string tell_time(const Sources& sources) {
  const Table timing = sources.table("timing");
  const std::string& origin = sources.file("timing").origin;
  std::vector<double> seconds, rates;
  for (std::size_t row = 0; row < timing.size(); ++row) {
    seconds.push_back(positive_number(timing, row, "seconds", origin));
    rates.push_back(positive_number(timing, row, "samples_per_second", origin));
  }
  if (seconds.empty()) return "";
  double all = 0;
  for (const double each : seconds) all += each;
  const auto median = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  return fmt::format("Training took {}: {} an epoch, {} problems a second (medians).",
                     format_seconds(all), format_seconds(median(seconds)),
                     count_text(static_cast<std::size_t>(std::lround(median(rates)))));
}

}  // namespace

std::string tell_learning(const Sources& sources) {
  const std::vector<LearningEpoch> epochs = read_epochs(sources);
  std::vector<std::string> sentences = {how_it_learned(epochs), plateau_of(epochs),
                                        kept_epoch(sources, epochs)};
  if (sources.has("timing")) sentences.push_back(tell_time(sources));
  std::erase(sentences, "");
  return bullets(sentences);
}

std::string learning_headline(const Sources& sources) {
  const std::vector<LearningEpoch> epochs = read_epochs(sources);
  if (!sources.has("all")) {
    return fmt::format("The best epoch is right in {} of the validation problems.",
                       percent_text(best_of(epochs).greedy));
  }
  return fmt::format("{} Exact match on validation {}.", exact_match_headline(sources),
                     milestones_of(epochs));
}

}  // namespace headway
