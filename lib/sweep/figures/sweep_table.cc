#include "lib/sweep/figures/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/checks.h"
#include "lib/figures/page.h"

namespace headway {
namespace {

constexpr const char* kTrial = "trial";

// A table's columns by role.
struct SweepColumns {
  std::vector<std::string> axes;
  std::vector<std::string> metrics;
};

const NamedTable& only_sweep(const std::vector<NamedTable>& tables) {
  require_columns(tables, {kTrial});
  if (tables.size() == 1) return tables[0];
  throw Error(fmt::format("it is drawn from one table, not {}", tables.size()));
}

SweepColumns columns_of_sweep(const Table& table) {
  const auto trial = static_cast<std::ptrdiff_t>(table.column(kTrial));
  const auto begin = table.columns().begin(), end = table.columns().end();
  return {{begin, begin + trial}, {begin + trial + 1, end}};
}

std::string listed(const std::vector<std::string>& columns) {
  return columns.empty() ? "none" : printable(join(columns, ", "));
}

void check_known(std::string_view option, std::string_view sort, const std::string& column,
                 const std::vector<std::string>& columns) {
  if (column.empty()) return;
  if (std::find(columns.begin(), columns.end(), column) != columns.end()) return;
  throw Error(fmt::format("parameter '{}': the table has no {} '{}'; it has {}{}", option, sort,
                          printable(column), listed(columns), did_you_mean(column, columns)));
}

std::string choose_metric(const std::string& asked, const std::vector<std::string>& metrics) {
  if (metrics.empty()) throw Error("the table has no metrics: no column after 'trial'");
  check_known("metric", "metric", asked, metrics);
  if (!asked.empty()) return asked;
  if (metrics.size() == 1) return metrics[0];
  throw Error(fmt::format("parameter 'metric' is missing: the table has several metrics, {}",
                          listed(metrics)));
}

bool is_seed(const std::string& column) {
  return column == "seed" || column.ends_with(".seed");
}

// NaN if the trial has no result or an infinite one.
std::vector<double> results_of(const NamedTable& table, const std::string& metric) {
  std::vector<double> results;
  bool found = false;
  for (std::size_t row = 0; row < table.table.size(); ++row) {
    const double number = optional_number(table, row, metric);
    results.push_back(std::isfinite(number) ? number : std::nan(""));
    found |= std::isfinite(number);
  }
  if (found) return results;
  throw Error(fmt::format("{}: column '{}' has no number in any row", subject_of(table),
                          printable(metric)));
}

// Losses and times may also be within 0..1, but are not shares.
bool are_shares(const std::string& metric, const std::vector<double>& results) {
  for (const char* other : {"loss", "seconds"}) {
    if (metric.find(other) != std::string::npos) return false;
  }
  return std::all_of(results.begin(), results.end(), [](double result) {
    return std::isnan(result) || (result >= 0 && result <= 1);
  });
}

// Combines trials that differ only in their seeds.
std::vector<SweepConfiguration> joined_over_seeds(
    const std::vector<std::vector<std::size_t>>& places_of_axes,
    const std::vector<double>& results) {
  std::vector<SweepConfiguration> configurations;
  std::vector<std::vector<double>> seeds;
  std::map<std::vector<std::size_t>, std::size_t> known;
  for (std::size_t row = 0; row < results.size(); ++row) {
    std::vector<std::size_t> values;
    for (const std::vector<std::size_t>& places : places_of_axes) values.push_back(places[row]);
    const auto [found, is_new] = known.emplace(values, configurations.size());
    if (is_new) {
      configurations.push_back({values, {}});
      seeds.emplace_back();
    }
    seeds[found->second].push_back(results[row]);
  }
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    configurations[i].metric = mean_interval(seeds[i]);
  }
  return configurations;
}

std::size_t best_of(const Sweep& sweep) {
  std::size_t best = sweep.configurations.size();
  for (std::size_t i = 0; i < sweep.configurations.size(); ++i) {
    if (!sweep.configurations[i].has_result()) continue;
    if (best == sweep.configurations.size() ||
        sweep.is_better(sweep.configurations[i].metric.mean,
                        sweep.configurations[best].metric.mean)) {
      best = i;
    }
  }
  return best;
}

}  // namespace

bool Sweep::has_intervals() const {
  return std::any_of(
      configurations.begin(), configurations.end(),
      [](const SweepConfiguration& configuration) { return configuration.metric.count > 1; });
}

std::string Sweep::metric_name() const {
  return metric + (is_share ? " (%)" : "");
}

std::string Sweep::value_text(double value) const {
  return is_share ? percent_label(value) + " %" : fmt::format("{:.4g}", value);
}

