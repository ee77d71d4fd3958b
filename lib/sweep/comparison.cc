#include "lib/sweep/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "lib/base/digest.h"
#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/sweep/trial_table.h"
#include "lib/sweep/trials.h"

namespace headway {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

using Group = std::vector<std::size_t>;  // row numbers

class Comparer {
 public:
  Comparer(const Table& table, const ComparisonOptions& options)
      : table_(table),
        options_(options),
        axis_count_(axes_of(table).size()),
        all_metrics_(metrics_of(table)),
        failed_(options.failed.begin(), options.failed.end()) {
    for (std::size_t i = 0; i < all_metrics_.size(); ++i) {
      columns_[all_metrics_[i]] = axis_count_ + 1 + i;
    }
  }

  Comparison compare() {
    result_.objective = options_.objective;
    result_.maximise = options_.maximise;
    check_known(options_.objective);
    choose_axes();
    choose_metrics();
    make_rows();
    return std::move(result_);
  }

 private:
  const std::string& cell(std::size_t row, std::size_t column) const {
    return table_.rows()[row][column];
  }

  double number(std::size_t row, std::size_t column) const {
    const std::string& text = cell(row, column);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
    return table_.number(row,
                         table_.columns()[column]);  // throws Error for other text
  }

  bool turns(std::size_t axis) const {
    return !options_.each && is_replicate(table_.columns()[axis]);
  }

  // A metric of a stage that has not run yet is unknown, but not wrong.
  void check_known(const std::string& metric) const {
    if (metric.empty() || columns_.contains(metric)) return;
    const std::string stage = metric.substr(0, metric.find('.') + 1);
    std::vector<std::string> others;
    std::copy_if(all_metrics_.begin(), all_metrics_.end(), std::back_inserter(others),
                 [&](const std::string& name) { return name.starts_with(stage); });
    if (stage.empty() || others.empty()) return;
    std::string hint = did_you_mean(metric, others);
    if (hint.empty()) hint = "; there are " + fit(printable(join(others, ", ")), 200);
    throw Error(fmt::format("no trial has the metric '{}'{}", printable(metric), hint));
  }

  void choose_axes() {
    for (std::size_t axis = 0; axis < axis_count_; ++axis) {
      const bool differs = std::any_of(
          table_.rows().begin(), table_.rows().end(),
          [&](const std::vector<std::string>& row) { return row[axis] != cell(0, axis); });
      if (differs && !turns(axis)) {
        shown_axes_.push_back(axis);
        result_.axes.push_back(table_.columns()[axis]);
      }
      if (!differs && table_.size() > 0) {
        result_.common.emplace_back(table_.columns()[axis], cell(0, axis));
      }
    }
  }

  // Whether trials have different values; trials without a value are ignored.
  bool differs(const std::string& metric) const {
    const std::size_t column = columns_.at(metric);
    const std::string* first = nullptr;
    for (const std::vector<std::string>& row : table_.rows()) {
      if (row[column].empty()) continue;
      if (!first) first = &row[column];
      if (row[column] != *first) return true;
    }
    return false;
  }

  void choose_metrics() {
    std::vector<std::string>& metrics = result_.metrics;
    if (!options_.metrics.empty() && !options_.objective.empty())
      metrics.push_back(options_.objective);  // always show the metric that rows are sorted by
    const auto add = [&](const std::string& name) {
      if (std::find(metrics.begin(), metrics.end(), name) == metrics.end()) metrics.push_back(name);
    };
    for (const std::string& wanted : options_.metrics) {
      const std::vector<std::string> matching = matching_metrics(all_metrics_, wanted);
      if (matching.empty()) check_known(wanted);
      if (matching.empty()) add(wanted);
      for (const std::string& name : matching) add(name);
    }
    if (!options_.metrics.empty()) return;
    std::vector<std::string> telling;
    std::copy_if(all_metrics_.begin(), all_metrics_.end(), std::back_inserter(telling),
                 [&](const std::string& metric) { return differs(metric); });
    if (!options_.objective.empty()) metrics.push_back(options_.objective);
    for (const std::string& metric : telling.empty() ? all_metrics_ : telling) {
      if (metric != options_.objective) metrics.push_back(metric);
    }
    if (options_.most_metrics > 0 && metrics.size() > options_.most_metrics) {
      metrics.resize(options_.most_metrics);
    }
    const auto shown =
        std::count_if(metrics.begin(), metrics.end(),
                      [&](const std::string& metric) { return columns_.contains(metric); });
    result_.metrics_left_out = all_metrics_.size() - static_cast<std::size_t>(shown);
  }

