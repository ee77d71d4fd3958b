#include "lib/base/statistics.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace headway {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("Student's t has the values of the tables", "[statistics]") {
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

TEST_CASE("Student's t falls with every degree, also where another formula takes over",
          "[statistics]") {
  for (std::size_t degrees = 1; degrees < 300; ++degrees) {
    CAPTURE(degrees);
    CHECK(student_t(degrees) > student_t(degrees + 1));
  }
}

TEST_CASE("the interval of a mean is Student's", "[statistics]") {
  const MeanInterval interval = mean_interval(std::vector<double>{1, 2, 3});
  CHECK(interval.count == 3);
  CHECK(interval.mean == 2);
  CHECK(std::abs(interval.half_width - 4.302652730 / std::sqrt(3.0)) < 1e-6);
}

TEST_CASE("one value has a mean and no interval, none has neither", "[statistics]") {
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

TEST_CASE("equal values have exactly their mean and no width", "[statistics]") {
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

}  // namespace
}  // namespace headway
