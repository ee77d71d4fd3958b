#include "lib/sweep/comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "lib/base/digest.h"
#include "lib/base/error.h"
#include "lib/base/index.h"
#include "lib/base/text.h"
#include "lib/spec/overrides.h"
#include "lib/sweep/trial_table.h"

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
    for (std::size_t i = 0; i < all_metrics_.size(); ++i)
      columns_[all_metrics_[i]] = axis_count_ + 1 + i;
  }

  Comparison compare() {
    result_.objective = options_.objective;
    result_.maximise = options_.maximise;
    result_.resource = options_.resource;
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
    const std::optional<double> value = parse_number(cell(row, column));
    return value ? *value : table_.number(row, table_.columns()[column]);  // throws for other text
  }

  bool turns(std::size_t axis) const {
    return !options_.each && is_replicate(table_.columns()[axis]);
  }

  // A metric of a stage that has not run yet is unknown, but not wrong.
  void check_known(const std::string& metric) const {
    if (metric.empty() || columns_.contains(metric)) return;
    const std::string stage = metric.substr(0, metric.find('.') + 1);
    std::vector<std::string> others;
    std::ranges::copy_if(all_metrics_, std::back_inserter(others),
                         [&](const std::string& name) { return name.starts_with(stage); });
    if (stage.empty() || others.empty()) return;
    std::string hint = did_you_mean(metric, others);
    if (hint.empty()) hint = "; there are " + fit(printable(join(others, ", ")), 200);
    throw Error("no trial has the metric '{}'{}", printable(metric), hint);
  }

  void choose_axes() {
    for (std::size_t axis = 0; axis < axis_count_; ++axis) {
      const bool differs = std::ranges::any_of(
          table_.rows(), [&](const auto& row) { return row[axis] != cell(0, axis); });
      if (differs && !turns(axis)) {
        shown_axes_.push_back(axis);
        result_.axes.push_back(table_.columns()[axis]);
      }
      if (!differs && table_.size() > 0)
        result_.common.emplace_back(table_.columns()[axis], cell(0, axis));
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

  // How much a metric differs between configurations, compared with seeds; without seeds, compared
  // with its size. What seeds do not change at all says little about the trials: it is negative.
  double difference(const std::string& metric, const std::vector<Group>& configurations) const {
    std::vector<double> means;
    double within = 0, size = 0;
    bool has_seeds = false;
    for (const Group& group : configurations) {
      const MeanInterval mean = interval(group, metric);
      if (std::isnan(mean.mean)) continue;
      means.push_back(mean.mean);
      size += std::abs(mean.mean);
      has_seeds = has_seeds || mean.count > 1;
      if (mean.count > 1) within = std::max(within, mean.half_width);
    }
    if (means.empty()) return -1;
    const auto [low, high] = std::ranges::minmax(means);
    if (!has_seeds) return size == 0 ? 0 : (high - low) * static_cast<double>(means.size()) / size;
    return within == 0 ? -1 : (high - low) / within;
  }

  // Those that differ, or all if none does; those that differ most come first.
  std::vector<std::string> telling_metrics() const {
    std::vector<std::string> telling;
    std::ranges::copy_if(all_metrics_, std::back_inserter(telling),
                         [&](const std::string& metric) { return differs(metric); });
    if (telling.empty()) return all_metrics_;
    const std::vector<Group> configurations = groups();
    std::unordered_map<std::string, double> differences;
    for (const std::string& metric : telling)
      differences[metric] = difference(metric, configurations);
    std::ranges::stable_sort(telling, std::greater(),
                             [&](const std::string& metric) { return differences[metric]; });
    return telling;
  }

  void choose_metrics() {
    std::vector<std::string>& metrics = result_.metrics;
    const auto add = [&](const std::string& name) { place_of(name, metrics); };
    // Always shows the metric that rows are sorted by.
    if (!options_.objective.empty()) add(options_.objective);
    for (const std::string& wanted : options_.metrics) {
      const std::vector<std::string> matching = matching_metrics(all_metrics_, wanted);
      if (matching.empty()) check_known(wanted);
      if (matching.empty()) add(wanted);
      for (const std::string& name : matching) add(name);
    }
    if (!options_.metrics.empty()) return;
    for (const std::string& name : options_.expected) {
      if (columns_.contains(name)) add(name);
    }
    std::ranges::for_each(telling_metrics(), add);
    if (options_.most_metrics > 0 && metrics.size() > options_.most_metrics)
      metrics.resize(options_.most_metrics);
    const auto shown = std::ranges::count_if(
        metrics, [&](const std::string& metric) { return columns_.contains(metric); });
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
    if (split_metric(metric, options_.without_seeds)) {  // one measurement
      std::erase_if(values, [](double value) { return std::isnan(value); });
      values.resize(std::min<std::size_t>(1, values.size()));
    }
    return mean_interval(values, range_of(metric));
  }

  // What the metric can be, by its values in all trials.
  const ValueRange& range_of(const std::string& metric) const {
    const auto [known, is_new] = ranges_.try_emplace(metric);
    if (is_new) known->second = natural_range(metric, values_of(metric));
    return known->second;
  }

  std::vector<double> values_of(const std::string& metric) const {
    std::vector<double> values;
    for (std::size_t row = 0; row < table_.size(); ++row)
      values.push_back(number(row, columns_.at(metric)));
    return values;
  }

  template <class Condition>
  static std::size_t count_in(const Group& group, Condition condition) {
    return static_cast<std::size_t>(std::ranges::count_if(group, condition));
  }

  bool has_results(std::size_t row) const {
    const std::vector<std::string>& cells = table_.rows()[row];
    return std::any_of(cells.begin() + static_cast<std::ptrdiff_t>(axis_count_) + 1, cells.end(),
                       [](const std::string& text) { return !text.empty(); });
  }

  // The group's amount of the resource; the same for all groups if there is no resource.
  double amount_of(const Group& group) const {
    return table_.has(options_.resource) ? table_.number(group[0], options_.resource) : 0;
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
      for (const std::string& metric : result_.metrics)
        row.metrics.push_back(interval(group, metric));
      const bool aimed = !options_.objective.empty();
      const MeanInterval reached = aimed ? interval(group, options_.objective) : MeanInterval{};
      const bool seeded = aimed && !split_metric(options_.objective, options_.without_seeds);
      row.seeds = seeded ? reached.count
                         : count_in(group, [&](std::size_t trial) { return has_results(trial); });
      result_.replicated = result_.replicated || row.trials > 1;
      row.failed = count_in(group, [&](std::size_t trial) {
        return failed_.contains(cell(trial, axis_count_));  // the column `trial`
      });
      ranked.push_back({amount_of(group), reached.mean, std::move(row)});
    }
    std::ranges::stable_sort(ranked,
                             [&](const Ranked& a, const Ranked& b) { return comes_before(a, b); });
    const auto best = std::ranges::find_if(
        ranked, [](const Ranked& one) { return !std::isnan(one.value) && one.row.failed == 0; });
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
  std::unordered_map<std::string, std::size_t> columns_;        // metric columns
  mutable std::unordered_map<std::string, ValueRange> ranges_;  // of metrics, as far as asked for
  std::vector<std::size_t> shown_axes_;
  const std::unordered_set<std::string> failed_;
  Comparison result_;
};

}  // namespace

Comparison compare_trials(const Table& table, const ComparisonOptions& options) {
  return Comparer(table, options).compare();
}

}  // namespace headway
