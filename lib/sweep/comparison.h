// A trial table made readable: only what differs, means over seeds with their intervals, the best
// first; and its forms for a terminal, for a page, for spreadsheets and for programs.
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
  bool each = false;                 // a row for each trial: no mean over seeds
  std::vector<std::string> metrics;  // columns, or maps of them; empty: chosen
  std::size_t most_metrics = 0;      // where they are chosen; 0: all
  std::size_t most_rows = 0;         // 0: all
  std::vector<std::string> failed;   // trials that failed: their rows are marked, and never best
  // An axis, of successive halving: rows with more of it come first, and the best is one of those
  // with the most.
  std::string resource;
  // Stages whose results do not depend on the seeds: one measurement, so without an interval.
  std::vector<std::string> without_seeds;
};

struct Comparison {
  struct Row {
    std::vector<std::string> values;  // of the axes
    std::size_t trials = 0;
    std::size_t seeds = 0;              // trials that have results
    std::size_t failed = 0;             // trials that failed
    std::vector<MeanInterval> metrics;  // as many as the comparison has
    bool best = false;                  // of the objective; several where they are equal
  };

  std::vector<std::string> axes;  // those that differ
  std::vector<std::string> metrics;
  std::vector<Row> rows;
  std::vector<std::pair<std::string, std::string>> common;  // axes with one value, and that value
  std::string objective;
  bool maximise = true;
  std::size_t metrics_left_out = 0;
  std::size_t rows_left_out = 0;
  bool replicated = false;  // some row stands for several trials
};

// Trials that differ only in replicate axes (is_replicate) are one row. Where no metrics are asked
// for, those that are the same everywhere are left out (unless all are), and the objective comes
// first. Rows are sorted by the objective, the best first, those without a value last, ties in
// order; without an objective they stand as in the table.
//
// An Error where a metric is unknown although its stage has others. Where the stage has none (it
// has not run yet), its cells are empty.
Comparison compare_trials(const Table& table, const ComparisonOptions& options);

// Aligned columns; the best row has a '*', and notes below say what was left out.
std::string to_text(const Comparison& comparison);
std::string to_markdown(const Comparison& comparison);
// The same text in at most `width` columns, with as many metrics as fit. Metrics that the options
// list are left out only if `may_drop_listed`.
std::string fitting_text(const Table& table, ComparisonOptions options, std::size_t width,
                         bool may_drop_listed);
// Each metric as three columns of numbers, "m", "m low" and "m high"; then "seeds", "failed" and
// "best" (0/1).
Table to_table(const Comparison& comparison);
Json to_json(const Comparison& comparison);

// "0.9931 ± 0.0042": two digits of the half width, and as many decimals of the mean; four
// significant digits where there is no interval; "" for NaN.
std::string interval_text(const MeanInterval& interval);

}  // namespace headway
