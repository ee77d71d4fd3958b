#include "lib/figures/page.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "lib/base/error.h"
#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

TEST_CASE("text becomes a string in which gnuplot expands nothing", "[report]") {
  CHECK(literal("plain") == "'plain'");
  CHECK(literal("it's `x` @y \\n \"") == "'it’s `x` @y \\n \"'");
  CHECK(literal("two\nlines\tand \x1b") == "'two\\nlines and \xEF\xBF\xBD'");
}

TEST_CASE("a percent sign in a tick is not a format", "[report]") {
  CHECK(tick("100 %s", std::size_t{3}) == "'100 %%s' 3");
  CHECK(tick("x", 0.5) == "'x' 0.5");
}

TEST_CASE("cells can hold any text and any number", "[report]") {
  CHECK(cell("a\\b \"c\" # d") == "\"a\\\\b 'c' # d\"");
  CHECK(cell(0.25) == "0.25");
  CHECK(cell(std::nan("")) == "NaN");
  CHECK(cell(INFINITY) == "NaN");
}

TEST_CASE("panels side by side fill the area", "[report]") {
  const std::vector<Panel> panels = side_by_side({10, 110, 5, 50}, 2, 20);
  REQUIRE(panels.size() == 2);
  CHECK(panels[0].left == 10);
  CHECK(panels[0].right == 50);
  CHECK(panels[1].left == 70);
  CHECK(panels[1].right == 110);
  CHECK(panels[1].bottom == 50);
}

TEST_CASE("panels in a grid are of one size, row by row", "[report]") {
  const std::vector<Panel> panels = in_grid({0, 110, 0, 50}, 2, 3, 10, 20);
  REQUIRE(panels.size() == 3);
  CHECK(panels[1].left == 60);
  CHECK(panels[1].bottom == 15);
  CHECK(panels[2].left == 0);
  CHECK(panels[2].top == 35);
  CHECK(panels[2].bottom == 50);
}

TEST_CASE("rows of a grid are of equal length, or nearly", "[report]") {
  CHECK(even_columns(1, 3) == 1);
  CHECK(even_columns(3, 3) == 3);
  CHECK(even_columns(4, 3) == 2);
  CHECK(even_columns(5, 3) == 3);
  CHECK(even_columns(4, 0) == 1);
}

TEST_CASE("data blocks are numbered, named and separated", "[report]") {
  Page page("subject", {}, {100, 100}, "title");
  CHECK(page.block("one", {"x"}, {{"1"}, {"2"}}) == 0);
  CHECK(page.block("two\nlines", {"x", "y"}, {{"3", "4"}}) == 1);
  CHECK(page.finish().data == "# 0: one\n# x\n1\n2\n\n\n# 1: two\\nlines\n# x\ty\n3\t4\n");
}

TEST_CASE("a page that is too small is reported", "[report]") {
  Page page("subject", {}, {100, 50}, "title");
  CHECK_THROWS_AS(page.place({80, 90, 10, 40}), Error);
  for (const FigureKind& kind : all_figure_kinds()) {
    FigureOptions tiny = example_options(kind.name);
    tiny.size = {60, 60};
    CHECK(mistake(kind.name, example_of(kind.name), tiny) ==
          "figure '" + kind.name +
              "': 60 x 60 pixels are too few for this figure; leave out 'width' and 'height', or "
              "make them larger");
  }
}

TEST_CASE("size and title can be set", "[report]") {
  for (const FigureKind& kind : all_figure_kinds()) {
    FigureOptions options = example_options(kind.name);
    options.size = {1234, 987};
    options.title = "mine";
    const Figure figure = figure_of(kind.name, example_of(kind.name), options);
    INFO(kind.name);
    CHECK(contains(figure.script, "set terminal svg noenhanced size 1234,987 "));
    CHECK(contains(figure.script, "set terminal pngcairo noenhanced size 2468,1974 "));
    CHECK(contains(figure.script, "set multiplot title 'mine' "));
  }
}

std::vector<LegendEntry> entries_of(std::size_t count) {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < count; ++i) {
    entries.push_back({"with lines", "name-" + std::to_string(i)});
  }
  return entries;
}

TEST_CASE("a legend takes as many lines as the page width requires", "[report]") {
  const std::vector<LegendEntry> entries = entries_of(4);
  CHECK(legend_lines(entries, legend_width(entries)) == 1);
  CHECK(legend_lines(entries, legend_width(entries) - 1) == 2);
  CHECK(legend_lines(entries, 10) == 4);
  CHECK(legend_lines({}, 10) == 1);
}

TEST_CASE("legend lines are columns, filled one after the other", "[report]") {
  Page page("subject", {}, {1000, 200}, "title");
  page.legend(entries_of(4), 2);
  const std::string script = page.finish().script;
  const auto placed = [&](const std::string& name) {  // the two lines before its plot
    const std::size_t at = script.find("title '" + name + "'");
    const std::size_t begin = script.rfind("set lmargin", at);
    return std::pair(script.substr(begin, 30),
                     script.substr(script.find("set tmargin", begin), 30));
  };
  CHECK(placed("name-0").first == placed("name-1").first);
  CHECK(placed("name-2").first == placed("name-3").first);
  CHECK(placed("name-0").first != placed("name-2").first);
  CHECK(placed("name-0").second == placed("name-2").second);
  CHECK(placed("name-0").second != placed("name-1").second);
}

}  // namespace
}  // namespace headway::testing
