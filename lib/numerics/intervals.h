// Intervals for shares and for differences of shares, and whether a difference is more than chance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace headway {

struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

inline constexpr double kDeviations95 = 1.959963984540054;  // 95 % of a normal lie within

// The same for `comparisons` looked at together, so that all of them hold with 95 % (Bonferroni).
double deviations_for(std::size_t comparisons);

// Of `count` trials, `right` succeeded: Wilson's score interval, which stays honest at 0 and 100 %.
Interval share_interval(std::int64_t right, std::int64_t count, double deviations = kDeviations95);

// The first share minus the second, of samples that are independent: Newcombe's interval, made of
// the two Wilson intervals. That two intervals overlap does not mean that this one holds zero.
Interval share_difference(std::int64_t right, std::int64_t count, std::int64_t other_right,
                          std::int64_t other_count, double deviations = kDeviations95);

inline bool excludes_zero(const Interval& interval) {
  return interval.low > 0 || interval.high < 0;
}

// Of pairs that changed, so many for the better and so many for the worse: how often chance alone
// would be as one-sided (exact, two-sided; McNemar's test). 1 where nothing changed.
double sign_test(std::size_t better, std::size_t worse);

// How much the share of ones falls from `before` to `after`, where both are of the same samples:
// Agresti and Min's interval for matched pairs, which also has a width where nothing changed.
Interval paired_drop(std::span<const std::uint8_t> before, std::span<const std::uint8_t> after);

}  // namespace headway