std::string Sweep::describe(const SweepConfiguration& configuration,
                            const std::vector<std::size_t>& some_axes) const {
  std::vector<std::string> parts;
  for (const std::size_t axis : some_axes) {
    parts.push_back(axes[axis].name + " " + axes[axis].labels[configuration.values[axis]]);
  }
  return join(parts, ", ");
}

std::string Sweep::describe(const SweepConfiguration& configuration) const {
  return describe(configuration, other_axes(*this, {}));
}

std::string Sweep::describe_best(std::string_view of) const {
  const SweepConfiguration& winner = configurations[best];
  const std::string count =
      winner.metric.count > 1 ? fmt::format(" (mean of {} seeds)", winner.metric.count) : "";
  return fmt::format("{}{}{} with {}{}", configurations.size() == 1 ? "" : "best ", of,
                     value_text(winner.metric.mean), describe(winner), count);
}

Sweep read_sweep(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  const NamedTable& table = only_sweep(tables);
  const SweepColumns columns = columns_of_sweep(table.table);
  check_known("x", "axis", options.x, columns.axes);
  check_known("rows", "axis", options.rows, columns.axes);

  Sweep sweep;
  sweep.goal = options.goal;
  sweep.metric = choose_metric(options.metric, columns.metrics);
  std::vector<double> results = results_of(table, sweep.metric);
  sweep.is_share = are_shares(sweep.metric, results);
  if (sweep.is_share) {
    for (double& result : results) result *= 100;
  }
  std::vector<std::vector<std::size_t>> places;
  std::vector<std::string> names;
  for (const std::string& column : columns.axes) {
    if (is_seed(column) && column != options.x && column != options.rows) continue;
    std::vector<std::string> cells;
    for (std::size_t row = 0; row < table.table.size(); ++row) {
      cells.push_back(table.table.text(row, column));
    }
    PlacedAxis placed = read_axis(column, cells);
    sweep.axes.push_back(std::move(placed.axis));
    places.push_back(std::move(placed.places));
    names.push_back(column);
  }
  if (sweep.axes.empty()) {
    throw Error(fmt::format("the table has no axes but seeds: before 'trial' it has {}",
                            listed(columns.axes)));
  }
  names = short_names(names);
  for (std::size_t i = 0; i < names.size(); ++i) sweep.axes[i].name = names[i];
  sweep.configurations = joined_over_seeds(places, results);
  sweep.best = best_of(sweep);
  return sweep;
}

std::size_t choose_axis(const Sweep& sweep, std::string_view option, const std::string& column,
                        const std::vector<std::size_t>& free) {
  std::vector<std::string> names;
  for (const std::size_t axis : free) {
    names.push_back(sweep.axes[axis].column);
    if (names.back() == column) return axis;
  }
  if (free.size() == 1) return free[0];
  throw Error(fmt::format("parameter '{}' is missing: the table has several axes, {}", option,
                          listed(names)));
}

std::vector<std::size_t> other_axes(const Sweep& sweep, const std::vector<std::size_t>& taken) {
  std::vector<std::size_t> others;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    if (std::find(taken.begin(), taken.end(), axis) == taken.end()) others.push_back(axis);
  }
  return others;
}

std::vector<std::size_t> values_of(const SweepConfiguration& configuration,
                                   const std::vector<std::size_t>& some_axes) {
  std::vector<std::size_t> values;
  for (const std::size_t axis : some_axes) values.push_back(configuration.values[axis]);
  return values;
}

std::vector<std::vector<std::size_t>> combinations(const Sweep& sweep,
                                                   const std::vector<std::size_t>& some_axes) {
  std::set<std::vector<std::size_t>> found;
  for (const SweepConfiguration& configuration : sweep.configurations) {
    found.insert(values_of(configuration, some_axes));
  }
  return {found.begin(), found.end()};
}

Range range_of_means(const Sweep& sweep, double margin) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const SweepConfiguration& configuration : sweep.configurations) {
    if (!configuration.has_result()) continue;
    range.low = std::min(range.low, configuration.metric.mean);
    range.high = std::max(range.high, configuration.metric.mean);
  }
  const double around = range.high > range.low ? margin * (range.high - range.low)
                        : range.low == 0       ? 1
                                               : 0.05 * std::abs(range.low);
  range = {range.low - around, range.high + around};
  if (!sweep.is_share) return range;
  return {std::max(range.low, 0.0), std::min(range.high, 100.0)};
}

std::string cut_title(std::string_view title, int width) {
  constexpr double kSmallestFont = 9;  // of titles in Page
  return fit(title, static_cast<std::size_t>(0.97 * width / text_width({"x"}, kSmallestFont)));
}

}  // namespace headway
