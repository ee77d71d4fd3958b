#include "lib/sweep/trial_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "lib/base/text.h"

namespace headway {
namespace {

using Names = std::vector<std::string>;

std::optional<double> number_in(const Json& json) {
  if (json.is_boolean()) return json.get<bool>() ? 1 : 0;
  if (json.is_number()) return json.get<double>();
  return std::nullopt;
}

std::optional<double> key_number(const std::string& key) {
  double number = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (error != std::errc() || end != key.data() + key.size()) return std::nullopt;
  return number;
}

// The entries of a map; if all keys are numbers (8, 16, 128), sorted as numbers.
std::vector<std::pair<std::string, const Json*>> entries_of(const Json& map) {
  std::vector<std::pair<std::string, const Json*>> entries;
  bool numbers = true;
  for (const auto& [key, value] : map.items()) {
    entries.emplace_back(key, &value);
    numbers = numbers && key_number(key);
  }
  if (numbers) {
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return *key_number(a.first) < *key_number(b.first);
    });
  }
  return entries;
}

using Visit = std::function<void(std::string name, double number)>;

void visit_numbers(const Json& map, const std::string& prefix, const Visit& visit) {
  if (!map.is_object()) return;
  for (const auto& [key, value] : entries_of(map)) {
    const std::string name = fmt::format("{}.{}", prefix, key);
    if (const std::optional<double> number = number_in(*value))
      visit(name, *number);
    else
      visit_numbers(*value, name, visit);
  }
}

Names axes_in(const std::vector<TrialResult>& trials) {
  Names axes;
  std::unordered_set<std::string> seen;
  for (const TrialResult& trial : trials) {
    for (const Assignment& override : trial.overrides) {
      if (seen.insert(override.path).second) axes.push_back(override.path);
    }
  }
  return axes;
}

using Numbers = std::unordered_map<std::string, double>;

// The numbers of each trial. Adds their names to `names`, by stage, so that a stage that failed in
// the first trial is not last.
std::vector<Numbers> numbers_of(const std::vector<TrialResult>& trials,
                                const std::unordered_set<std::string>& axes, Names& names) {
  std::map<std::string, Names> by_stage;
  std::unordered_set<std::string> seen;
  std::vector<Numbers> all;
  for (const TrialResult& trial : trials) {
    Numbers numbers;
    for (const auto& [stage, metrics] : trial.metrics) {
      visit_numbers(metrics, stage,
                    [&, &stage_names = by_stage[stage]](std::string name, double number) {
                      if (axes.contains(name)) name += " (metric)";
                      numbers.emplace(name, number);
                      if (seen.insert(name).second) stage_names.push_back(name);
                    });
    }
    all.push_back(std::move(numbers));
  }
  for (const auto& [stage, stage_names] : by_stage) {
    names.insert(names.end(), stage_names.begin(), stage_names.end());
  }
  return all;
}

// "prune.together.1 / prune.heads": one metric divided by another.
constexpr std::string_view kRatio = " / ";

// Adds the requested ratios for trials that have both metrics.
void add_ratios(const Names& wanted, std::vector<Numbers>& all, Names& names) {
  for (const std::string& name : wanted) {
    const Names parts = parts_of_ratio(name);
    if (parts.size() < 2) continue;
    names.push_back(name);
    for (Numbers& numbers : all) {
      const auto part = numbers.find(parts[0]), whole = numbers.find(parts[1]);
      if (part != numbers.end() && whole != numbers.end() && whole->second != 0)
        numbers.emplace(name, part->second / whole->second);
    }
  }
}

Names chosen(const Names& names, const Names& wanted) {
  if (wanted.empty()) return names;
  Names result;
  std::unordered_set<std::string> seen;
  for (const std::string& name : wanted) {
    Names matching = matching_metrics(names, name);
    if (matching.empty()) matching = {name};
    for (std::string& match : matching) {
      if (seen.insert(match).second) result.push_back(std::move(match));
    }
  }
  return result;
}

