#include "lib/figures/line_styles.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/figures/style.h"

namespace headway::testing {
namespace {

TEST_CASE("items of two axes vary in colour along one and in dashes along the other", "[report]") {
  const auto styles = line_styles({"alibi-mean", "alibi-max", "no-pe-mean", "no-pe-max"});
  CHECK(styles[0] == LineStyle{kBlue, 1, 7});
  CHECK(styles[1] == LineStyle{kBlue, 2, 4});
  CHECK(styles[2] == LineStyle{kVermilion, 1, 7});
  CHECK(styles[3] == LineStyle{kVermilion, 2, 4});
}

TEST_CASE("the axis with more values gets the colours", "[report]") {
  const auto styles = line_styles({"max-a", "max-b", "max-c", "max-d", "max-e", "mean-a"});
  CHECK(styles[4].colour == kPurple);
  CHECK(styles[5].colour == styles[0].colour);
  CHECK(styles[5].dash != styles[0].dash);
}

TEST_CASE("names without two axes use up the colours before dashes are used", "[report]") {
  std::vector<std::string> names;
  for (int i = 0; i < 14; ++i) names.push_back("seed-" + std::to_string(i));
  const auto styles = line_styles(names);
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(styles[i] == LineStyle{kLineColours[i], 1, 7});
    CHECK(styles[i + 7].colour == styles[i].colour);
    CHECK(styles[i + 7].dash != styles[i].dash);
    CHECK(styles[i + 7].point != styles[i].point);
  }
  CHECK(line_styles({"", "-", "x"}).size() == 3);
  CHECK(line_styles({}).empty());
}

}  // namespace
}  // namespace headway::testing
