#include "lib/sweep/axis_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/numerics/table.h"

namespace headway {
namespace {

constexpr std::size_t kMostPoints = 10'000;
constexpr double kLargestWhole = 0x1p53;  // every integer up to here is a double

struct RangeText {
  std::string scale;  // log, lin, int
  std::string low, high;
  std::string third;  // COUNT or STEP; empty: none
};

RangeText take_apart(const std::string& text) {
  static const std::vector<std::string> kScales = {"log", "lin", "int"};
  const std::string quoted = fmt::format("'{}'", fit(printable(text), 40));
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() == 1) {
    throw Error(fmt::format(
        "{} is neither a list nor a range; write [{}], or a range such as log:1e-4..1e-1:4 or "
        "int:1..8",
        quoted, fit(printable(text), 40)));
  }
  const std::string scale(trim(parts[0]));
  if (std::find(kScales.begin(), kScales.end(), scale) == kScales.end()) {
    throw Error(fmt::format("unknown scale '{}' of a range; there are log, lin and int{}",
                            fit(printable(scale), 40), did_you_mean(scale, kScales)));
  }
  const std::string form = fmt::format("write {0}:LOW..HIGH or {0}:LOW..HIGH:{1}", scale,
                                       scale == "int" ? "STEP" : "COUNT");
  const std::size_t dots = parts[1].find("..");
  if (dots == std::string::npos || parts[1].find("..", dots + 1) != std::string::npos) {
    throw Error(
        fmt::format("{} is no range: its ends have two dots between them; {}", quoted, form));
  }
  if (parts.size() > 3 || (parts.size() == 3 && trim(parts[2]).empty())) {
    throw Error(fmt::format("{} is no range; {}", quoted, form));
  }
  return {scale, std::string(trim(parts[1].substr(0, dots))),
          std::string(trim(parts[1].substr(dots + 2))),
          parts.size() == 3 ? std::string(trim(parts[2])) : ""};
}

double read_number(const std::string& text, const char* what) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) {
    throw Error(fmt::format("{} '{}' is too large or too small", what, fit(printable(text), 40)));
  }
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    throw Error(fmt::format("{} '{}' is not a number", what, fit(printable(text), 40)));
  }
  return number;
}

double read_whole(const std::string& text, const char* what, const char* why) {
  const double number = read_number(text, what);
  if (number != std::floor(number)) {
    throw Error(fmt::format("{} '{}' is not a whole number{}", what, text, why));
  }
  if (std::abs(number) > kLargestWhole) {
    throw Error(fmt::format("{} '{}' is too large", what, text));
  }
  return number;
}

bool written_as_integer(const std::string& text) {
  return text.find_first_not_of("+-0123456789") == std::string::npos;
}

std::size_t read_count(const std::string& text) {
  const double count = read_whole(text, "the number of points", "");
  if (count < 2) throw Error(fmt::format("{} points; a range needs at least 2", text));
  if (count > static_cast<double>(kMostPoints)) {
    throw Error(fmt::format("{} points; at most {} are allowed", text, kMostPoints));
  }
  return static_cast<std::size_t>(count);
}

std::vector<double> exact_points(const AxisRange& range) {
  std::vector<double> points = {range.low};
  const double zero = 1e-12 * std::max(std::abs(range.low), std::abs(range.high));
  for (std::size_t i = 1; i + 1 < range.points; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(range.points - 1);
    double point = range.logarithmic ? std::pow(range.low, 1 - share) * std::pow(range.high, share)
                                     : range.low * (1 - share) + range.high * share;
    // Between ends such as -0.1 and 0.2, a tiny value is a zero with a rounding error.
    if (!range.logarithmic && std::abs(point) < zero) point = 0;
    if (range.whole) point = std::round(point);
    points.push_back(std::clamp(point, range.low, range.high));
  }
  points.push_back(range.high);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

// Rounds to few digits, unless that would visibly change the distances.
std::vector<double> points_of(const AxisRange& range) {
  constexpr double kMostShift = 0.05;  // as a share of the distance to the next point
  std::vector<double> exact = exact_points(range);
  for (int digits = 4; digits < 17; ++digits) {
    std::vector<double> points = exact;
    bool close = true;
    for (std::size_t i = 1; i + 1 < points.size() && close; ++i) {
      points[i] = rounded_to_digits(exact[i], digits);
      const double distance = std::min(exact[i] - exact[i - 1], exact[i + 1] - exact[i]);
      close = std::abs(points[i] - exact[i]) <= kMostShift * distance;
    }
    if (close) return points;
  }
  return exact;
}

Value number_value(double number, bool integer, const SourceLocation& location) {
  if (integer) return {static_cast<std::int64_t>(number), location};
  return {number, location};
}

RangePoints read_steps(const RangeText& text, const SourceLocation& location) {
  const double low = read_whole(text.low, "the low end", "; use lin for numbers between");
  const double high = read_whole(text.high, "the high end", "; use lin for numbers between");
  if (high < low) {
    throw Error(fmt::format("the high end {} is below the low end {}", text.high, text.low));
  }
  const double step = text.third.empty() ? 1 : read_whole(text.third, "the step", "");
  if (step < 1) throw Error(fmt::format("the step {} is below 1", text.third));
  if (!text.third.empty() && step > high - low) {
    throw Error(
        fmt::format("the step {} is larger than the whole range; the last number of int: is "
                    "a step, not a count",
                    text.third));
  }
  RangePoints result{{false, low, high, 0, true}, {}};
  const double count = std::floor((high - low) / step) + 1;
  if (count > static_cast<double>(kMostPoints)) {
    if (text.third.empty()) return result;
    throw Error(fmt::format("{} points; at most {} are allowed, so take a larger step",
                            number_text(count), kMostPoints));
  }
  result.range.points = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < result.range.points; ++i) {
    result.points.push_back(number_value(low + step * static_cast<double>(i), true, location));
  }
  return result;
}

}  // namespace

double rounded_to_digits(double number, int digits) {
  double rounded = number;
  const std::string text = fmt::format("{:.{}e}", number, digits - 1);
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

RangePoints read_range(const std::string& text, bool whole, const SourceLocation& location) {
  const RangeText parts = take_apart(text);
  if (parts.scale == "int") return read_steps(parts, location);
  const auto read_end = [&](const std::string& end, const char* what) {
    return whole ? read_whole(end, what, ", but the parameter is an integer")
                 : read_number(end, what);
  };
  AxisRange range{parts.scale == "log", read_end(parts.low, "the low end"),
                  read_end(parts.high, "the high end"), 0, whole};
  if (range.logarithmic && range.low <= 0) {
    throw Error(fmt::format("the low end {} of a log range is not above 0; use lin", parts.low));
  }
  if (range.high <= range.low) {
    throw Error(fmt::format("the high end {} is {} the low end {}", parts.high,
                            range.high < range.low ? "below" : "the same as", parts.low));
  }
  if (parts.third.empty()) return {range, {}};
  range.points = read_count(parts.third);
  const std::vector<double> points = points_of(range);
  const bool integers =
      whole || (written_as_integer(parts.low) && written_as_integer(parts.high) &&
                std::all_of(points.begin(), points.end(), [](double point) {
                  return point == std::floor(point) && std::abs(point) <= kLargestWhole;
                }));
  RangePoints result{range, {}};
  result.range.points = points.size();
  for (const double point : points)
    result.points.push_back(number_value(point, integers, location));
  return result;
}

}  // namespace headway
