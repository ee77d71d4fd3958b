#include "lib/sweep/trial_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "lib/base/index.h"
#include "lib/base/text.h"

namespace headway {
namespace {

using Names = std::vector<std::string>;

std::optional<double> number_in(const Json& json) {
  if (json.is_boolean()) return json.get<bool>() ? 1 : 0;
  if (json.is_number()) return json.get<double>();
  return std::nullopt;
}

// The entries of a map; if all keys are numbers (8, 16, 128), sorted as numbers.
std::vector<std::pair<std::string, const Json*>> entries_of(const Json& map) {
  std::vector<std::pair<std::string, const Json*>> entries;
  bool numbers = true;
  for (const auto& [key, value] : map.items()) {
    entries.emplace_back(key, &value);
    numbers = numbers && parse_number(key);
  }
  if (numbers)
    std::ranges::stable_sort(entries, {}, [](const auto& e) { return *parse_number(e.first); });
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
  for (const TrialResult& trial : trials) {
    for (const Assignment& override : trial.overrides) place_of(override.path, axes);
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
    for (const auto& [stage, metrics] : trial.metrics)
      visit_numbers(metrics, stage,
                    [&, &stage_names = by_stage[stage]](std::string name, double number) {
                      if (axes.contains(name)) name += " (metric)";
                      numbers.emplace(name, number);
                      if (seen.insert(name).second) stage_names.push_back(name);
                    });
    all.push_back(std::move(numbers));
  }
  for (const auto& [stage, stage_names] : by_stage)
    names.insert(names.end(), stage_names.begin(), stage_names.end());
  return all;
}

// The two metrics of a ratio ("prune.together.1 / prune.components"); for any other metric, itself.
Names parts_of_ratio(const std::string& metric) {
  constexpr std::string_view kSign = " / ";
  const std::size_t sign = metric.find(kSign);
  if (sign == std::string::npos) return {metric};
  return {metric.substr(0, sign), metric.substr(sign + kSign.size())};
}

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
  for (const std::string& name : wanted) {
    Names matching = matching_metrics(names, name);
    if (matching.empty()) matching = {name};
    for (const std::string& match : matching) place_of(match, result);
  }
  return result;
}

bool fits(const std::string& metric, const std::string& stage) {
  return metric.size() > stage.size() + 1 && metric.starts_with(stage) &&
         metric[stage.size()] == '.';
}

}  // namespace

Table trial_table(const std::vector<TrialResult>& trials, const std::vector<std::string>& wanted,
                  const std::vector<std::string>& besides) {
  Names axes = axes_in(trials);
  Names names;
  std::vector<Numbers> numbers = numbers_of(trials, {axes.begin(), axes.end()}, names);
  add_ratios(wanted, numbers, names);
  add_ratios(besides, numbers, names);
  const Names metrics = chosen(names, wanted);

  Names columns = axes;
  columns.push_back("trial");
  columns.insert(columns.end(), metrics.begin(), metrics.end());
  Table table(std::move(columns));
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Names row(axes.size());
    for (const Assignment& override : trials[i].overrides)
      row[place_of(override.path, axes)] = override.value.plain();
    row.push_back(trials[i].name);
    for (const std::string& metric : metrics) {
      const auto found = numbers[i].find(metric);
      row.push_back(found == numbers[i].end() ? "" : number_text(found->second));
    }
    table.add(std::move(row));
  }
  return table;
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
  if (std::ranges::find(columns, wanted) != columns.end()) return {wanted};
  Names matching;
  std::ranges::copy_if(columns, std::back_inserter(matching),
                       [&](const std::string& column) { return fits(column, wanted); });
  return matching;
}

std::optional<double> metric_of(const TrialResult& trial, const std::string& metric) {
  std::optional<double> result;
  for (const auto& [stage, metrics] : trial.metrics) {  // the longest match is last
    if (!fits(metric, stage)) continue;
    visit_numbers(metrics, stage, [&](const std::string& name, double number) {
      if (name == metric) result = number;
    });
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

std::string metric_mistake(const std::string& column, const std::vector<MeasuredStage>& stages,
                           bool may_be_group) {
  const Names names = texts_of(stages, &MeasuredStage::name);
  const auto type_of = [&](const std::string& stage) -> const StageType& {
    return *std::ranges::find(stages, stage, &MeasuredStage::name)->type;
  };
  const auto whole = split_metric(column, names);
  if (whole && type_of(whole->first).metrics.empty()) return "";  // also one with " / " in its name
  for (const std::string& metric : parts_of_ratio(column)) {
    const auto found = split_metric(metric, names);
    const bool is_stage = std::ranges::find(names, metric) != names.end();
    if (found && !type_of(found->first).declares_metric(found->second, may_be_group))
      return fmt::format("stage '{}' has {}", printable(found->first),
                         type_of(found->first).no_metric_text(found->second));
    if (found || (is_stage && may_be_group)) continue;
    return fmt::format("'{}' is not a metric of a stage that has metrics{}{}", printable(metric),
                       did_you_mean(metric.substr(0, metric.find('.')), names),
                       names.empty() ? "" : fmt::format(" (those are {})", join(names, ", ")));
  }
  return "";
}

}  // namespace headway
