#include "lib/numerics/intervals.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace headway {
namespace {

constexpr double kZ = kDeviations95;

}  // namespace

double deviations_for(std::size_t comparisons) {
  if (comparisons <= 1) return kDeviations95;
  const double outside = 0.05 / static_cast<double>(comparisons);
  double low = 0, high = 40;
  for (int halvings = 0; halvings < 80; ++halvings) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > outside ? low : high) = middle;
  }
  return (low + high) / 2;
}

Interval share_interval(std::int64_t right, std::int64_t count, double deviations) {
  if (count == 0) return {0, 0, 1};
  const double z = deviations;
  const auto n = static_cast<double>(count);
  const double share = static_cast<double>(right) / n;
  const double weight = 1 + z * z / n;
  const double middle = (share + z * z / (2 * n)) / weight;
  const double half = z / weight * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  // The exact bounds are within 0..1 and around the share; clamping removes rounding errors.
  return {share, std::clamp(middle - half, 0.0, share), std::clamp(middle + half, share, 1.0)};
}

Interval share_difference(std::int64_t right, std::int64_t count, std::int64_t other_right,
                          std::int64_t other_count, double deviations) {
  if (count == 0 || other_count == 0) return {0, -1, 1};
  const Interval a = share_interval(right, count, deviations);
  const Interval b = share_interval(other_right, other_count, deviations);
  const double difference = a.value - b.value;
  return {difference, difference - std::hypot(a.value - a.low, b.high - b.value),
          difference + std::hypot(a.high - a.value, b.value - b.low)};
}

double sign_test(std::size_t better, std::size_t worse) {
  const std::size_t pairs = better + worse, fewer = std::min(better, worse);
  if (pairs == 0) return 1;
  const auto n = static_cast<double>(pairs);
  double tail = 0;
  for (std::size_t k = 0; k <= fewer; ++k) {
    const auto i = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) -
                     n * std::log(2.0));
  }
  return std::min(1.0, 2 * tail);
}

Interval paired_drop(std::span<const std::uint8_t> before, std::span<const std::uint8_t> after) {
  assert(before.size() == after.size());
  double lost = 0, won = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    lost += before[i] && !after[i];
    won += !before[i] && after[i];
  }
  const auto n = static_cast<double>(before.size());
  if (n == 0) return {0, -1, 1};
  // Adds half a sample to each of the four cells.
  const double count = n + 2, b = lost + 0.5, c = won + 0.5;
  const double middle = (b - c) / count;
  const double half = kZ * std::sqrt(b + c - (b - c) * (b - c) / count) / count;
  const double drop = (lost - won) / n;
  return {drop, std::max(-1.0, std::min(drop, middle - half)),
          std::min(1.0, std::max(drop, middle + half))};
}

}  // namespace headway
