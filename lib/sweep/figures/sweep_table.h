// The trial table as figures use it: axes, and one metric's mean over seeds for each configuration.
// Columns before `trial` are axes, those after it metrics.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/figures/axes.h"
#include "lib/figures/figure.h"
#include "lib/figures/table_axis.h"
#include "lib/numerics/statistics.h"

namespace headway {

// "n_heads" for "model.n_heads", or as many parts of the path as are needed to be unambiguous.
std::vector<std::string> short_names(const std::vector<std::string>& columns);

struct SweepConfiguration {
  std::vector<std::size_t> values;  // index of the value on each axis
  MeanInterval metric;              // over seeds with a result; without any, NaN and count 0

  bool has_result() const { return metric.count > 0; }
};

struct Sweep {
  std::string metric;     // its column
  bool is_share = false;  // all values are within 0..1; shown in percent
  Goal goal = Goal::kMax;
  std::vector<TableAxis> axes;                     // without seeds
  std::vector<SweepConfiguration> configurations;  // in order of appearance
  std::size_t best = 0;                            // index in `configurations`

  // By their means; any result is better than none.
  bool is_better(const SweepConfiguration& a, const SweepConfiguration& b) const;
  bool has_intervals() const;                  // some configuration has several seeds
  std::string metric_name() const;             // "evaluate.greedy (%)"
  std::string value_text(double value) const;  // "99.5 %", "0.0123"
  // These axes of a configuration: "n_heads 4, lr 0.001".
  std::string describe(const SweepConfiguration& configuration,
                       const std::vector<std::size_t>& some_axes) const;
  // For titles: "best greedy 99.5 % with n_heads 4, lr 0.001 (mean of 3 seeds)"; `of` is "greedy ".
  std::string describe_best(std::string_view of = "") const;
};

// Uses the options x, rows, metric and goal. Axes called `seed` are replicates, unless x or rows
// names them. Throws Error that lists the columns if one is unknown, or if no metric is given and
// there are several.
Sweep read_sweep(const std::vector<NamedTable>& tables, const FigureOptions& options);

// The axis of `column`; if it is not one of `free`, the only free axis. Throws Error that names
// `option` if there are several.
std::size_t choose_axis(const Sweep& sweep, std::string_view option, const std::string& column,
                        const std::vector<std::size_t>& free);

// All axes but `taken`.
std::vector<std::size_t> other_axes(const Sweep& sweep, const std::vector<std::size_t>& taken);

// Configurations by their values on these axes, in the axes' order.
using SweepGroups = std::map<std::vector<std::size_t>, std::vector<const SweepConfiguration*>>;
SweepGroups group_by(const Sweep& sweep, const std::vector<std::size_t>& some_axes);

// The range of means, extended on both sides by this share of its width. Never empty; for shares
// within 0..100.
Range range_of_means(const Sweep& sweep, double margin = 0);

}  // namespace headway
