#include "lib/figures/missing_letters.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

const std::string kInNoFont = "\U0010FFFD";  // for private use, and last of all

Figure drawable(const std::string& script, const std::string& data) {
  return without_missing_letters({script, data, {10, 20}}, std::filesystem::temp_directory_path());
}

TEST_CASE("letters that no font has become boxes, and all others stay", "[report]") {
  const Figure figure =
      drawable("set title 'é “x” " + kInNoFont + kInNoFont + "y'\n", "1\t\"" + kInNoFont + "\"\n");
  CHECK(figure.script == "set title 'é “x” □□y'\n");
  CHECK(figure.data == "1\t\"□\"\n");
  CHECK(figure.size.height == 20);
}

TEST_CASE("the SVG keeps letters that the PNG cannot have", "[report]") {
  const Figure plain = example_figure("pruning-curve");
  Figure odd = plain;
  odd.script.insert(odd.script.find("greedy)"), kInNoFont);
  Figure boxed = plain;
  boxed.script.insert(boxed.script.find("greedy)"), "□");
  const Drawing drawing = draw(odd);
  CHECK(contains(drawing.svg, kInNoFont));
  CHECK(drawing.png == draw(boxed).png);
}

TEST_CASE("without fontconfig, letters stay as they are", "[report]") {
  const PathVariable none("/nowhere");
  CHECK(drawable(kInNoFont, "").script == kInNoFont);
}

}  // namespace
}  // namespace headway::testing
