#include "lib/figures/axes.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

using Catch::Approx;

TEST_CASE("labels that would touch are left out, except at both ends", "[report]") {
  CHECK(with_room({0, 10, 20}, {8, 8, 8}) == std::vector<bool>{true, true, true});
  CHECK(with_room({0, 5, 10, 15, 20}, {8, 8, 8, 8, 8}) ==
        std::vector<bool>{true, false, true, false, true});
  CHECK(with_room({0, 14, 20}, {8, 8, 8}) == std::vector<bool>{true, false, true});
  CHECK(with_room({0, 1}, {8, 8}) == std::vector<bool>{true, false});
  CHECK(with_room({3}, {8}) == std::vector<bool>{true});
}

TEST_CASE("labels are slanted if there is no room side by side", "[report]") {
  const AxisLabels wide = lay_out_labels({"rope", "alibi"}, 200);
  CHECK_FALSE(wide.are_slanted);
  CHECK(wide.overhang == 0);
  CHECK(wide.commands({1, 2}) == "set xtics ('rope' 1, 'alibi' 2) font ',11'");
  const AxisLabels narrow = lay_out_labels({"a long name", "another"}, 20);
  CHECK(narrow.are_slanted);
  CHECK(narrow.room > wide.room);
  CHECK(narrow.overhang > 0);
  CHECK(contains(narrow.commands({1, 2}), "set label 11 'a long name' at first 1, graph 0 right"));
}

TEST_CASE("very long labels are truncated", "[report]") {
  CHECK(lay_out_labels({std::string(200, 'x')}, 100).texts[0].size() < 40);
}

TEST_CASE("axis steps are round numbers", "[report]") {
  CHECK(round_step(10, 5) == Approx(2));
  CHECK(round_step(9.8, 5.3) == Approx(2));
  CHECK(round_step(0.03, 4) == Approx(0.01));
  CHECK(round_step(90, 4) == Approx(50));
  CHECK(round_step(90, 1) == Approx(100));
}

}  // namespace
}  // namespace headway::testing
