#include "lib/report/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <span>

namespace headway {
namespace {

std::string without_trailing_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number == "-0" ? "0" : number;
}

// Values that rounding must not reach: they mean all or nothing.
constexpr std::array kShareEnds = {0.0, 100.0};
// The same for points, and the limits of the classes of heads (lib/analysis/ablation.h).
constexpr std::array kPointBorders = {0.0, 1.0, 10.0, 100.0};

// Rounds to this many decimals, or more if rounding would reach a border. A difference below eight
// decimals is a rounding error.
std::string rounded_beside(double value, int decimals, std::span<const double> borders) {
  for (; decimals < 8; ++decimals) {
    std::string text = fmt::format("{:.{}f}", value, decimals);
    const double rounded = std::stod(text);
    const bool reaches = rounded != value && std::find(borders.begin(), borders.end(),
                                                       std::fabs(rounded)) != borders.end();
    if (!reaches) return text;
  }
  return fmt::format("{:.8f}", value);
}

bool all_finite(std::initializer_list<double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

// Two decimals near 0 and 100.
int percent_decimals(double percent) {
  return percent < 10 || percent > 99 ? 2 : 1;
}

int point_decimals(double points) {
  return std::fabs(points) < 10 ? 2 : 1;
}

std::string percent_number(double share) {
  const double percent = 100 * share;
  return without_trailing_zeros(rounded_beside(percent, percent_decimals(percent), kShareEnds));
}

std::string points_number(double points) {
  return without_trailing_zeros(rounded_beside(points, point_decimals(points), kPointBorders));
}

std::string points_with_unit(const std::string& number) {
  return number + (number == "1" || number == "-1" ? " point" : " points");
}

int decimals_in(const std::string& number) {
  const std::size_t dot = number.find('.');
  return dot == std::string::npos ? 0 : static_cast<int>(number.size() - dot) - 1;
}

// Formats the numbers of a sentence with the same number of decimals, at most two ("86.1 to 89.0").
// Exactly 0 and 100 get none.
std::vector<std::string> rounded_alike(const std::vector<double>& values,
                                       std::span<const double> borders,
                                       int (*decimals_of)(double)) {
  int most = 0;
  for (const double value : values) {
    const std::string text = rounded_beside(value, decimals_of(value), borders);
    most = std::max(most, std::min(2, decimals_in(without_trailing_zeros(text))));
  }
  std::vector<std::string> texts;
  for (const double value : values) {
    const std::string text = rounded_beside(value, most, borders);
    const std::string bare = without_trailing_zeros(text);
    texts.push_back(bare == "0" || bare == "100" ? bare : text);
  }
  return texts;
}

}  // namespace

std::string percent_text(double share) {
  return std::isfinite(share) ? percent_number(share) + " %" : "not measured";
}

std::string percent_with_interval(double share, double low, double high) {
  if (!all_finite({share, low, high})) return percent_text(share);
  const std::vector<std::string> numbers =
      rounded_alike({100 * share, 100 * low, 100 * high}, kShareEnds, percent_decimals);
  return fmt::format("{} % (95 % interval {} to {} %)", numbers[0], numbers[1], numbers[2]);
}

std::string percent_with_bounds(double share, double low, double high) {
  if (!all_finite({share, low, high})) return percent_text(share);
  return fmt::format("{} % ({}–{})", percent_number(share), percent_number(low),
                     percent_number(high));
}

std::string points_text(double points) {
  return std::isfinite(points) ? points_with_unit(points_number(points)) : "not measured";
}

std::string points_with_interval(double points, double low, double high) {
  if (!all_finite({points, low, high})) return points_text(points);
  const std::vector<std::string> numbers =
      rounded_alike({points, low, high}, kPointBorders, point_decimals);
  return fmt::format("{} (95 % interval {} to {})", points_with_unit(numbers[0]), numbers[1],
                     numbers[2]);
}

std::string count_text(std::size_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string counted(std::size_t count, std::string_view singular) {
  return counted(count, singular, std::string(singular) + "s");
}

std::string counted(std::size_t count, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", count_text(count), count == 1 ? singular : plural);
}

std::string n_of_m(std::size_t count, std::size_t all, std::string_view plural) {
  return fmt::format("{} of {} {}", count_text(count), count_text(all), plural);
}

std::string decimal_text(double value, int significant) {
  if (!std::isfinite(value)) return "not measured";
  const std::string text = fmt::format("{:.{}g}", value, significant);
  // Avoids "1.23e+03" for 1234.
  if (text.find("e+") != std::string::npos && std::fabs(value) < 1e15)
    return fmt::format("{:.0f}", value);
  return text == "-0" ? "0" : text;
}

std::string enumerated(const std::vector<std::string>& words, std::size_t most) {
  std::vector<std::string> parts = words;
  if (most > 0 && words.size() > most + 1) {
    parts.resize(most);
    parts.push_back(fmt::format("{} more", words.size() - most));
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

std::string bullets(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += "- " + sentence + "\n";
  return text;
}

std::string p_text(double p) {
  if (!std::isfinite(p)) return "p not measured";
  return p < 0.001 ? "p < 0.001" : "p = " + decimal_text(p, 2);
}

}  // namespace headway
