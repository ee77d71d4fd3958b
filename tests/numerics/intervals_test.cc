#include "lib/numerics/statistics.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <vector>

namespace headway {
namespace {

bool excludes_zero(const Interval& interval) {
  return interval.low > 0 || interval.high < 0;
}

void check_interval(const Interval& interval, double value, double low, double high) {
  CAPTURE(interval.value, interval.low, interval.high);
  CHECK(std::abs(interval.value - value) < 1e-12);
  CHECK(std::abs(interval.low - low) < 5e-5);
  CHECK(std::abs(interval.high - high) < 5e-5);
}

TEST_CASE("shares have Wilson's interval, matching Newcombe's table") {
  check_interval(share_interval(81, 263), 81.0 / 263, 0.2553, 0.3662);
  check_interval(share_interval(15, 148), 15.0 / 148, 0.0624, 0.1605);
  check_interval(share_interval(0, 20), 0, 0, 0.1611);
  check_interval(share_interval(1, 29), 1.0 / 29, 0.0061, 0.1718);
}

TEST_CASE("an interval has a width at 0 and at 100 %, and never exceeds them") {
  check_interval(share_interval(20, 20), 1, 0.8389, 1);
  for (const std::int64_t count : {1, 2, 3, 10, 2000, 810000}) {
    CAPTURE(count);
    const Interval none = share_interval(0, count), all = share_interval(count, count);
    CHECK(none.low == 0);
    CHECK(none.high > 0);
    CHECK(all.high == 1);
    CHECK(all.low < 1);
    CHECK(std::abs(none.high - (1 - all.low)) < 1e-12);
  }
}

TEST_CASE("with no samples, any share is possible") {
  check_interval(share_interval(0, 0), 0, 0, 1);
}

// Sequences of four tokens, of which so many are right in each.
ClusterSums sequences(const std::vector<int>& right, int times) {
  ClusterSums sums;
  for (int i = 0; i < times; ++i) {
    for (const int one : right) sums.add(one, 4);
  }
  return sums;
}

TEST_CASE("tokens that are right or wrong together count as one") {
  const ClusterSums together = sequences({4, 0}, 50);
  CHECK(together.items() == 400);
  CHECK(together.mean() == 0.5);
  // By hand: 100 sequences, each 2 away from its share of 2: 100 / 99 * 400 / 400^2.
  CHECK(std::abs(together.variance() - 100.0 / 99 * 400 / 160000) < 1e-12);
  const Interval interval = together.share_interval(), of_100 = share_interval(50, 100);
  CHECK(std::abs(interval.low - of_100.low) < 1e-3);  // not those of 400
  CHECK(std::abs(interval.high - of_100.high) < 1e-3);
}

TEST_CASE("tokens that are no more alike within a sequence than elsewhere count each") {
  // Binomial: of four tokens that are each right half of the time.
  const ClusterSums apart = sequences({0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4}, 10);
  const Interval interval = apart.share_interval(), of_all = share_interval(320, 640);
  CHECK(std::abs(interval.low - of_all.low) < 1e-3);
  // Sequences that are all alike do not make more of their tokens than there are.
  check_interval(sequences({2}, 100).share_interval(), 0.5, share_interval(50, 100).low,
                 share_interval(50, 100).high);
}

TEST_CASE("an interval of clusters has a width at 0 and at 100 %") {
  check_interval(sequences({4}, 20).share_interval(), 1, share_interval(20, 20).low, 1);
  check_interval(sequences({0}, 20).share_interval(), 0, 0, share_interval(0, 20).high);
  check_interval(ClusterSums().share_interval(), 0, 0, 1);
  CHECK(sequences({4}, 1).share_interval().low == share_interval(1, 1).low);
}

TEST_CASE("a difference of clusters has a width even if there is none") {
  const Interval none = sequences({0}, 100).difference_interval();
  CHECK(none.value == 0);
  CHECK(none.low < 0);
  CHECK(none.high == -none.low);
  const Interval lost = sequences({2, 1}, 100).difference_interval();
  CHECK(std::abs(lost.value - 0.375) < 1e-12);
  CHECK(excludes_zero(lost));
  CHECK(sequences({4}, 1).difference_interval().high == 1);  // nothing is known of others
  CHECK(sequences({4}, 1).difference_interval().low == 0);
}

// So many samples that are right before and after, lost, won, and wrong both times.
Interval drop_of(std::size_t both, std::size_t lost, std::size_t won, std::size_t neither) {
  std::vector<std::uint8_t> before, after;
  const auto add = [&](std::size_t count, std::uint8_t was, std::uint8_t is) {
    before.insert(before.end(), count, was);
    after.insert(after.end(), count, is);
  };
  add(both, 1, 1);
  add(lost, 1, 0);
  add(won, 0, 1);
  add(neither, 0, 0);
  return paired_drop(before, after);
}

TEST_CASE("a drop has Agresti and Min's interval for matched pairs") {
  // 12 lost, 5 won of 100: (12.5 - 5.5) / 102 -+ 1.96 sqrt(18 - 49 / 102) / 102.
  check_interval(drop_of(60, 12, 5, 23), 0.07, -0.011801, 0.149056);
  check_interval(drop_of(0, 12, 5, 83), 0.07, -0.011801, 0.149056);  // only changes count
  check_interval(drop_of(60, 5, 12, 23), -0.07, -0.149056, 0.011801);
}

TEST_CASE("a drop of zero still has a width") {
  check_interval(drop_of(50, 0, 0, 50), 0, -0.019215, 0.019215);  // 1.96 / 102
  check_interval(paired_drop({}, {}), 0, -1, 1);
}

TEST_CASE("a drop's interval contains the drop, and ends at 100 points") {
  check_interval(drop_of(0, 10, 0, 0), 1, 0.566616, 1);
  check_interval(drop_of(0, 0, 10, 0), -1, -1, -0.566616);
}

TEST_CASE("deviations grow with the number of comparisons, following Bonferroni") {
  CHECK(deviations_for(0) == kDeviations95);
  CHECK(deviations_for(1) == kDeviations95);
  CHECK_THAT(deviations_for(5), Catch::Matchers::WithinAbs(2.575829, 1e-6));   // 99 %
  CHECK_THAT(deviations_for(50), Catch::Matchers::WithinAbs(3.290527, 1e-6));  // 99.9 %
}

TEST_CASE("a difference of shares may exclude zero even if the intervals overlap") {
  const Interval a = share_interval(60, 100), b = share_interval(45, 100);
  CHECK(a.low < b.high);
  const Interval difference = share_difference(60, 100, 45, 100);
  CHECK(excludes_zero(difference));
  // Newcombe 1998, table II, case (a): 56/70 against 48/80.
  const Interval published = share_difference(56, 70, 48, 80);
  CHECK_THAT(published.value, Catch::Matchers::WithinAbs(0.2, 1e-9));
  CHECK_THAT(published.low, Catch::Matchers::WithinAbs(0.0524, 1e-4));
  CHECK_THAT(published.high, Catch::Matchers::WithinAbs(0.3339, 1e-4));
  CHECK_FALSE(excludes_zero(share_difference(50, 100, 45, 100)));
  CHECK_FALSE(excludes_zero(share_difference(60, 100, 45, 100, deviations_for(20))));
}

}  // namespace
}  // namespace headway
