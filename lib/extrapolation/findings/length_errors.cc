#include "lib/extrapolation/findings/length_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/extrapolation/findings/length_results.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

constexpr double kAlmostEvery = 0.9;

enum class ErrorPattern { kFew, kAllUnsorted, kAllSorted, kAlarms, kMisses, kBoth, kUnknown };

// What intervals leave open is not told apart. The two errors are of different sequences.
ErrorPattern pattern_of(const LengthResult& result) {
  const MeasuredShare& missed = result.false_positives;
  const MeasuredShare& alarms = result.false_negatives;
  if (result.accuracy.value >= kNearlyAll) return ErrorPattern::kFew;
  if (!std::isfinite(missed.low + missed.high + alarms.low + alarms.high))
    return ErrorPattern::kUnknown;
  if (alarms.low > kAlmostEvery && missed.high < 1 - kAlmostEvery)
    return ErrorPattern::kAllUnsorted;
  if (missed.low > kAlmostEvery && alarms.high < 1 - kAlmostEvery) return ErrorPattern::kAllSorted;
  if (!are_apart(missed, alarms, kAccuraciesTogether)) return ErrorPattern::kBoth;
  return alarms.value > missed.value ? ErrorPattern::kAlarms : ErrorPattern::kMisses;
}

std::string pattern_text(ErrorPattern pattern) {
  switch (pattern) {
    case ErrorPattern::kFew:
      return "hardly an answer is wrong";
    case ErrorPattern::kAllUnsorted:
      return "almost every sequence is called unsorted";
    case ErrorPattern::kAllSorted:
      return "almost every sequence is called sorted";
    case ErrorPattern::kAlarms:
      return "errors are mostly sorted sequences called unsorted";
    case ErrorPattern::kMisses:
      return "errors are mostly unsorted sequences called sorted";
    case ErrorPattern::kBoth:
      return "both errors are made, neither distinguishably more often";
    case ErrorPattern::kUnknown:
      break;
  }
  return "which errors are made is not known";
}

// "24 to 64: …; 128 to 1,024: …"
std::string patterns_text(const std::vector<LengthResult>& results) {
  std::string text;
  for (auto first = results.begin(); first != results.end();) {
    const ErrorPattern pattern = pattern_of(*first);
    const auto end = std::find_if(first, results.end(), [&](const LengthResult& result) {
      return pattern_of(result) != pattern;
    });
    text += fmt::format("{}at {} {}", text.empty() ? "" : "; ", lengths_text({first, end}),
                        pattern_text(pattern));
    first = end;
  }
  return text;
}

struct MissedViolations {
  double early = 0, missed_early = 0, late = 0, missed_late = 0;  // counts

  bool is_known() const { return std::isfinite(early + late + missed_early + missed_late); }
};

MissedViolations missed_beyond(const ModelLengths& model, const std::string& negatives) {
  const auto missed = [](double count, double share) {
    return count > 0 ? std::round(count * share) : count;  // NaN stays
  };
  MissedViolations sum;
  for (const LengthResult& result : model.beyond(negatives)) {
    sum.early += result.early;
    sum.missed_early += missed(result.early, result.missed_early);
    sum.late += result.late;
    sum.missed_late += missed(result.late, result.missed_late);
  }
  return sum;
}

// As many sorted sequences as there are, beyond the trained lengths, and called unsorted.
MeasuredShare false_alarms_beyond(const ModelLengths& model, const std::string& negatives) {
  std::int64_t count = 0, alarms = 0;
  for (const LengthResult& result : model.beyond(negatives)) {
    const MeasuredShare& called = result.false_negatives;
    if (std::isnan(called.value)) continue;
    count += called.count;
    alarms += std::llround(static_cast<double>(called.count) * called.value);
  }
  return share_of_count(alarms, count);
}

