#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/addition/findings/head_tables.h"
#include "lib/addition/findings/learning.h"
#include "lib/base/error.h"
#include "lib/report/metric_values.h"
#include "lib/report/phrases.h"
#include "lib/report/reading.h"

namespace headway {
namespace {

// What an evaluation measured.
struct LearningScore {
  double greedy = 0;
  double low = 0;
  double high = 0;
  double teacher_forced = 0;
  double digits = 0;  // right ones, teacher-forced
  std::size_t problems = 0;
  std::size_t right = 0;
  bool is_census = false;  // of every addition of numbers of so many digits
};

// One accuracy for each digit of the sum, which has one more than the numbers.
bool covers_every_addition(const Json& metrics, std::size_t problems) {
  const Json* places = find_metric(metrics, "digit_accuracy");
  if (!places || !places->is_array() || places->empty()) return false;
  return problems == additions_of(places->size() - 1);
}

LearningScore read_score(const Sources& sources, std::string_view name) {
  const Json metrics = sources.metrics(name);
  const std::string& origin = sources.file(name).origin;
  LearningScore score{.greedy = metric_share(metrics, "greedy", origin),
                      .low = metric_share(metrics, "greedy_low", origin),
                      .high = metric_share(metrics, "greedy_high", origin),
                      .teacher_forced = metric_share(metrics, "teacher_forced", origin),
                      .digits = metric_share(metrics, "token_accuracy", origin),
                      .problems = metric_whole_number(metrics, "problems", origin)};
  const std::size_t failures = metric_whole_number(metrics, "failures", origin);
  if (score.problems == 0 || failures > score.problems) {
    throw Error(
        fmt::format("{}: {} failures of {} problems cannot be", origin, failures, score.problems));
  }
  score.right = score.problems - failures;
  score.is_census = covers_every_addition(metrics, score.problems);
  return score;
}

std::string right_of(const LearningScore& score) {
  if (score.right == score.problems)
    return fmt::format("every one of {}", counted(score.problems, "problem"));
  return n_of_m(score.right, score.problems, "problems");
}

std::string tell_test(const LearningScore& test) {
  return fmt::format("On test problems, its own answers (greedy decoding) are right in {}: {}.",
                     percent_with_interval(test.greedy, test.low, test.high), right_of(test));
}

// Problems of the training that are among all there are; 0 where that is not known.
std::size_t trained_among(const Sources& sources, const LearningScore& all) {
  if (!all.is_census || !sources.has("data")) return 0;
  const Json data = sources.metrics("data");
  const std::string& origin = sources.file("data").origin;
  const std::size_t digits = static_cast<std::size_t>(digits_of_data(sources, "data"));
  const bool may_repeat =
      has_metric(data, "repeated") && metric_whole_number(data, "repeated", origin) > 0;
  if (additions_of(digits) != all.problems || may_repeat || !has_metric(data, "train")) return 0;
  return std::min(all.problems, metric_whole_number(data, "train", origin));
}

std::string tell_all(const LearningScore& all, std::size_t trained) {
  if (!all.is_census) {
    return fmt::format("On {}, greedy answers are right in {}: {}.",
                       counted(all.problems, "other problem"),
                       percent_with_interval(all.greedy, all.low, all.high), right_of(all));
  }
  std::string memory;
  if (trained > 0) {
    const std::size_t others = all.problems - trained;
    const bool others_right = others > 0 && all.right == all.problems;
    memory = fmt::format(
        " {} of them ({}) {} trained on, where memory alone would do{}.", count_text(trained),
        percent_text(static_cast<double>(trained) / static_cast<double>(all.problems)),
        trained == 1 ? "was" : "were",
        others_right ? fmt::format("; the other {} are right as well", count_text(others)) : "");
  }
  return fmt::format(
      "On every problem there is, greedy answers are right in {}: {}. Nothing is sampled here, so "
      "the number is exact for this model.{}",
      percent_text(all.greedy), right_of(all), memory);
}

std::string compare_test_with_all(const LearningScore& test, const LearningScore& all) {
  const bool inside = test.low <= all.greedy && all.greedy <= test.high;
  return inside ? "The interval measured on test problems contains the share of all problems."
                : "The interval measured on test problems does not contain the share of all "
                  "problems. Chance brings that about in one of twenty cases; problems of the "
                  "training, which are among all, may too.";
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

}  // namespace

std::string tell_exact_match(const Sources& sources) {
  std::vector<std::string> sentences;
  std::vector<ScorePlace> places;
  if (sources.has("test")) {
    places.push_back({"on test problems", read_score(sources, "test")});
    sentences.push_back(tell_test(places.back().score));
  }
  if (sources.has("all")) {
    const LearningScore all = read_score(sources, "all");
    places.push_back({all.is_census ? "on all problems" : "on the others", all});
    sentences.push_back(tell_all(all, trained_among(sources, all)));
  }
  if (places.empty()) throw Error("exact-match needs an evaluation: test=INPUT or all=INPUT");
  if (places.size() == 2 && places[1].score.is_census)
    sentences.push_back(compare_test_with_all(places[0].score, places[1].score));
  for (std::string& sentence : compare_forced(places)) sentences.push_back(std::move(sentence));
  return bullets(sentences);
}

std::string exact_match_headline(const Sources& sources) {
  const LearningScore all = read_score(sources, "all");
  const std::string forced =
      forced_apart(all) == 0 ? "teacher-forced the same"
                             : fmt::format("teacher-forced {}", percent_text(all.teacher_forced));
  const std::size_t trained = trained_among(sources, all);
  const std::string which =
      !all.is_census ? counted(all.problems, "problem")
      : trained == 0 ? fmt::format("all {} there are", counted(all.problems, "problem"))
                     : fmt::format("all {} there are, {} of which were trained on",
                                   counted(all.problems, "problem"), count_text(trained));
  return fmt::format("Of {}, the model's own answers are right in {} ({}); {}.", which,
                     percent_text(all.greedy), right_of(all), forced);
}

}  // namespace headway
