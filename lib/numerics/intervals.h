// Intervals for shares and differences of shares, and tests of differences.
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

inline constexpr double kDeviations95 = 1.959963984540054;  // 95 % of a normal distribution

// The same for several comparisons, such that all of them hold at 95 % (Bonferroni).
double deviations_for(std::size_t comparisons);

// Wilson's score interval for `right` successes in `count` trials; also valid near 0 and 100 %.
Interval share_interval(std::int64_t right, std::int64_t count, double deviations = kDeviations95);

// The first share minus the second, for independent samples: Newcombe's interval from the two
// Wilson intervals. Overlapping intervals do not imply that this one contains zero.
Interval share_difference(std::int64_t right, std::int64_t count, std::int64_t other_right,
                          std::int64_t other_count, double deviations = kDeviations95);

inline bool excludes_zero(const Interval& interval) {
  return interval.low > 0 || interval.high < 0;
}

// McNemar's test (exact, two-sided) for pairs of which `better` improved and `worse` got worse: the
// probability of so one-sided a result by chance. 1 if nothing changed.
double sign_test(std::size_t better, std::size_t worse);

// The drop in the share of ones from `before` to `after`, for the same samples: Agresti and Min's
// interval for matched pairs, which has a width even if nothing changed.
Interval paired_drop(std::span<const std::uint8_t> before, std::span<const std::uint8_t> after);

}  // namespace headway
