#include "lib/numerics/statistics.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace headway {
namespace {

bool is_a_difference(const Interval& interval) {
  return interval.low > 0 || interval.high < 0;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("an interval stays within what the quantity can be", "[statistics]") {
  const std::vector<double> heads{2, 8, 14}, shares{1, 0.9993, 0.9998}, losses{0.1, 0.9};
  const MeanInterval count = mean_interval(heads, natural_range("heads", heads));
  CHECK(count.mean - count.half_width < 0);
  CHECK(count.low() == 0);
  CHECK(count.high() == count.mean + count.half_width);
  CHECK(count.is_cut());
  const MeanInterval share = mean_interval(shares, natural_range("greedy", shares));
  CHECK(share.high() == 1);
  CHECK(share.low() == share.mean - share.half_width);
  const MeanInterval loss = mean_interval(losses, natural_range("train.loss", losses));
  CHECK(loss.low() == 0);
  CHECK(loss.high() > 1);
}

TEST_CASE("what a quantity can be is known from its values and its name", "[statistics]") {
  const double none = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  const auto range = [](const char* name, const std::vector<double>& values) {
    const ValueRange found = natural_range(name, values);
    return std::pair(found.low, found.high);
  };
  CHECK(range("greedy", {0.2, 1, none}) == std::pair(0.0, 1.0));
  CHECK(range("loss", {0.2, 1}) == std::pair(0.0, infinity));
  CHECK(range("pi.error", {0.2, 0.4}) == std::pair(-infinity, infinity));
  CHECK(range("val.rmse", {0.2, 0.4}) == std::pair(0.0, infinity));
  CHECK(range("train.val_loss", {0.2, 0.4}) == std::pair(0.0, infinity));
  CHECK(range("loss.accuracy", {0.2, 0.4}) == std::pair(0.0, 1.0));  // the stage is called so
  CHECK(range("a.normalised_score", {0.2, 0.4}) == std::pair(0.0, 1.0));
  CHECK(range("heads", {3, 0, none, 12}) == std::pair(0.0, infinity));
  CHECK(range("gain", {3.5, 12}) == std::pair(-infinity, infinity));
  CHECK(range("gain", {-3, 12}) == std::pair(-infinity, infinity));
  const MeanInterval one = mean_interval(std::vector<double>{0.5}, {.low = 0, .high = 1});
  CHECK(std::isnan(one.low()));
  CHECK(std::isnan(one.high()));
  CHECK_FALSE(one.is_cut());
}

TEST_CASE("Student's t matches the tables", "[statistics]") {
  const auto error = [](std::size_t degrees, double expected) {
    return std::abs(student_t(degrees) - expected);
  };
  CHECK(error(1, 12.706204736) < 1e-6);
  CHECK(error(2, 4.302652730) < 1e-6);
  CHECK(error(3, 3.182446305) < 1e-6);
  CHECK(error(4, 2.776445105) < 1e-6);
  CHECK(error(9, 2.262157163) < 1e-6);
  CHECK(error(10, 2.228138852) < 1e-6);
  CHECK(error(30, 2.042272456) < 1e-6);
  CHECK(error(99, 1.984216952) < 1e-6);  // the last that is computed exactly
  CHECK(error(100, 1.983971519) < 1e-6);
  CHECK(error(1000, 1.962339081) < 1e-6);
  CHECK(error(std::numeric_limits<std::size_t>::max(), 1.959963985) < 1e-6);
  CHECK(std::isinf(student_t(0)));
}

TEST_CASE("Student's t decreases with every degree of freedom, even across formulas",
          "[statistics]") {
  for (std::size_t degrees = 1; degrees < 300; ++degrees) {
    CAPTURE(degrees);
    CHECK(student_t(degrees) > student_t(degrees + 1));
  }
}

TEST_CASE("Student's t is larger for several simultaneous comparisons", "[statistics]") {
  const auto error = [](std::size_t degrees, std::size_t comparisons, double expected) {
    return std::abs(student_t(degrees, comparisons) / expected - 1);
  };
  CHECK(error(1, 5, 63.656741) < 1e-6);  // 99 %
  CHECK(error(4, 5, 4.604095) < 1e-6);
  CHECK(error(30, 50, 3.645959) < 1e-6);  // 99.9 %
  CHECK(error(2, 50, 31.599055) < 1e-6);
  CHECK(student_t(7, 1) == student_t(7));
  CHECK(student_t(std::numeric_limits<std::size_t>::max(), 5) < 2.5809);
  CHECK(std::isinf(student_t(0, 5)));
}

TEST_CASE("the difference of two means has Welch's interval", "[statistics]") {
  // Variances of the means 1/3 and 28/9; 2.42 degrees, of which two count.
  const std::vector<double> few = {1, 2, 3}, wide = {0, 4, 6};
  const Interval difference = mean_difference(few, wide);
  const double half = 4.302652730 * std::sqrt(1.0 / 3 + 28.0 / 9);
  CHECK(std::abs(difference.value + 4.0 / 3) < 1e-12);
  CHECK(std::abs(difference.low - (difference.value - half)) < 1e-6);
  CHECK(std::abs(difference.high - (difference.value + half)) < 1e-6);
  CHECK(mean_difference(few, wide, 10).high > difference.high);
}

TEST_CASE("a difference may be significant even if the two intervals overlap", "[statistics]") {
  const std::vector<double> low = {1.0, 1.1, 1.2, 1.3, 1.4}, high = {1.3, 1.4, 1.5, 1.6, 1.7};
  const MeanInterval a = mean_interval(low), b = mean_interval(high);
  CHECK(a.mean + a.half_width > b.mean - b.half_width);
  CHECK(is_a_difference(mean_difference(low, high)));
  CHECK_FALSE(is_a_difference(mean_difference(low, high, 5)));
}

TEST_CASE("a single value says nothing about the spread of a difference, and equal ones have none",
          "[statistics]") {
  const std::vector<double> one = {1}, two = {5, 5}, spread = {1, 2, 3};
  CHECK(mean_difference(one, two).value == -4);
  CHECK(std::isnan(mean_difference(one, two).low));
  CHECK_FALSE(is_a_difference(mean_difference(one, two)));
  CHECK(mean_difference(two, std::vector<double>{4, 4}).low == 1);
  // Only the other one has a spread, and two degrees.
  CHECK(std::abs(mean_difference(two, spread).high - (3 + 4.302652730 / std::sqrt(3.0))) < 1e-6);
  CHECK(std::isnan(sum_of_means({}).low));
}

TEST_CASE("group means are compared using the spread of all members", "[statistics]") {
  const std::vector<double> spread = {1, 2, 3};
  const std::vector<WeightedMean> means = {{spread, 0.5}, {spread, 0.5}, {{5, 6, 7}, -1}};
  const Interval sum = sum_of_means(means);
  // Variances 1/12, 1/12 and 1/3: 4 degrees.
  CHECK(sum.value == -4);
  CHECK(std::abs(sum.high - (-4 + 2.776445105 * std::sqrt(0.5))) < 1e-6);
}

TEST_CASE("the interval of a mean is Student's", "[statistics]") {
  const MeanInterval interval = mean_interval(std::vector<double>{1, 2, 3});
  CHECK(interval.count == 3);
  CHECK(interval.mean == 2);
  CHECK(std::abs(interval.half_width - 4.302652730 / std::sqrt(3.0)) < 1e-6);
}

TEST_CASE("a single value has a mean but no interval, and no values have neither", "[statistics]") {
  const MeanInterval one = mean_interval(std::vector<double>{0.5});
  CHECK(one.mean == 0.5);
  CHECK(one.count == 1);
  CHECK(std::isnan(one.half_width));
  const MeanInterval none = mean_interval({});
  CHECK(std::isnan(none.mean));
  CHECK(std::isnan(none.half_width));
  CHECK(none.count == 0);
}

TEST_CASE("values that are not numbers are left out of a mean", "[statistics]") {
  const MeanInterval interval = mean_interval(std::vector<double>{kNan, 1, kNan, 3});
  CHECK(interval.count == 2);
  CHECK(interval.mean == 2);
  CHECK(std::abs(interval.half_width - 12.706204736) < 1e-6);
  CHECK(mean_interval(std::vector<double>{kNan}).count == 0);
}

TEST_CASE("equal values have exactly their mean and zero width", "[statistics]") {
  const MeanInterval interval = mean_interval(std::vector<double>{0.1, 0.1, 0.1});
  CHECK(interval.mean == 0.1);
  CHECK(interval.half_width == 0);
}

TEST_CASE("an infinite value makes an infinite mean", "[statistics]") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(std::isinf(mean_interval(std::vector<double>{infinity}).mean));
  CHECK(std::isinf(mean_interval(std::vector<double>{1, infinity}).mean));
  CHECK(std::isinf(mean_interval(std::vector<double>{infinity, 1}).mean));
}

TEST_CASE("rank correlation is Spearman's", "[statistics]") {
  CHECK(rank_correlation({1, 2, 3}, {10, 100, 1000}) == Catch::Approx(1));
  CHECK(rank_correlation({1, 2, 3}, {3, 2, 1}) == Catch::Approx(-1));
  // scipy.stats.spearmanr([1, 2, 2, 4, 5], [2, 1, 3, 3, 5])
  CHECK(rank_correlation({1, 2, 2, 4, 5}, {2, 1, 3, 3, 5}) == Catch::Approx(0.7631578947));
}

TEST_CASE("rank correlation is NaN if undefined", "[statistics]") {
  CHECK(std::isnan(rank_correlation({1, 1, 1}, {1, 2, 3})));
  CHECK(std::isnan(rank_correlation({1, 2}, {1, 2})));
  CHECK(std::isnan(rank_correlation({1, 2, 3}, {1, 2})));
  CHECK(std::isnan(rank_correlation({1, 2, kNan}, {1, 2, 3})));
}

TEST_CASE("pairs with an empty cell do not count in a rank correlation", "[statistics]") {
  CHECK(rank_correlation({1, kNan, 2, 3, 9}, {1, 7, 2, 3, kNan}) == Catch::Approx(1));
}

TEST_CASE("for few items, the p-value of a rank correlation is exact", "[statistics]") {
  // Of the 24 orders of four, two are as one-sided as the sorted one.
  CHECK(rank_correlation_p({1, 2, 3, 4}, {1, 2, 3, 4}) == Catch::Approx(2.0 / 24));
  CHECK(rank_correlation_p({1, 2, 3, 4}, {4, 3, 2, 1}) == Catch::Approx(2.0 / 24));
  // With ties: two of the four places for the one, with which all four are equally likely.
  CHECK(rank_correlation_p({1, 2, 3, 4}, {0, 0, 0, 7}) == Catch::Approx(0.5));
  CHECK(rank_correlation_p({1, 2, 3, 4, 5, 6}, {2, 1, 4, 3, 6, 5}) == Catch::Approx(42.0 / 720));
}

TEST_CASE("for many items, the p-value of a rank correlation is close to exact, and deterministic",
          "[statistics]") {
  const std::vector<double> a = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const std::vector<double> b = {2, 1, 4, 3, 9, 5, 7, 10, 6, 8};
  // Of all orders of ten, 0.012557 correlate as much.
  CHECK(std::abs(rank_correlation_p(a, b) - 0.012557) < 0.003);
  CHECK(rank_correlation_p(a, b) == rank_correlation_p(a, b));
  CHECK(rank_correlation_p(a, a) == Catch::Approx(0.0001));
  CHECK(std::isnan(rank_correlation_p({1, 1, 1}, {1, 2, 3})));
}

}  // namespace
}  // namespace headway