// Keys may contain dots ("0.1"), so all splits are tried, longest key first.
std::optional<double> number_at(const Json& json, std::string_view name) {
  if (!json.is_object()) return std::nullopt;
  for (std::size_t end = name.size(); end != std::string_view::npos && end > 0;
       end = name.rfind('.', end - 1)) {
    const auto found = json.find(std::string(name.substr(0, end)));
    if (found == json.end()) continue;
    const std::optional<double> number =
        end == name.size() ? number_in(*found) : number_at(*found, name.substr(end + 1));
    if (number) return number;
  }
  return std::nullopt;
}

bool fits(const std::string& metric, const std::string& stage) {
  return metric.size() > stage.size() + 1 && metric.starts_with(stage) &&
         metric[stage.size()] == '.';
}

}  // namespace

Table trial_table(const std::vector<TrialResult>& trials, const std::vector<std::string>& wanted,
                  const std::vector<std::string>& besides) {
  const Names axes = axes_in(trials);
  Names names;
  std::vector<Numbers> numbers = numbers_of(trials, {axes.begin(), axes.end()}, names);
  add_ratios(wanted, numbers, names);
  add_ratios(besides, numbers, names);
  const Names metrics = chosen(names, wanted);

  Names columns = axes;
  columns.push_back("trial");
  columns.insert(columns.end(), metrics.begin(), metrics.end());
  Table table(std::move(columns));
  std::unordered_map<std::string, std::size_t> axis_places;
  for (std::size_t i = 0; i < axes.size(); ++i) axis_places[axes[i]] = i;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Names row(axes.size());
    for (const Assignment& override : trials[i].overrides) {
      row[axis_places[override.path]] = override.value.plain();
    }
    row.push_back(trials[i].name);
    for (const std::string& metric : metrics) {
      const auto found = numbers[i].find(metric);
      row.push_back(found == numbers[i].end() ? "" : number_text(found->second));
    }
    table.add(std::move(row));
  }
  return table;
}

std::vector<std::string> parts_of_ratio(const std::string& metric) {
  const std::size_t sign = metric.find(kRatio);
  if (sign == std::string::npos) return {metric};
  return {metric.substr(0, sign), metric.substr(sign + kRatio.size())};
}

std::vector<std::string> axes_of(const Table& table) {
  const auto at = static_cast<std::ptrdiff_t>(table.column("trial"));
  return {table.columns().begin(), table.columns().begin() + at};
}

std::vector<std::string> metrics_of(const Table& table) {
  const auto at = static_cast<std::ptrdiff_t>(table.column("trial"));
  return {table.columns().begin() + at + 1, table.columns().end()};
}

std::vector<std::string> matching_metrics(const std::vector<std::string>& columns,
                                          const std::string& wanted) {
  if (std::find(columns.begin(), columns.end(), wanted) != columns.end()) return {wanted};
  Names matching;
  std::copy_if(columns.begin(), columns.end(), std::back_inserter(matching),
               [&](const std::string& column) { return fits(column, wanted); });
  return matching;
}

std::optional<double> metric_of(const TrialResult& trial, const std::string& metric) {
  std::optional<double> result;
  for (const auto& [stage, metrics] : trial.metrics) {  // the longest match is last
    if (!fits(metric, stage)) continue;
    const std::optional<double> number =
        number_at(metrics, std::string_view(metric).substr(stage.size() + 1));
    if (number) result = number;
  }
  return result;
}

std::optional<std::pair<std::string, std::string>> split_metric(
    const std::string& metric, const std::vector<std::string>& stages) {
  const std::string* longest = nullptr;
  for (const std::string& stage : stages) {
    if (fits(metric, stage) && (!longest || stage.size() > longest->size())) longest = &stage;
  }
  if (!longest) return std::nullopt;
  return std::pair(*longest, metric.substr(longest->size() + 1));
}

std::string unknown_metric(const std::string& metric, const std::vector<std::string>& stages) {
  return fmt::format("'{}' is not a metric of a stage that has metrics{}{}", printable(metric),
                     did_you_mean(metric.substr(0, metric.find('.')), stages),
                     stages.empty() ? "" : fmt::format(" (those are {})", join(stages, ", ")));
}

}  // namespace headway
