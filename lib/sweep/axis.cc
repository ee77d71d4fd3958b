#include "lib/sweep/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

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

std::string cut(std::string_view text) {
  return fit(printable(text), 40);
}

RangeText take_apart(const std::string& text) {
  static const std::vector<std::string> kScales = {"log", "lin", "int"};
  const std::string quoted = "'" + cut(text) + "'";
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() == 1)
    throw Error(
        "{} is neither a list nor a range; write [{}], or a range such as log:1e-4..1e-1:4 or "
        "int:1..8",
        quoted, cut(text));
  const std::string scale(trim(parts[0]));
  if (std::ranges::find(kScales, scale) == kScales.end())
    throw Error("unknown scale '{}' of a range; there are log, lin and int{}", cut(scale),
                did_you_mean(scale, kScales));
  const std::string form = fmt::format("write {0}:LOW..HIGH or {0}:LOW..HIGH:{1}", scale,
                                       scale == "int" ? "STEP" : "COUNT");
  const std::size_t dots = parts[1].find("..");
  if (dots == std::string::npos || parts[1].find("..", dots + 1) != std::string::npos)
    throw Error("{} is no range: its ends have two dots between them; {}", quoted, form);
  if (parts.size() > 3 || (parts.size() == 3 && trim(parts[2]).empty()))
    throw Error("{} is no range; {}", quoted, form);
  return {scale, std::string(trim(parts[1].substr(0, dots))),
          std::string(trim(parts[1].substr(dots + 2))),
          parts.size() == 3 ? std::string(trim(parts[2])) : ""};
}

double read_number(const std::string& text, const char* what) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range)
    throw Error("{} '{}' is too large or too small", what, cut(text));
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    throw Error("{} '{}' is not a number", what, cut(text));
  return number;
}

double read_whole(const std::string& text, const char* what, const char* why) {
  const double number = read_number(text, what);
  if (number != std::floor(number)) throw Error("{} '{}' is not a whole number{}", what, text, why);
  if (std::abs(number) > kLargestWhole) throw Error("{} '{}' is too large", what, text);
  return number;
}

bool written_as_integer(const std::string& text) {
  return text.find_first_not_of("+-0123456789") == std::string::npos;
}

std::size_t read_count(const std::string& text) {
  const double count = read_whole(text, "the number of points", "");
  if (count < 2) throw Error("{} points; a range needs at least 2", text);
  if (count > static_cast<double>(kMostPoints))
    throw Error("{} points; at most {} are allowed", text, kMostPoints);
  return static_cast<std::size_t>(count);
}

std::vector<double> exact_points(const AxisRange& range, std::size_t count) {
  std::vector<double> points = {range.low};
  const double zero = 1e-12 * std::max(std::abs(range.low), std::abs(range.high));
  for (std::size_t i = 1; i + 1 < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
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
std::vector<double> points_of(const AxisRange& range, std::size_t count) {
  constexpr double kMostShift = 0.05;  // as a share of the distance to the next point
  std::vector<double> exact = exact_points(range, count);
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

void read_steps(const RangeText& text, const SourceLocation& location, Axis& axis) {
  const double low = read_whole(text.low, "the low end", "; use lin for numbers between");
  const double high = read_whole(text.high, "the high end", "; use lin for numbers between");
  if (high < low) throw Error("the high end {} is below the low end {}", text.high, text.low);
  const double step = text.third.empty() ? 1 : read_whole(text.third, "the step", "");
  if (step < 1) throw Error("the step {} is below 1", text.third);
  if (!text.third.empty() && step > high - low)
    throw Error(
        "the step {} is larger than the whole range; the last number of int: is "
        "a step, not a count",
        text.third);
  axis.range = {false, low, high, true};
  const double count = std::floor((high - low) / step) + 1;
  if (count > static_cast<double>(kMostPoints)) {
    if (text.third.empty()) return;
    throw Error("{} points; at most {} are allowed, so take a larger step", number_text(count),
                kMostPoints);
  }
  for (double i = 0; i < count; ++i)
    axis.values.push_back(number_value(low + step * i, true, location));
}

// Sets the range, and the values if it has points. Throws Error that says what is wrong with the
// text and how to write it.
void read_range(const std::string& text, bool whole, const SourceLocation& location, Axis& axis) {
  const RangeText parts = take_apart(text);
  if (parts.scale == "int") return read_steps(parts, location, axis);
  const auto read_end = [&](const std::string& end, const char* what) {
    return whole ? read_whole(end, what, ", but the parameter is an integer")
                 : read_number(end, what);
  };
  const AxisRange range{parts.scale == "log", read_end(parts.low, "the low end"),
                        read_end(parts.high, "the high end"), whole};
  if (range.logarithmic && range.low <= 0)
    throw Error("the low end {} of a log range is not above 0; use lin", parts.low);
  if (range.high <= range.low)
    throw Error("the high end {} is {} the low end {}", parts.high,
                range.high < range.low ? "below" : "the same as", parts.low);
  axis.range = range;
  if (parts.third.empty()) return;
  const std::vector<double> points = points_of(range, read_count(parts.third));
  const bool integers =
      whole || (written_as_integer(parts.low) && written_as_integer(parts.high) &&
                std::ranges::all_of(points, [](double point) {
                  return point == std::floor(point) && std::abs(point) <= kLargestWhole;
                }));
  for (const double point : points) axis.values.push_back(number_value(point, integers, location));
}

// Equal for values that mean the same: 1 and 1.0 would be the same trial.
std::string identity_of(const Value& value) {
  const double* real = value.real();
  const bool integral = real && std::abs(*real) < 1e15 && *real == std::floor(*real);
  return integral ? std::to_string(static_cast<std::int64_t>(*real)) : to_line(to_json(value));
}

bool check_list(const ValueList& list, const SourceLocation& location, const std::string& subject,
                Diagnostics& diagnostics) {
  if (list.empty()) {
    diagnostics.add(location, subject + ": the list is empty; give it at least one value");
    return false;
  }
  std::set<std::string> seen;
  bool good = true;
  for (const Value& value : list) {
    if (seen.insert(identity_of(value)).second) continue;
    const std::string text = value.text() ? *value.text() : to_line(to_json(value));
    diagnostics.add(value.location, "{}: the value {} is listed twice", subject, cut(text));
    good = false;
  }
  return good;
}

}  // namespace

std::optional<Axis> read_axis(const std::string& path, const SourceLocation& location,
                              const Value& declared, bool whole, Diagnostics& diagnostics) {
  const std::string subject = fmt::format("axis '{}'", printable(path));
  Axis axis{path, location, {}, {}};
  if (const ValueList* list = declared.list()) {
    if (!check_list(*list, declared.location, subject, diagnostics)) return std::nullopt;
    axis.values = *list;
    return axis;
  }
  if (!declared.text()) {
    diagnostics.add(declared.location,
                    "{}: expected a list of values or a range such as log:1e-4..1e-1:4, got {}",
                    subject, declared.describe());
    return std::nullopt;
  }
  try {
    read_range(*declared.text(), whole, declared.location, axis);
  } catch (const Error& error) {
    diagnostics.add(declared.location, "{}: {}", subject, error.what());
    return std::nullopt;
  }
  return axis;
}

double rounded_to_digits(double number, int digits) {
  double rounded = number;
  const std::string text = fmt::format("{:.{}e}", number, digits - 1);
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

}  // namespace headway