// The tests are the same for all models; where they are not, what is told is of the first.
std::string where_violations_are(const std::vector<ModelLengths>& models,
                                 const std::string& negatives) {
  for (const ModelLengths& model : models) {
    const MissedViolations violations = missed_beyond(model, negatives);
    const double all = violations.early + violations.late;
    if (!violations.is_known() || all == 0) continue;
    const auto early = static_cast<std::size_t>(violations.early);
    const auto unsorted = static_cast<std::size_t>(all);
    const std::string how_many =
        early == unsorted ? fmt::format("all {}", count_text(unsorted))
        : early == 0      ? fmt::format("none of {}", count_text(unsorted))
                          : fmt::format("{} of {} ({})", count_text(early), count_text(unsorted),
                                        percent_text(violations.early / all));
    return fmt::format(
        "Of the unsorted test sequences longer than the trained ones, {} with {} negatives have "
        "their first violation within the first {} places{}.",
        how_many, markdown_code(negatives), count_text(model.trained_to),
        early == unsorted ? ": to find it, nothing beyond the trained positions need be looked at"
                          : "");
  }
  return "";
}

std::string missed_row(const ModelLengths& model, const std::string& negatives) {
  const MissedViolations sum = missed_beyond(model, negatives);
  const auto cell = [](double missed, double count) {
    return count > 0 ? share_cell(share_of_count(std::llround(missed), std::llround(count)))
                     : "none there";
  };
  return fmt::format("| {} | {} | {} | {} | {} |\n", model.name, markdown_code(negatives),
                     cell(sum.missed_early, sum.early), cell(sum.missed_late, sum.late),
                     share_cell(false_alarms_beyond(model, negatives)));
}

}  // namespace

std::string tell_length_errors(const Sources& sources) {
  const std::vector<ModelLengths> models = read_model_lengths(sources, "lengths");
  std::string text;
  for (const std::string& negatives : negatives_in(models)) {
    // Models that err alike are told together, in the order of the first of them.
    std::vector<std::pair<std::string, std::vector<std::string>>> alike;
    for (const ModelLengths& model : models) {
      const std::vector<LengthResult> beyond = model.beyond(negatives);
      if (beyond.empty()) continue;
      const std::string pattern = patterns_text(beyond);
      auto found = std::find_if(alike.begin(), alike.end(),
                                [&](const auto& entry) { return entry.first == pattern; });
      if (found == alike.end()) found = alike.insert(alike.end(), {pattern, {}});
      found->second.push_back(model.name);
    }
    text += fmt::format("- With {} negatives, beyond the trained lengths{}\n",
                        markdown_code(negatives), alike.empty() ? " nothing was measured." : ":");
    for (const auto& [pattern, names] : alike)
      text += fmt::format("  - {}: {}.\n", enumerated(names, 8), pattern);
  }
  return text +
         "\nMostly: the 99.95 % interval of the difference of the two shares excludes 0, so that a "
         "hundred lengths can be looked at together. Almost every: the 95 % intervals leave less "
         "than 10 % of either kind out.\n";
}

std::string tell_hard_negatives(const Sources& sources) {
  const std::vector<ModelLengths> models = read_model_lengths(sources, "lengths");
  const std::vector<std::string> kinds = negatives_in(models);
  std::vector<std::string> sentences;
  std::string rows;
  for (const std::string& negatives : kinds) {
    const std::string where = where_violations_are(models, negatives);
    if (!where.empty()) sentences.push_back(where);
    for (const ModelLengths& model : models) {
      const MissedViolations sum = missed_beyond(model, negatives);
      if (sum.is_known() && sum.early + sum.late > 0) rows += missed_row(model, negatives);
    }
  }
  if (std::find(kinds.begin(), kinds.end(), "adjacent") == kinds.end())
    sentences.push_back("Hard negatives (`adjacent`) were not tested.");
  if (rows.empty()) {
    sentences.push_back("Where the violations are that were missed is not known.");
    return bullets(sentences);
  }
  return bullets(sentences) +
         "\n| model | negatives | missed, violation within the trained positions | missed, "
         "violation beyond them | sorted ones called unsorted |\n| --- | --- | ---: | ---: | ---: "
         "|\n" +
         rows +
         "\nIn percent of all lengths beyond the trained ones together, with 95 % "
         "intervals. Who calls everything unsorted misses nothing: the last column tells.\n";
}

}  // namespace headway
