#include "lib/sweep/findings/sweep_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "lib/base/error.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"
#include "lib/report/reading.h"
#include "lib/sweep/trial_table.h"
#include "lib/sweep/trials.h"

namespace headway {
namespace {

using TrialCells = std::vector<std::string>;

// Axes come first, then each metric with its bounds.
void read_comparison_columns(const Table& table, SweepResults& results) {
  const std::vector<std::string>& columns = table.columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_metric = i + 2 < columns.size() && columns[i + 1] == columns[i] + " low" &&
                           columns[i + 2] == columns[i] + " high";
    if (is_metric) results.metrics.push_back(columns[i]);
    if (results.metrics.empty() && columns[i] != "seeds" && columns[i] != "failed" &&
        columns[i] != "best")
      results.axes.push_back(columns[i]);
  }
}

MeanInterval interval_in(const Table& table, std::size_t row, const std::string& metric,
                         std::size_t seeds, const std::string& origin) {
  const double mean = optional_number(table, row, metric, origin),
               low = optional_number(table, row, metric + " low", origin),
               high = optional_number(table, row, metric + " high", origin);
  return {mean, (high - low) / 2, std::isnan(mean) ? 0 : seeds};
}

void read_comparison(const Table& table, const std::string& origin, SweepResults& results) {
  require_columns(table, {"seeds", "best"}, "the comparison of collect-trials", origin);
  read_comparison_columns(table, results);
  for (std::size_t row = 0; row < table.size(); ++row) {
    SweepConfiguration one;
    for (const std::string& axis : results.axes) one.values.push_back(table.text(row, axis));
    one.seeds = whole_number(table, row, "seeds", origin);
    one.best = whole_number(table, row, "best", origin) != 0;
    for (const std::string& metric : results.metrics)
      one.metrics.push_back(interval_in(table, row, metric, one.seeds, origin));
    results.has_objective = results.has_objective || one.best;
    results.configurations.push_back(std::move(one));
  }
}

bool has_any_metric(const Table& table, std::size_t row) {
  const std::vector<std::string> metrics = metrics_of(table);
  return std::any_of(metrics.begin(), metrics.end(),
                     [&](const std::string& metric) { return !table.text(row, metric).empty(); });
}

void read_trials(const Table& table, const std::string& origin, SweepResults& results) {
  require_columns(table, {"trial"}, "the table of collect-trials", origin);
  for (const std::string& axis : results.axes)
    require_columns(table, {axis}, "the table of the compared trials", origin);
  std::map<TrialCells, SweepConfiguration*> places;
  for (SweepConfiguration& one : results.configurations) places[one.values] = &one;
  for (const std::string& axis : axes_of(table)) {
    if (is_replicate(axis)) results.seed_axes.push_back(axis);
  }
  std::set<TrialCells> seeds;
  const bool measured = !results.metrics.empty() && table.has(results.metrics[0]);
  for (std::size_t row = 0; row < table.size(); ++row) {
    TrialCells values, seed;
    for (const std::string& axis : results.axes) values.push_back(table.text(row, axis));
    for (const std::string& axis : results.seed_axes) seed.push_back(table.text(row, axis));
    seeds.insert(seed);
    const double reached =
        measured ? optional_number(table, row, results.metrics[0], origin) : std::nan("");
    const auto place = places.find(values);
    if (!std::isnan(reached) && place != places.end()) place->second->reached.push_back(reached);
    const bool is_missing =
        results.has_objective ? std::isnan(reached) : !has_any_metric(table, row);
    if (is_missing) results.missing.push_back(table.text(row, "trial"));
  }
  results.trials = table.size();
  results.seeds = results.seed_axes.empty() ? 1 : seeds.size();
}

void read_decisions(const Table& table, const std::string& origin, SweepResults& results) {
  require_columns(table, {"rung", "amount", "configuration", "value", "rank", "goes_on"},
                  "the decisions of collect-trials", origin);
  for (std::size_t row = 0; row < table.size(); ++row)
    results.decisions.push_back({whole_number(table, row, "rung", origin),
                                 table.text(row, "amount"), table.text(row, "configuration"),
                                 optional_number(table, row, "value", origin),
                                 whole_number(table, row, "rank", origin),
                                 whole_number(table, row, "goes_on", origin) != 0});
}

// The axis that took all the amounts, and that no configuration is called by.
std::optional<std::size_t> find_resource(const SweepResults& results) {
  std::set<std::string> amounts;
  for (const SweepDecision& decision : results.decisions) amounts.insert(decision.amount);
  if (amounts.empty()) return std::nullopt;
  for (std::size_t axis = 0; axis < results.axes.size(); ++axis) {
    std::set<std::string> values;
    for (const SweepConfiguration& one : results.configurations) values.insert(one.values[axis]);
    const std::string named = "," + results.decisions.front().configuration;
    const bool is_named = named.find("," + results.axes[axis] + "=") != std::string::npos;
    if (!is_named && std::includes(values.begin(), values.end(), amounts.begin(), amounts.end()))
      return axis;
  }
  return std::nullopt;
}

// More is better where the best has more than another that had the same chances.
std::optional<bool> find_direction(const SweepResults& results) {
  const auto best = std::find_if(results.configurations.begin(), results.configurations.end(),
                                 [](const SweepConfiguration& one) { return one.best; });
  if (best == results.configurations.end()) return std::nullopt;
  for (const SweepConfiguration& other : results.configurations) {
    const bool comparable =
        !results.resource || other.values[*results.resource] == best->values[*results.resource];
    const double more = best->metrics[0].mean - other.metrics[0].mean;
    if (comparable && !other.best && more != 0 && !std::isnan(more)) return more > 0;
  }
  return std::nullopt;
}

}  // namespace

std::vector<double> SweepConfiguration::independent_values() const {
  const bool has_spread = !metrics.empty() && std::isfinite(metrics[0].half_width);
  if (has_spread || reached.empty()) return reached;
  return {reached.front()};
}

SweepResults read_sweep(const Sources& sources) {
  SweepResults results;
  const auto read = [&](const char* role, const auto& reader) {
    reader(sources.table(role), sources.file(role).origin, results);
  };
  read("comparison", read_comparison);
  if (results.has_objective && results.metrics.empty())
    throw Error(fmt::format("{}: a row is the best, but there is no metric",
                            sources.file("comparison").origin));
  results.comparison_origin = sources.file("comparison").origin;
  read("table", read_trials);
  if (sources.has("decisions")) read("decisions", read_decisions);
  results.resource = find_resource(results);
  results.maximise = find_direction(results);
  return results;
}

std::string configuration_text(const SweepResults& results, const SweepConfiguration& configuration,
                               std::optional<std::size_t> left_out) {
  std::vector<std::string> parts;
  for (std::size_t axis = 0; axis < results.axes.size(); ++axis) {
    if (axis != left_out)
      parts.push_back(fmt::format("{} = {}", markdown_code(results.axes[axis]),
                                  markdown_escaped(configuration.values[axis])));
  }
  return parts.empty() ? "the only one" : fmt::format("{}", fmt::join(parts, ", "));
}

std::optional<std::vector<double>> axis_numbers(const SweepResults& results, std::size_t axis) {
  std::vector<double> numbers;
  for (const SweepConfiguration& one : results.configurations) {
    const std::string& text = one.values[axis];
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
      return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace headway
