#include "lib/figures/number_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/text.h"
#include "lib/figures/page.h"
#include "lib/numerics/table.h"

namespace headway {
namespace {

NumberTicks linear_ticks(const Range& range, std::size_t most) {
  const double span = range.high - range.low;
  const double step = round_step(span, static_cast<double>(most));
  NumberTicks ticks;
  // A little over the ends: 3 * 0.1 is above 0.3.
  const double first = std::ceil(range.low / step - 1e-9);
  for (double i = first; i * step <= range.high + 1e-9 * span; ++i) {
    ticks.at.push_back(i * step);
    ticks.labels.push_back(number_within(i * step, 0.01 * step));
    if (ticks.at.size() > 2 * most) break;  // numbers too large for steps of one
  }
  return ticks;
}

bool is_within(const Range& range, double number) {
  return number >= range.low * (1 - 1e-9) && number <= range.high * (1 + 1e-9);
}

// Powers of ten, every `every`th, each times these factors.
NumberTicks decade_ticks(const Range& range, int every, const std::vector<double>& factors) {
  NumberTicks ticks;
  const int first = static_cast<int>(std::floor(std::log10(range.low)));
  const int last = static_cast<int>(std::ceil(std::log10(range.high)));
  for (int power = first; power <= last; ++power) {
    for (double factor = 1; factor < 10; ++factor) {
      const double number = factor * std::pow(10, power);
      if (!is_within(range, number)) continue;
      const bool is_labelled =
          power % every == 0 && std::ranges::find(factors, factor) != factors.end();
      if (is_labelled) {
        ticks.at.push_back(number);
        ticks.labels.push_back(number_text(number));
      } else if (every == 1 || factor == 1) {
        ticks.minor.push_back(number);
      }
    }
  }
  return ticks;
}

NumberTicks log_ticks(const Range& range, std::size_t most) {
  const auto fits = [&](const NumberTicks& ticks) {
    return ticks.at.size() >= 2 && ticks.at.size() <= most;
  };
  for (const std::vector<double>& factors :
       {std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 5}, {1, 3}, {1}}) {
    const NumberTicks ticks = decade_ticks(range, 1, factors);
    if (fits(ticks)) return ticks;
  }
  const double decades = std::log10(range.high) - std::log10(range.low);
  if (decades < 1) return linear_ticks(range, most);
  const int every = static_cast<int>(std::ceil(decades / static_cast<double>(most)));
  return decade_ticks(range, every, {1});
}

}  // namespace

std::string exact(double number) {
  return fmt::format("{}", number);
}

std::string number_within(double number, double tolerance) {
  for (int precision = 6; precision < 17; ++precision) {
    const std::string text =
        precision == 6 ? number_text(number) : fmt::format("{:.{}g}", number, precision);
    if (std::abs(parse_number(text).value_or(0) - number) <= tolerance) return text;
  }
  return exact(number);
}

void RangeFinder::add(double value) {
  if (std::isnan(value)) return;
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
}

Range RangeFinder::range(double margin) const {
  const double low = low_, high = high_;
  if (is_log_) {
    const double ratio = high > low ? std::pow(high / low, margin) : 2;
    return {std::max(low / ratio, std::numeric_limits<double>::min()), high * ratio};
  }
  const double around = high > low ? margin * high - margin * low
                        : low == 0 ? 1
                                   : 0.5 * std::abs(low);
  return {low - around, high + around};
}

std::string NumberTicks::list(bool with_labels) const {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < at.size(); ++i)
    parts.push_back(literal(with_labels ? labels[i] : "") + " " + exact(at[i]));
  for (const double number : minor) parts.push_back(fmt::format("'' {} 1", exact(number)));
  return "(" + join(parts, ", ") + ")";
}

NumberTicks number_ticks(const Range& range, bool is_log, std::size_t most) {
  most = std::max<std::size_t>(most, 1);
  return is_log ? log_ticks(range, most) : linear_ticks(range, most);
}

NumberTicks number_ticks_along(const Range& range, bool is_log, double pixels) {
  const auto place = [&](double number) {
    return is_log ? pixels * std::log(number / range.low) / std::log(range.high / range.low)
                  : pixels * (number - range.low) / (range.high - range.low);
  };
  for (std::size_t most = 10; most > 1; --most) {
    const NumberTicks ticks = number_ticks(range, is_log, most);
    double smallest = pixels;
    for (std::size_t i = 1; i < ticks.at.size(); ++i)
      smallest = std::min(smallest, place(ticks.at[i]) - place(ticks.at[i - 1]));
    if (label_spacing(ticks.labels) <= smallest) return ticks;
  }
  return number_ticks(range, is_log, 1);
}

}  // namespace headway
