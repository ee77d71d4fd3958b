// Makes a trial table readable: shows only what differs, means over seeds with intervals, best
// first. Output for terminals, pages, spreadsheets and programs.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/json.h"
#include "lib/numerics/statistics.h"
#include "lib/numerics/table.h"

namespace headway {

struct ComparisonOptions {
  std::string objective;  // a metric's column; empty: none
  bool maximise = true;
  bool each = false;                 // one row for each trial, no means over seeds
  std::vector<std::string> metrics;  // columns or groups of columns; empty: chosen automatically
  std::vector<std::string> expected =
      {};                           // metrics with an `expect`: first if chosen automatically
  std::size_t most_metrics = 0;     // if chosen automatically; 0: all
  std::size_t most_rows = 0;        // 0: all
  std::vector<std::string> failed;  // failed trials: their rows are marked and never best
  // The axis of successive halving: rows with more of it come first, and only rows with the most
  // can be best.
  std::string resource;
  // Stages that do not depend on the seeds: a single measurement, shown without an interval.
  std::vector<std::string> without_seeds;
};

struct Comparison {
  struct Row {
    std::vector<std::string> values;  // one for each axis
    std::size_t trials = 0;
    std::size_t seeds = 0;              // trials with results
    std::size_t failed = 0;             // trials that failed
    std::vector<MeanInterval> metrics;  // as many as the comparison has
    bool best = false;                  // for the objective; more than one if equal
  };

  std::vector<std::string> axes;  // axes that differ
  std::vector<std::string> metrics;
  std::vector<Row> rows;
  std::vector<std::pair<std::string, std::string>> common;  // axes with a single value
  std::string objective;
  bool maximise = true;
  std::string resource;  // of successive halving; empty: none
  std::size_t metrics_left_out = 0;
  std::size_t rows_left_out = 0;
  bool replicated = false;  // some row combines several trials
};

// Combines trials that differ only in replicate axes (is_replicate) into one row. If no metrics are
// requested, omits those that are the same everywhere (unless all are) and puts the objective
// first, then those that are expected, then those that differ most: compared with the spread over
// seeds, or without seeds with their size. Sorts by the objective, best first, rows without a value
// last; without an objective keeps the table's order.
//
// Throws Error if a metric is unknown although its stage has others. If the stage has none (it has
// not run yet), its cells are empty.
Comparison compare_trials(const Table& table, const ComparisonOptions& options);

// Aligned columns; the best row is marked with '*', and notes below say what was left out.
std::string to_text(const Comparison& comparison);
std::string to_markdown(const Comparison& comparison);
// The same in at most `width` columns, with as many metrics as fit. Requested metrics are dropped
// only if `may_drop_listed`.
std::string fitting_text(const Table& table, ComparisonOptions options, std::size_t width,
                         bool may_drop_listed);
// Three numeric columns for each metric, "m", "m low" and "m high"; then "seeds", "failed" and
// "best" (0/1).
Table to_table(const Comparison& comparison);
Json to_json(const Comparison& comparison);

// "0.9931 ± 0.0042": two digits for the half width, and as many decimals for the mean;
// "0.9997 [0.9985, 1.0000]" if the interval ends at the metric's range; without an interval, four
// significant digits; "" for NaN.
std::string interval_text(const MeanInterval& interval);

}  // namespace headway
