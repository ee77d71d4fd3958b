#include "lib/figures/number_axis.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

namespace headway::testing {
namespace {

using Catch::Approx;
using Texts = std::vector<std::string>;

Range range_of(const std::vector<double>& values, bool is_log = false) {
  RangeFinder finder(is_log);
  for (const double value : values) finder.add(value);
  CHECK(finder.found());
  return finder.range(0.1);
}

TEST_CASE("a range has a margin, and gaps do not count", "[report]") {
  const Range range = range_of({1, std::nan(""), 11});
  CHECK(range.low == Approx(0));
  CHECK(range.high == Approx(12));
  CHECK_FALSE(RangeFinder(false).found());
}

TEST_CASE("a range is never empty", "[report]") {
  for (const double value : {0.0, 5.0, -3.0, 1e300, -1e300, 1e-310}) {
    const Range range = range_of({value});
    CHECK(range.low < value);
    CHECK(range.high > value);
    CHECK(std::isfinite(range.high - range.low));
  }
  CHECK(std::isfinite(range_of({-1e300, 1e300}).high));
}

TEST_CASE("a logarithmic range stays above 0", "[report]") {
  const Range range = range_of({1, 100}, true);
  CHECK(range.low == Approx(std::pow(10, -0.2)));
  CHECK(range.high == Approx(std::pow(10, 2.2)));
  CHECK(range_of({1e-308, 1e300}, true).low > 0);
  CHECK(range_of({4}, true).low == 2);
}

TEST_CASE("ticks are round numbers", "[report]") {
  CHECK(number_ticks({-0.06, 1.06}, false, 6).labels ==
        Texts{"0", "0.2", "0.4", "0.6", "0.8", "1"});
  CHECK(number_ticks({0, 0.3}, false, 3).labels == Texts{"0", "0.1", "0.2", "0.3"});
  CHECK(number_ticks({-5, 5}, false, 2).labels == Texts{"-5", "0", "5"});
}

TEST_CASE("ticks have as many digits as tell them apart", "[report]") {
  CHECK(number_ticks({1700000000, 1700000001}, false, 3).labels ==
        Texts{"1700000000", "1700000000.5", "1700000001"});
  CHECK(number_within(1.0 / 3, 1e-3) == "0.333333");
  CHECK(number_within(1000001.25, 0.01) == "1000001.25");
  CHECK(exact(0.1) == "0.1");
}

TEST_CASE("logarithmic axes have ticks, however long they are", "[report]") {
  CHECK(number_ticks({0.5, 2000}, true, 6).labels == Texts{"1", "10", "100", "1000"});
  CHECK(number_ticks({0.9, 30}, true, 6).labels == Texts{"1", "2", "5", "10", "20"});
  CHECK(number_ticks({2.1, 5.2}, true, 6).labels == Texts{"3", "4", "5"});
  CHECK(number_ticks({101, 102}, true, 4).labels.size() >= 2);
  const NumberTicks long_axis = number_ticks({1e-20, 1e20}, true, 5);
  CHECK(long_axis.labels.size() <= 5);
  CHECK(long_axis.labels.size() >= 3);
}

TEST_CASE("decades between labels have ticks without one", "[report]") {
  const NumberTicks ticks = number_ticks({0.9, 110}, true, 4);
  CHECK(ticks.labels == Texts{"1", "10", "100"});
  CHECK(ticks.minor.front() == 0.9);
  CHECK(ticks.minor.size() == 17);
  CHECK(ticks.list().starts_with("('1' 1, '10' 10, '100' 100, '' 0.9 1, '' 2 1"));
  CHECK(ticks.list(false).starts_with("('' 1, '' 10, '' 100, "));
}

TEST_CASE("labels along an axis do not touch", "[report]") {
  const NumberTicks wide = number_ticks_along({0, 1000000}, false, 1000);
  const NumberTicks narrow = number_ticks_along({0, 1000000}, false, 150);
  CHECK(wide.labels.size() > narrow.labels.size());
  CHECK(label_spacing(narrow.labels) * static_cast<double>(narrow.labels.size() - 1) <= 150);
  CHECK(number_ticks_along({0, 1000000}, false, 5).labels.size() <= 2);
}

}  // namespace
}  // namespace headway::testing
