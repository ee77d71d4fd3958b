#include "lib/analysis/intervals.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace headway {
namespace {

constexpr double kZ = 1.959963984540054;  // 97.5 % of a normal distribution lie below

}  // namespace

Interval share_interval(std::int64_t right, std::int64_t count) {
  if (count == 0) return {0, 0, 1};
  const auto n = static_cast<double>(count);
  const double share = static_cast<double>(right) / n;
  const double weight = 1 + kZ * kZ / n;
  const double middle = (share + kZ * kZ / (2 * n)) / weight;
  const double half = kZ / weight * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n));
  // The formula meets the ends exactly; rounding must not pass them.
  return {share, std::clamp(middle - half, 0.0, share), std::clamp(middle + half, share, 1.0)};
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
  // Half a sample more in each of the four cells.
  const double count = n + 2, b = lost + 0.5, c = won + 0.5;
  const double middle = (b - c) / count;
  const double half = kZ * std::sqrt(b + c - (b - c) * (b - c) / count) / count;
  const double drop = (lost - won) / n;
  return {drop, std::max(-1.0, std::min(drop, middle - half)),
          std::min(1.0, std::max(drop, middle + half))};
}

}  // namespace headway
