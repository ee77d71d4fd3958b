#include "lib/report/findings/learning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

struct LearningEpoch {
  std::size_t epoch = 0;
  double greedy = 0;  // exact match on validation problems, a share
  double loss = 0;    // on the same
};

std::vector<LearningEpoch> read_epochs(const Sources& sources) {
  const Table log = sources.table("log");
  std::vector<LearningEpoch> epochs;
  for (std::size_t row = 0; row < log.size(); ++row) {
    epochs.push_back({static_cast<std::size_t>(log.number(row, "epoch")), log.number(row, "greedy"),
                      log.number(row, "val_loss")});
  }
  if (epochs.empty())
    throw Error(fmt::format("{}: the log has no epoch", sources.file("log").origin));
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

std::string kept_epoch(const Sources& sources, const std::vector<LearningEpoch>& epochs) {
  const LearningEpoch* kept = &best_of(epochs);
  if (sources.has("training")) {
    const auto said = sources.metrics("training").value("best_epoch", std::size_t{0});
    for (const LearningEpoch& epoch : epochs)
      if (epoch.epoch == said) kept = &epoch;
  }
  const LearningEpoch& first = *first_with(epochs, kept->greedy);
  const std::string earlier =
      first.epoch == kept->epoch
          ? ""
          : fmt::format(
                " That share was first reached in epoch {}; among equals the lowest loss decides.",
                first.epoch);
  return fmt::format(
      "The model that is kept is that of epoch {}{}: {} exact on validation, loss {}.{}",
      kept->epoch, kept->epoch == epochs.back().epoch ? ", the last" : "",
      percent_text(kept->greedy), decimal_text(kept->loss), earlier);
}

// What an evaluation measured.
struct LearningScore {
  double greedy = 0;
  double low = 0;
  double high = 0;
  double teacher_forced = 0;
  double digits = 0;  // right ones, teacher-forced
  std::size_t problems = 0;
  std::size_t right = 0;
};

LearningScore read_score(const Sources& sources, std::string_view name) {
  const Json metrics = sources.metrics(name);
  const auto number = [&](const char* metric) {
    const auto found = metrics.find(metric);
    if (found != metrics.end() && found->is_number()) return found->get<double>();
    throw Error(fmt::format("{}: metrics of evaluate-seq2seq are expected, with '{}'",
                            sources.file(name).origin, metric));
  };
  LearningScore score{.greedy = number("greedy"),
                      .low = number("greedy_low"),
                      .high = number("greedy_high"),
                      .teacher_forced = number("teacher_forced"),
                      .digits = number("token_accuracy"),
                      .problems = static_cast<std::size_t>(number("problems"))};
  score.right = score.problems - static_cast<std::size_t>(number("failures"));
  return score;
}

std::string right_of(const LearningScore& score) {
  if (score.problems > 0 && score.right == score.problems)
    return fmt::format("every one of {}", counted(score.problems, "problem"));
  return n_of_m(score.right, score.problems, "problems");
}

std::string tell_test(const LearningScore& test) {
  return fmt::format("On test problems, its own answers (greedy decoding) are right in {}: {}.",
                     percent_with_interval(test.greedy, test.low, test.high), right_of(test));
}

std::string tell_all(const LearningScore& all) {
  return fmt::format(
      "On every problem there is, greedy answers are right in {}: {}. Nothing is sampled here, so "
      "the number is exact for this model.",
      percent_text(all.greedy), right_of(all));
}

std::string compare_test_with_all(const LearningScore& test, const LearningScore& all) {
  const bool inside = test.low <= all.greedy && all.greedy <= test.high;
  return inside ? "The interval measured on test problems contains the share of all problems."
                : "The interval measured on test problems does not contain the share of all "
                  "problems, which chance brings about in one of twenty cases.";
}

struct ScorePlace {
  std::string where;  // "on test problems"
  LearningScore score;
};

double forced_apart(const LearningScore& score) {  // points
  const double apart = 100 * (score.teacher_forced - score.greedy);
  return std::fabs(apart) < 1e-9 ? 0 : apart;
}

std::string forced_is_more(const ScorePlace& place) {
  const double apart = forced_apart(place.score);
  return fmt::format(
      "Teacher-forced exact match {} is {}, {} {} than greedy: what it does with the right prefix "
      "is not what it does with its own.",
      place.where, percent_text(place.score.teacher_forced), points_text(std::fabs(apart)),
      apart > 0 ? "more" : "less");
}

std::vector<std::string> compare_forced(const std::vector<ScorePlace>& places) {
  std::vector<std::string> sentences, equal, digits;
  for (const ScorePlace& place : places) {
    digits.push_back(fmt::format("{} {}", percent_text(place.score.digits), place.where));
    if (forced_apart(place.score) != 0) {
      sentences.push_back(forced_is_more(place));
    } else {
      equal.push_back(fmt::format("{} {}", percent_text(place.score.teacher_forced), place.where));
    }
  }
  if (!equal.empty()) {
    sentences.push_back(fmt::format(
        "Teacher-forced exact match is the same as greedy: {}. Where every digit is predicted, "
        "the first one too, it has to be: an answer is either right so far, and then both ways "
        "see the same prefix, or wrong already.",
        enumerated(equal)));
  }
  sentences.push_back(fmt::format("Of single digits, each after the right ones, {} are right.",
                                  enumerated(digits)));
  return sentences;
}

std::string tell_time(const Sources& sources) {
  const Table timing = sources.table("timing");
  std::vector<double> seconds, rates;
  for (std::size_t row = 0; row < timing.size(); ++row) {
    seconds.push_back(timing.number(row, "seconds"));
    rates.push_back(timing.number(row, "samples_per_second"));
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

std::string tell_exact_match(const Sources& sources) {
  std::vector<std::string> sentences;
  std::vector<ScorePlace> places;
  if (sources.has("test")) {
    places.push_back({"on test problems", read_score(sources, "test")});
    sentences.push_back(tell_test(places.back().score));
  }
  if (sources.has("all")) {
    places.push_back({"on all problems", read_score(sources, "all")});
    sentences.push_back(tell_all(places.back().score));
  }
  if (places.empty()) throw Error("exact-match needs an evaluation: test=INPUT or all=INPUT");
  if (places.size() == 2)
    sentences.push_back(compare_test_with_all(places[0].score, places[1].score));
  for (std::string& sentence : compare_forced(places)) sentences.push_back(std::move(sentence));
  return bullets(sentences);
}

std::string learning_headline(const Sources& sources) {
  const std::vector<LearningEpoch> epochs = read_epochs(sources);
  if (!sources.has("all")) {
    return fmt::format("The best epoch is right in {} of the validation problems.",
                       percent_text(best_of(epochs).greedy));
  }
  const LearningScore all = read_score(sources, "all");
  const std::string forced =
      forced_apart(all) == 0 ? "teacher-forced the same"
                             : fmt::format("teacher-forced {}", percent_text(all.teacher_forced));
  return fmt::format(
      "Of all {} there are, the model's own answers are right in {} ({}); {}. Exact match on "
      "validation {}.",
      counted(all.problems, "problem"), percent_text(all.greedy), right_of(all), forced,
      milestones_of(epochs));
}

}  // namespace headway
