// A sorting classifier's accuracy at every length, for both kinds of negatives, and its confident
// mistakes.
#pragma once

#include "lib/base/json.h"
#include "lib/extrapolation/length_tests.h"
#include "lib/numerics/table.h"
#include "lib/train/scoring.h"

namespace headway {

struct FailureLimits {
  double confidence = 0.9;   // lists wrong answers with at least this probability
  std::int64_t of_each = 5;  // most for each length and kind of negatives
};

class Extrapolation {
 public:
  explicit Extrapolation(const TransformerConfig& config, FailureLimits limits = {})
      : config_(config), limits_(limits) {}

  void add(const LengthTest& test, const Scores& scores);

  // Columns length,negatives,count,accuracy,low,high; false_positives (share of unsorted sequences
  // called sorted) and false_negatives (share of sorted ones called unsorted) with intervals; early
  // and late: how many unsorted sequences have their first violation within and beyond the trained
  // positions, with the shares missed; loss; trained_from,trained_to (lengths).
  const Table& table() const { return table_; }
  // Columns length,negatives,sample,label,answer,probability (of the answer),violation (the first
  // place where a value exceeds the next),at (the values around it). Most confident first.
  const Table& failures() const { return failures_; }
  // accuracy.swaps.32 and the like.
  Json metrics() const;

 private:
  void list_failures(const LengthTest& test, const Scores& scores);

  TransformerConfig config_;
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
