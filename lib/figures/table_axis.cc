#include "lib/figures/table_axis.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "lib/numerics/table.h"

namespace headway {
namespace {

const std::string kNoValue = "(none)";  // an empty cell

// The cells as numbers; nullopt if one is not a number.
std::optional<std::vector<double>> numbers_in(const std::vector<std::string>& cells) {
  std::vector<double> numbers;
  for (const std::string& cell : cells) {
    const std::optional<double> number = parse_number(cell);
    if (!number || !std::isfinite(*number)) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

PlacedAxis axis_of_numbers(const std::vector<double>& cells) {
  PlacedAxis result;
  std::vector<double>& numbers = result.axis.numbers;
  numbers = cells;
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (const double number : numbers) result.axis.labels.push_back(number_text(number));
  for (const double cell : cells) {
    const auto found = std::lower_bound(numbers.begin(), numbers.end(), cell);
    result.places.push_back(static_cast<std::size_t>(found - numbers.begin()));
  }
  result.axis.scale = are_spaced_by_ratio(numbers) ? AxisScale::kLogarithmic : AxisScale::kLinear;
  return result;
}

PlacedAxis axis_of_categories(const std::vector<std::string>& cells) {
  PlacedAxis result;
  std::unordered_map<std::string_view, std::size_t> places;  // a column may have many texts
  for (const std::string& cell : cells) {
    const std::string& label = cell.empty() ? kNoValue : cell;
    const auto [place, is_new] = places.emplace(label, places.size());
    if (is_new) result.axis.labels.push_back(label);
    result.places.push_back(place->second);
  }
  result.axis.numbers.resize(result.axis.size());
  std::iota(result.axis.numbers.begin(), result.axis.numbers.end(), 1);
  return result;
}

// How uneven the steps between neighbours are: standard deviation divided by mean.
double unevenness(const std::vector<double>& numbers) {
  const double count = static_cast<double>(numbers.size() - 1);
  const double mean = (numbers.back() - numbers.front()) / count;
  double squares = 0;
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const double step = numbers[i] - numbers[i - 1];
    squares += (step - mean) * (step - mean);
  }
  return std::sqrt(squares / count) / mean;
}

}  // namespace

double TableAxis::place(double number) const {
  return scale == AxisScale::kLogarithmic ? std::log(number) : number;
}

double TableAxis::share(std::size_t value) const {
  if (size() == 1) return 0.5;
  const double low = place(numbers.front()), high = place(numbers.back());
  return (place(numbers[value]) - low) / (high - low);
}

double TableAxis::smallest_gap() const {
  double smallest = 1;
  for (std::size_t i = 1; i < size(); ++i) smallest = std::min(smallest, share(i) - share(i - 1));
  return smallest;
}

PlacedAxis read_axis(const std::string& column, const std::vector<std::string>& cells) {
  const std::optional<std::vector<double>> numbers = numbers_in(cells);
  PlacedAxis result = numbers ? axis_of_numbers(*numbers) : axis_of_categories(cells);
  result.axis.column = column;
  result.axis.name = column;
  return result;
}

bool are_spaced_by_ratio(const std::vector<double>& numbers) {
  constexpr double kEven = 0.15;  // lets 1, 2, 5, 10 and 1e-4, 3e-4, 1e-3 pass, but not 1, 2, 3
  constexpr double kWide = 10;
  if (numbers.size() < 3 || numbers.front() <= 0) return false;
  std::vector<double> logarithms;
  for (const double number : numbers) logarithms.push_back(std::log(number));
  const double by_ratio = unevenness(logarithms);
  if (by_ratio >= unevenness(numbers)) return false;
  return by_ratio < kEven || numbers.back() / numbers.front() >= kWide;
}

}  // namespace headway
