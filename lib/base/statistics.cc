#include "lib/base/statistics.h"

#include <array>
#include <cmath>

namespace headway {
namespace {

constexpr double kCovered = 0.95;
constexpr double kNormalQuantile = 1.959963984540054;

// The share of Student's distribution within ±t: a finite sum for a whole number of degrees
// (Abramowitz and Stegun 26.7.3 and 26.7.4).
double share_within(double t, std::size_t degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const bool odd = degrees % 2 == 1;
  double sum = 0;
  double term = odd ? cosine : 1;
  for (std::size_t k = odd ? 1 : 0; k + 2 <= degrees; k += 2) {
    sum += term;
    term *= cosine * cosine * static_cast<double>(k + 1) / static_cast<double>(k + 2);
  }
  return odd ? 2 / std::acos(-1.0) * (angle + sine * sum) : sine * sum;
}

double quantile_by_bisection(std::size_t degrees) {
  double low = kNormalQuantile, high = 13;  // 12.706 is the largest there is, at one degree
  for (int halvings = 0; halvings < 50; ++halvings) {
    const double middle = (low + high) / 2;
    (share_within(middle, degrees) < kCovered ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Its expansion in 1 / degrees around the normal distribution (Abramowitz and Stegun 26.7.5): from
// 100 degrees on the first term left out is below 1e-9.
double quantile_by_expansion(double degrees) {
  const double z = kNormalQuantile, z2 = z * z;
  const double first = z * (z2 + 1) / 4;
  const double second = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  const double fourth = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return z + (first + (second + (third + fourth / degrees) / degrees) / degrees) / degrees;
}

constexpr std::size_t kTabled = 100;

// Kept, because a comparison asks for the same few degrees thousands of times.
const std::array<double, kTabled>& tabled_quantiles() {
  static const std::array<double, kTabled> quantiles = [] {
    std::array<double, kTabled> made{};
    made[0] = std::numeric_limits<double>::infinity();
    for (std::size_t degrees = 1; degrees < kTabled; ++degrees) {
      made[degrees] = quantile_by_bisection(degrees);
    }
    return made;
  }();
  return quantiles;
}

}  // namespace

double student_t(std::size_t degrees) {
  return degrees < kTabled ? tabled_quantiles()[degrees]
                           : quantile_by_expansion(static_cast<double>(degrees));
}

MeanInterval mean_interval(std::span<const double> values) {
  MeanInterval result;
  // Distances from one of the values are summed: equal values have exactly that mean and no width.
  double origin = 0, sum = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    if (result.count++ == 0 && std::isfinite(value)) origin = value;
    sum += value - origin;
  }
  if (result.count == 0) return result;
  const auto count = static_cast<double>(result.count);
  result.mean = origin + sum / count;
  if (result.count == 1) return result;
  double squares = 0;
  for (const double value : values) {
    if (!std::isnan(value)) squares += (value - result.mean) * (value - result.mean);
  }
  result.half_width =
      student_t(result.count - 1) * std::sqrt(squares / (count - 1)) / std::sqrt(count);
  return result;
}

}  // namespace headway
