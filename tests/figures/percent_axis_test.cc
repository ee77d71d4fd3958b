#include "lib/figures/axes.h"

#include <catch2/catch_test_macros.hpp>

namespace headway {
namespace {

TEST_CASE("widely spread values are shown on an axis from 0", "[report]") {
  CHECK(percent_range(20, 90).low == 0);
  CHECK(percent_range(20, 90).high > 100);
  CHECK(percent_range(0, 0).low == 0);
}

TEST_CASE("close values are shown on an axis cropped to them", "[report]") {
  const Range range = percent_range(99.2, 99.8);
  CHECK(range.low < 99.2);
  CHECK(range.low > 99.1);
  CHECK(range.high > 99.8);
  CHECK(range.high < 99.9);
}

TEST_CASE("accuracies that are all 100 % still have an axis", "[report]") {
  const Range range = percent_range(100, 100);
  CHECK(range.low < 99.81);
  CHECK(range.high > 100);
}

TEST_CASE("only exactly 100 % is labelled 100", "[report]") {
  CHECK(percent_label(100) == "100");
  CHECK(percent_label(99.9999) == "99.99");
  CHECK(percent_label(99.95) == "99.95");
  CHECK(percent_label(0) == "0");
}

TEST_CASE("an axis around chance begins at 40, or lower if a value does", "[report]") {
  CHECK(percent_range_around_chance(90).low == 40);
  CHECK(percent_range_around_chance(40).low == 40);
  CHECK(percent_range_around_chance(39.9).low == 30);
  CHECK(percent_range_around_chance(-1).low == 0);
  CHECK(percent_range_around_chance(90).high > 100);
  CHECK(percent_range_around_chance(0).high < 104);
}

}  // namespace
}  // namespace headway
