// 95 % intervals for shares and for differences of paired shares.
#pragma once

#include <cstdint>
#include <span>

namespace headway {

struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

// Of `count` trials, `right` succeeded: Wilson's score interval, which stays honest at 0 and 100 %.
Interval share_interval(std::int64_t right, std::int64_t count);

// How much the share of ones falls from `before` to `after`, where both are of the same samples:
// Agresti and Min's interval for matched pairs, which also has a width where nothing changed.
Interval paired_drop(std::span<const std::uint8_t> before, std::span<const std::uint8_t> after);

}  // namespace headway
