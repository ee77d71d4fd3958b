#include "lib/report/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace headway {
namespace {

std::string without_trailing_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number == "-0" ? "0" : number;
}

// With that many decimals, and more where rounding would reach 0 or 100 from beside it. What is
// closer than eight decimals tell is an error of adding up.
std::string rounded_beside_ends(double value, int decimals) {
  for (; decimals < 8; ++decimals) {
    const std::string text = fmt::format("{:.{}f}", value, decimals);
    const double shown = std::stod(text);
    const bool reaches_end = shown != value && (shown == 0 || std::fabs(shown) == 100);
    if (!reaches_end) return without_trailing_zeros(text);
  }
  return without_trailing_zeros(fmt::format("{:.8f}", value));
}

// In percent, without the sign. Two decimals where they matter: near the ends.
std::string percent_number(double share) {
  const double percent = 100 * share;
  return rounded_beside_ends(percent, percent < 10 || percent > 99 ? 2 : 1);
}

std::string points_number(double points) {
  return rounded_beside_ends(points, std::fabs(points) < 1 ? 2 : 1);
}

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double mean = static_cast<double>(begin + end - 1) / 2;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = mean;
    begin = end;
  }
  return ranks;
}

}  // namespace

std::string percent_text(double share) {
  return std::isfinite(share) ? percent_number(share) + " %" : "not measured";
}

std::string percent_with_interval(double share, double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high)) return percent_text(share);
  return fmt::format("{} (95 % interval {} to {} %)", percent_text(share), percent_number(low),
                     percent_number(high));
}

std::string points_text(double points) {
  if (!std::isfinite(points)) return "not measured";
  const std::string number = points_number(points);
  return number + (number == "1" || number == "-1" ? " point" : " points");
}

std::string points_with_interval(double points, double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high)) return points_text(points);
  return fmt::format("{} (95 % interval {} to {})", points_text(points), points_number(low),
                     points_number(high));
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
  // "1.23e+03" is how nobody writes 1234.
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

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (a.size() != b.size()) return kNone;
  std::vector<double> x, y;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) continue;
    x.push_back(a[i]);
    y.push_back(b[i]);
  }
  if (x.size() < 3) return kNone;
  x = ranks_of(x);
  y = ranks_of(y);
  const double mean = static_cast<double>(x.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : kNone;
}

}  // namespace headway
