// The table of a sweep's trials as figures see it: axes, and for each configuration the mean of one
// metric over its seeds. Columns before `trial` are axes, those after it metrics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/figures/axes.h"
#include "lib/figures/figure.h"
#include "lib/numerics/statistics.h"
#include "lib/sweep/figures/sweep_axis.h"

namespace headway {

struct SweepConfiguration {
  std::vector<std::size_t> values;  // for each axis, which of its values
  MeanInterval metric;  // over the seeds with a result; NaN and a count of 0 where there are none

  bool has_result() const { return metric.count > 0; }
};

struct Sweep {
  std::string metric;     // its column
  bool is_share = false;  // all within 0..1, and so in percent here
  Goal goal = Goal::kMax;
  std::vector<SweepAxis> axes;                     // but for seeds
  std::vector<SweepConfiguration> configurations;  // as they first appear
  std::size_t best = 0;                            // of the configurations

  bool is_better(double a, double b) const { return goal == Goal::kMax ? a > b : a < b; }
  bool has_intervals() const;                  // some configuration has several seeds
  std::string metric_name() const;             // "evaluate.greedy (%)"
  std::string value_text(double value) const;  // "99.5 %", "0.0123"
  // "n_heads 4, lr 0.001": these axes of a configuration.
  std::string describe(const SweepConfiguration& configuration,
                       const std::vector<std::size_t>& some_axes) const;
  std::string describe(const SweepConfiguration& configuration) const;
  // For titles: "best greedy 99.5 % with n_heads 4, lr 0.001 (mean of 3 seeds)", where "greedy " is
  // what to say of the value.
  std::string describe_best(std::string_view of = "") const;
};

// Of the options it reads x, rows, metric and goal. Axes called `seed` are replicates, unless x or
// rows names them. Throws Error that lists the columns there are where one is not known, or where
// there is a choice of metrics and none was made.
Sweep read_sweep(const std::vector<NamedTable>& tables, const FigureOptions& options);

// The axis of that column, which was given as the option and is one of `free`. Where it was left
// empty, the only one that is free; an Error where there are several.
std::size_t choose_axis(const Sweep& sweep, std::string_view option, const std::string& column,
                        const std::vector<std::size_t>& free);

// All axes but these.
std::vector<std::size_t> other_axes(const Sweep& sweep, const std::vector<std::size_t>& taken);

// The values of these axes that occur together, in the axes' order.
std::vector<std::vector<std::size_t>> combinations(const Sweep& sweep,
                                                   const std::vector<std::size_t>& some_axes);
// Those values of one configuration.
std::vector<std::size_t> values_of(const SweepConfiguration& configuration,
                                   const std::vector<std::size_t>& some_axes);

// From the lowest mean to the highest, and so much of that more to both sides, but never an empty
// range, nor one beyond 0..100 of shares.
Range range_of_means(const Sweep& sweep, double margin = 0);

// A title made from long names, cut to what a page of that width can show.
std::string cut_title(std::string_view title, int width);

}  // namespace headway
