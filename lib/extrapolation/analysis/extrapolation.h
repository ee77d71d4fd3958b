// How right a classifier of sorted sequences is at every length, for both kinds of negatives, and
// what it is wrong about though it is sure.
#pragma once

#include "lib/base/json.h"
#include "lib/extrapolation/sorting.h"
#include "lib/numerics/table.h"
#include "lib/train/classifier_scoring.h"

namespace headway {

struct FailureLimits {
  double confidence = 0.9;   // probability of the wrong answer from which on it is listed
  std::int64_t of_each = 5;  // most for each length and kind of negatives
};

class Extrapolation {
 public:
  explicit Extrapolation(const ClassifierConfig& config, FailureLimits limits = {})
      : config_(config), limits_(limits) {}

  void add(const LengthTest& test, const ClassifierScores& scores);

  // Columns length,negatives,count,accuracy,low,high; false_positives (unsorted ones called sorted,
  // as a share of the unsorted) and false_negatives (sorted ones called unsorted, of the sorted),
  // each with its interval; early and late: how many of the unsorted have their first violation
  // within the trained positions, and how many beyond, with the shares that were missed of each;
  // loss; trained_from,trained_to.
  const Table& table() const { return table_; }
  // Columns length,negatives,sample,label,answer,probability (of the answer),violation,at: the
  // first place where a value is larger than the next, and the values around it. The surest first.
  const Table& failures() const { return failures_; }
  // accuracy.swaps.32 and the like.
  Json metrics() const;

 private:
  void list_failures(const LengthTest& test, const ClassifierScores& scores);

  ClassifierConfig config_;
  FailureLimits limits_;
  Table table_{{"length", "negatives", "count", "accuracy", "low", "high", "false_positives",
                "false_positives_low", "false_positives_high", "false_negatives",
                "false_negatives_low", "false_negatives_high", "early", "missed_early", "late",
                "missed_late", "loss", "trained_from", "trained_to"}};
  Table failures_{
      {"length", "negatives", "sample", "label", "answer", "probability", "violation", "at"}};
  Json accuracies_ = Json::object();
};

}  // namespace headway