  std::vector<Group> groups() const {
    std::vector<Group> found;
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t row = 0; row < table_.size(); ++row) {
      std::string key;
      for (std::size_t axis = 0; axis < axis_count_; ++axis) {
        if (!turns(axis)) append_field(key, cell(row, axis));
      }
      if (options_.each) append_field(key, std::to_string(row));
      const auto [place, added] = places.emplace(std::move(key), found.size());
      if (added) found.emplace_back();
      found[place->second].push_back(row);
    }
    return found;
  }

  MeanInterval interval(const Group& group, const std::string& metric) const {
    const auto column = columns_.find(metric);
    if (column == columns_.end()) return {};
    std::vector<double> values;
    for (const std::size_t row : group) values.push_back(number(row, column->second));
    if (split_metric(metric,
                     options_.without_seeds)) {  // seeds do not change it: one measurement
      std::erase_if(values, [](double value) { return std::isnan(value); });
      values.resize(std::min<std::size_t>(1, values.size()));
    }
    return mean_interval(values);
  }

  std::size_t with_results(const Group& group) const {
    return static_cast<std::size_t>(std::count_if(group.begin(), group.end(), [&](std::size_t row) {
      const std::vector<std::string>& cells = table_.rows()[row];
      return std::any_of(cells.begin() + static_cast<std::ptrdiff_t>(axis_count_) + 1, cells.end(),
                         [](const std::string& text) { return !text.empty(); });
    }));
  }

  std::size_t failed_in(const Group& group) const {
    return static_cast<std::size_t>(std::count_if(group.begin(), group.end(), [&](std::size_t row) {
      return failed_.contains(cell(row, axis_count_));  // the column `trial`
    }));
  }

  // The group's amount of the resource; the same for all groups if there is no resource.
  double amount_of(const Group& group) const {
    const std::vector<std::string>& columns = table_.columns();
    for (std::size_t axis = 0; axis < axis_count_; ++axis) {
      if (columns[axis] == options_.resource) return number(group[0], axis);
    }
    return 0;
  }

  struct Ranked {
    double amount = 0;
    double value = kMissing;  // of the objective
    Comparison::Row row;
  };

  bool comes_before(const Ranked& a, const Ranked& b) const {
    if (a.amount != b.amount) return a.amount > b.amount;
    if (std::isnan(a.value) || std::isnan(b.value))
      return !std::isnan(a.value) && std::isnan(b.value);
    return options_.maximise ? a.value > b.value : a.value < b.value;
  }

  void make_rows() {
    std::vector<Ranked> ranked;
    for (const Group& group : groups()) {
      Comparison::Row row;
      for (const std::size_t axis : shown_axes_) row.values.push_back(cell(group[0], axis));
      row.trials = group.size();
      for (const std::string& metric : result_.metrics) {
        row.metrics.push_back(interval(group, metric));
      }
      const bool aimed = !options_.objective.empty();
      const MeanInterval reached = aimed ? interval(group, options_.objective) : MeanInterval{};
      const bool seeded = aimed && !split_metric(options_.objective, options_.without_seeds);
      row.seeds = seeded ? reached.count : with_results(group);
      result_.replicated = result_.replicated || row.trials > 1;
      row.failed = failed_in(group);
      ranked.push_back({amount_of(group), reached.mean, std::move(row)});
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [&](const Ranked& a, const Ranked& b) { return comes_before(a, b); });
    const auto best = std::find_if(ranked.begin(), ranked.end(), [](const Ranked& one) {
      return !std::isnan(one.value) && one.row.failed == 0;
    });
    const Ranked first = best == ranked.end() ? Ranked() : *best;
    const std::size_t most = options_.most_rows > 0 ? options_.most_rows : ranked.size();
    for (Ranked& one : ranked) {
      one.row.best = one.value == first.value && one.amount == first.amount && one.row.failed == 0;
      if (result_.rows.size() < most) result_.rows.push_back(std::move(one.row));
    }
    result_.rows_left_out = ranked.size() - result_.rows.size();
  }

  const Table& table_;
  const ComparisonOptions& options_;
  const std::size_t axis_count_;
  const std::vector<std::string> all_metrics_;
  std::unordered_map<std::string, std::size_t> columns_;  // metric columns
  std::vector<std::size_t> shown_axes_;
  const std::unordered_set<std::string> failed_;
  Comparison result_;
};

}  // namespace

Comparison compare_trials(const Table& table, const ComparisonOptions& options) {
  return Comparer(table, options).compare();
}

}  // namespace headway
