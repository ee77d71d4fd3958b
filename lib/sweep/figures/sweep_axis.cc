#include "lib/sweep/figures/sweep_axis.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "lib/base/text.h"
#include "lib/numerics/table.h"

namespace headway {
namespace {

constexpr const char* kNoValue = "(none)";  // an empty cell: the trial has no such parameter

std::optional<double> number_in(const std::string& cell) {
  double number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

// The cells as numbers; nullopt if one is not a number.
std::optional<std::vector<double>> numbers_in(const std::vector<std::string>& cells) {
  std::vector<double> numbers;
  for (const std::string& cell : cells) {
    const std::optional<double> number = number_in(cell);
    if (!number) return std::nullopt;
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
  std::vector<std::string>& labels = result.axis.labels;
  for (const std::string& cell : cells) {
    const std::string label = cell.empty() ? kNoValue : cell;
    const auto found = std::find(labels.begin(), labels.end(), label);
    result.places.push_back(static_cast<std::size_t>(found - labels.begin()));
    if (found != labels.end()) continue;
    labels.push_back(label);
    result.axis.numbers.push_back(static_cast<double>(labels.size()));
  }
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

}  // namespace

double SweepAxis::share(std::size_t value) const {
  if (size() == 1) return 0.5;
  const auto place = [this](double number) {
    return scale == AxisScale::kLogarithmic ? std::log(number) : number;
  };
  const double low = place(numbers.front()), high = place(numbers.back());
  return (place(numbers[value]) - low) / (high - low);
}

double SweepAxis::smallest_gap() const {
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

std::vector<std::string> short_names(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    std::size_t parts = 1;
    const auto is_shared = [&](const std::string& other) {
      return other != column && path_end(other, parts) == path_end(column, parts);
    };
    while (path_end(column, parts) != column &&
           std::any_of(columns.begin(), columns.end(), is_shared)) {
      ++parts;
    }
    names.push_back(path_end(column, parts));
  }
  return names;
}

}  // namespace headway
