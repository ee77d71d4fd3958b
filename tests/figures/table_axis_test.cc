#include "lib/figures/table_axis.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

namespace headway::testing {
namespace {

using Catch::Approx;
using Texts = std::vector<std::string>;

TEST_CASE("numbers are in numeric order, however they are written", "[report]") {
  const PlacedAxis read = read_axis("train.lr", {"0.01", "1e-3", "0.1", "0.001"});
  CHECK(read.axis.labels == Texts{"0.001", "0.01", "0.1"});
  CHECK(read.places == std::vector<std::size_t>{1, 0, 2, 0});
  CHECK(read.axis.scale == AxisScale::kLogarithmic);
  CHECK(read.axis.share(1) == Approx(0.5));
}

TEST_CASE("texts are categories, in order of appearance", "[report]") {
  const PlacedAxis read = read_axis("pe", {"rope", "alibi", "rope", ""});
  CHECK(read.axis.scale == AxisScale::kCategories);
  CHECK(read.axis.labels == Texts{"rope", "alibi", "(none)"});
  CHECK(read.axis.numbers == std::vector<double>{1, 2, 3});
  CHECK(read.places == std::vector<std::size_t>{0, 1, 0, 2});
  CHECK(read_axis("n", {"1", "2", "all"}).axis.scale == AxisScale::kCategories);
  CHECK(read_axis("n", {"1", "nan"}).axis.scale == AxisScale::kCategories);
}

TEST_CASE("an axis is logarithmic if its values are spaced by ratio", "[report]") {
  CHECK(are_spaced_by_ratio({1, 2, 4, 8}));
  CHECK(are_spaced_by_ratio({2, 4, 8}));
  CHECK(are_spaced_by_ratio({1e-4, 3e-4, 1e-3, 3e-3}));
  CHECK(are_spaced_by_ratio({1, 2, 5, 10}));
  CHECK(are_spaced_by_ratio({32, 64, 128, 512}));  // one was left out
  CHECK_FALSE(are_spaced_by_ratio({1, 2, 3}));
  CHECK_FALSE(are_spaced_by_ratio({3, 4, 5}));
  CHECK_FALSE(are_spaced_by_ratio({1, 100, 200, 300}));
  CHECK_FALSE(are_spaced_by_ratio({0.1, 0.2, 0.3, 0.5}));
  CHECK_FALSE(are_spaced_by_ratio({0, 1, 10, 100}));
  CHECK_FALSE(are_spaced_by_ratio({-4, -2, -1}));
  CHECK_FALSE(are_spaced_by_ratio({1, 1000}));
  CHECK_FALSE(are_spaced_by_ratio({5}));
}

TEST_CASE("a single value is in the middle", "[report]") {
  const TableAxis axis = read_axis("n", {"4", "4"}).axis;
  CHECK(axis.size() == 1);
  CHECK(axis.share(0) == 0.5);
  CHECK(axis.smallest_gap() == 1);
  CHECK(read_axis("n", {"0", "1", "4"}).axis.smallest_gap() == 0.25);
}

}  // namespace
}  // namespace headway::testing
