#include "lib/sweep/figures/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/checks.h"
#include "lib/spec/overrides.h"
#include "lib/sweep/trial_table.h"

namespace headway {
namespace {

// The last `parts` parts of a dotted path.
std::string path_end(const std::string& path, std::size_t parts) {
  std::size_t at = path.size();
  for (std::size_t i = 0; i < parts; ++i) {
    if (at == 0) return path;
    at = path.rfind('.', at - 1);
    if (at == std::string::npos) return path;
  }
  return path.substr(at + 1);
}

std::string listed(const std::vector<std::string>& columns) {
  return columns.empty() ? "none" : printable(join(columns, ", "));
}

void check_known(std::string_view option, std::string_view sort, const std::string& column,
                 const std::vector<std::string>& columns) {
  if (column.empty() || std::ranges::find(columns, column) != columns.end()) return;
  throw Error("parameter '{}': the table has no {} '{}'; it has {}{}", option, sort,
              printable(column), listed(columns), did_you_mean(column, columns));
}

std::string choose_metric(const std::string& asked, const std::vector<std::string>& metrics) {
  if (metrics.empty()) throw Error("the table has no metrics: no column after 'trial'");
  check_known("metric", "metric", asked, metrics);
  if (!asked.empty()) return asked;
  if (metrics.size() == 1) return metrics[0];
  throw Error("parameter 'metric' is missing: the table has several metrics, {}", listed(metrics));
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
  throw Error("{}: column '{}' has no number in any row", subject_of(table), printable(metric));
}

// Combines trials that differ only in their seeds.
std::vector<SweepConfiguration> joined_over_seeds(
    const std::vector<std::vector<std::size_t>>& places_of_axes, const std::vector<double>& results,
    const ValueRange& range) {
  std::vector<std::vector<std::size_t>> order;  // of appearance
  std::map<std::vector<std::size_t>, std::vector<double>> seeds;
  for (std::size_t row = 0; row < results.size(); ++row) {
    std::vector<std::size_t> values;
    for (const std::vector<std::size_t>& places : places_of_axes) values.push_back(places[row]);
    if (!seeds.contains(values)) order.push_back(values);
    seeds[values].push_back(results[row]);
  }
  std::vector<SweepConfiguration> configurations;
  for (const auto& values : order)
    configurations.push_back({values, mean_interval(seeds[values], range)});
  return configurations;
}

std::size_t best_of(const Sweep& sweep) {
  const auto better = [&](const SweepConfiguration& a, const SweepConfiguration& b) {
    return sweep.is_better(a, b);
  };
  return static_cast<std::size_t>(std::ranges::min_element(sweep.configurations, better) -
                                  sweep.configurations.begin());
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    std::size_t parts = 1;
    const auto is_shared = [&](const std::string& other) {
      return other != column && path_end(other, parts) == path_end(column, parts);
    };
    while (path_end(column, parts) != column && std::ranges::any_of(columns, is_shared)) ++parts;
    names.push_back(path_end(column, parts));
  }
  return names;
}

bool Sweep::is_better(const SweepConfiguration& a, const SweepConfiguration& b) const {
  if (!a.has_result() || !b.has_result()) return a.has_result() && !b.has_result();
  return goal == Goal::kMax ? a.metric.mean > b.metric.mean : a.metric.mean < b.metric.mean;
}

bool Sweep::has_intervals() const {
  return std::ranges::any_of(configurations,
                             [](const SweepConfiguration& one) { return one.metric.count > 1; });
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
  for (const std::size_t axis : some_axes)
    parts.push_back(axes[axis].name + " " + axes[axis].labels[configuration.values[axis]]);
  return join(parts, ", ");
}

std::string Sweep::describe_best(std::string_view of) const {
  const SweepConfiguration& winner = configurations[best];
  const std::string count =
      winner.metric.count > 1 ? fmt::format(" (mean of {} seeds)", winner.metric.count) : "";
  return fmt::format("{}{}{} with {}{}", configurations.size() == 1 ? "" : "best ", of,
                     value_text(winner.metric.mean), describe(winner, other_axes(*this, {})),
                     count);
}

Sweep read_sweep(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  require_columns(tables, {"trial"});
  if (tables.size() != 1) throw Error("it is drawn from one table, not {}", tables.size());
  const NamedTable& table = tables[0];
  const std::vector<std::string> columns = axes_of(table.table);
  check_known("x", "axis", options.x, columns);
  check_known("rows", "axis", options.rows, columns);

  Sweep sweep;
  sweep.goal = options.goal;
  sweep.metric = choose_metric(options.metric, metrics_of(table.table));
  std::vector<double> results = results_of(table, sweep.metric);
  sweep.is_share = are_shares(sweep.metric, results);
  ValueRange range = natural_range(sweep.metric, results);
  if (sweep.is_share) {
    range.high = 100;
    for (double& result : results) result *= 100;
  }
  std::vector<std::vector<std::size_t>> places;
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    if (is_replicate(column) && column != options.x && column != options.rows) continue;
    PlacedAxis placed = read_axis(column, column_texts(table, column));
    sweep.axes.push_back(std::move(placed.axis));
    places.push_back(std::move(placed.places));
    names.push_back(column);
  }
  if (sweep.axes.empty())
    throw Error("the table has no axes but seeds: before 'trial' it has {}", listed(columns));
  names = short_names(names);
  for (std::size_t i = 0; i < names.size(); ++i) sweep.axes[i].name = names[i];
  sweep.configurations = joined_over_seeds(places, results, range);
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
  throw Error("parameter '{}' is missing: the table has several axes, {}", option, listed(names));
}

std::vector<std::size_t> other_axes(const Sweep& sweep, const std::vector<std::size_t>& taken) {
  std::vector<std::size_t> others;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    if (std::ranges::find(taken, axis) == taken.end()) others.push_back(axis);
  }
  return others;
}

SweepGroups group_by(const Sweep& sweep, const std::vector<std::size_t>& some_axes) {
  SweepGroups groups;
  for (const SweepConfiguration& configuration : sweep.configurations) {
    std::vector<std::size_t> values;
    for (const std::size_t axis : some_axes) values.push_back(configuration.values[axis]);
    groups[values].push_back(&configuration);
  }
  return groups;
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

}  // namespace headway
