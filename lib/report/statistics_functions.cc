// Template functions for intervals and tests. Their optional last argument is the number of
// comparisons made together, so that all of them hold at 95 %.
#include <algorithm>
#include <cmath>
#include <map>

#include "lib/base/error.h"
#include "lib/numerics/statistics.h"
#include "lib/report/functions.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

std::size_t comparisons(FunctionCall& call, std::size_t argument) {
  return call.size() > argument ? std::max<std::size_t>(1, call.count(argument)) : 1;
}

// wilson_low(right, count [, comparisons])
Interval share(FunctionCall& call) {
  const std::size_t right = call.count(0), count = call.count(1);
  if (right > count || count == 0) throw Error("of 'count' answers, 'right' are at most all");
  return share_interval(static_cast<std::int64_t>(right), static_cast<std::int64_t>(count),
                        deviations_for(comparisons(call, 2)));
}

// "94.8 % (92.1–96.5)", with the 95 % interval; no value if the count is 0
TemplateValue share_text(FunctionCall& call) {
  if (call.count(1) == 0) return {};
  const Interval interval = share(call);
  return percent_with_bounds(interval.value, interval.low, interval.high);
}

// difference_low(right, count, other_right, other_count [, comparisons])
Interval difference(FunctionCall& call) {
  std::int64_t numbers[4];
  for (std::size_t i = 0; i < 4; ++i) numbers[i] = static_cast<std::int64_t>(call.count(i));
  if (numbers[0] > numbers[1] || numbers[2] > numbers[3] || numbers[1] == 0 || numbers[3] == 0)
    throw Error("of 'count' answers, 'right' are at most all");
  return share_difference(numbers[0], numbers[1], numbers[2], numbers[3],
                          deviations_for(comparisons(call, 4)));
}

std::vector<double> known_numbers(FunctionCall& call, const TableRows& table,
                                  std::size_t argument) {
  std::vector<double> numbers = call.numbers(table, argument);
  std::erase_if(numbers, [](double number) { return std::isnan(number); });
  return numbers;
}

// mean_difference_low(table, number, other_table, other_number [, comparisons]): Welch's interval
Interval means_difference(FunctionCall& call) {
  const std::vector<double> values = known_numbers(call, *call.table(0), 1);
  const std::vector<double> others = known_numbers(call, *call.table(2), 3);
  return mean_difference(values, others, comparisons(call, 4));
}

// The mean of each group of rows with equal columns; groups have equal weight.
void add_groups(FunctionCall& call, const TableRows& table, double sign,
                std::vector<WeightedMean>& means) {
  const std::vector<double> numbers = call.numbers(table, 3);
  const std::vector<std::string> columns = call.names(2, 3);
  std::map<std::vector<std::string>, std::vector<double>> groups;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::vector<std::string> key;
    for (const std::string& column : columns)
      key.push_back(exact_text(cell_at({table.source, table.rows[i]}, column)));
    if (!std::isnan(numbers[i])) groups[key].push_back(numbers[i]);
  }
  for (auto& [key, values] : groups)
    means.push_back({std::move(values), sign / static_cast<double>(groups.size())});
}

// group_difference_low(table, other, columns, number [, comparisons]): for means of groups
Interval group_difference(FunctionCall& call) {
  std::vector<WeightedMean> means;
  add_groups(call, *call.table(0), 1, means);
  add_groups(call, *call.table(1), -1, means);
  return sum_of_means(means, comparisons(call, 4));
}

template <double (*kCorrelation)(const std::vector<double>&, const std::vector<double>&)>
TemplateValue correlation(FunctionCall& call) {
  const auto table = call.table(0);
  constexpr std::size_t kStepsPerRow = 1000;  // a permutation test needs thousands
  call.evaluator().count_steps(kStepsPerRow * table->rows.size());
  return number_value(kCorrelation(call.numbers(*table, 1), call.numbers(*table, 2)));
}

template <Interval (*kInterval)(FunctionCall&), double Interval::*kBound>
TemplateValue bound(FunctionCall& call) {
  return number_value(kInterval(call).*kBound);
}

}  // namespace

std::vector<TemplateFunction> statistics_functions() {
  const std::string share_usage = "(right, count [, comparisons])";
  const std::string counts = "(right, count, right, count [, comparisons])";
  const std::string means = "(table, number, table, number [, comparisons])";
  const std::string groups = "(table, table, columns, number [, comparisons])";
  return {
      {"share" + share_usage, 2, 3, {}, share_text},
      {"wilson_low" + share_usage, 2, 3, {}, bound<share, &Interval::low>},
      {"wilson_high" + share_usage, 2, 3, {}, bound<share, &Interval::high>},
      {"difference_low" + counts, 4, 5, {}, bound<difference, &Interval::low>},
      {"difference_high" + counts, 4, 5, {}, bound<difference, &Interval::high>},
      {"spearman(table, number, number)", 3, 3, {1, 2}, correlation<rank_correlation>},
      {"spearman_p(table, number, number)", 3, 3, {1, 2}, correlation<rank_correlation_p>},
      {"group_difference_low" + groups, 4, 5, {3}, bound<group_difference, &Interval::low>},
      {"group_difference_high" + groups, 4, 5, {3}, bound<group_difference, &Interval::high>},
      {"mean_difference_low" + means, 4, 5, {1, 3}, bound<means_difference, &Interval::low>},
      {"mean_difference_high" + means, 4, 5, {1, 3}, bound<means_difference, &Interval::high>},
  };
}

}  // namespace headway
