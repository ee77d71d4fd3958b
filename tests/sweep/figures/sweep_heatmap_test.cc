// `sweep-heatmap`: which axis goes where, panels, and cells without a result.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include "lib/figures/gnuplot.h"
#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

FigureOptions of_axes(const std::string& x, const std::string& rows) {
  FigureOptions options;
  options.x = x;
  options.rows = rows;
  return options;
}

Figure heat(const std::string& table, const FigureOptions& options = {}) {
  return figure_of("sweep-heatmap", {csv("", table)}, options);
}

std::string heatmap_mistake(const std::string& table, const FigureOptions& options = {}) {
  return mistake("sweep-heatmap", {csv("", table)}, options);
}

const std::string kTwo = "a,b,seed,trial,m\n1,x,1,1,5\n1,x,2,2,7\n2,y,1,3,8\n";
const std::string kThree = "a,b,c,trial,m\n1,x,p,1,5\n2,x,q,2,7\n";

TEST_CASE("by default, the first of two axes is horizontal", "[report]") {
  const std::string first = "set xtics ('1' 1, '2' 2)", second = "set xtics ('x' 1, 'y' 2)";
  CHECK(contains(heat(kTwo).script, first));
  CHECK(contains(heat(kTwo, of_axes("a", "")).script, first));
  CHECK(contains(heat(kTwo, of_axes("", "b")).script, first));
  CHECK(contains(heat(kTwo, of_axes("b", "")).script, second));
  CHECK(contains(heat(kTwo, of_axes("", "a")).script, second));
}

TEST_CASE("cells show means over seeds, and untried ones are empty", "[report]") {
  const Figure figure = heat(kTwo);
  CHECK(contains(figure.data, "1\t1\t6\t\"6\"\n"));
  CHECK(contains(figure.data, "cells without a result\n# x\trow\n2\t1\n1\t2\n"));
  CHECK(contains(figure.script, "title 'no result'"));
  CHECK_FALSE(contains(heat("a,b,trial,m\n1,1,1,5\n2,1,2,6\n").script, "no result"));
}

TEST_CASE("the best cell is framed, according to the goal", "[report]") {
  CHECK(contains(heat(kTwo).script, "rectangle from 1.5, 1.5 to 2.5, 2.5 front"));
  FigureOptions options;
  options.goal = Goal::kMin;
  CHECK(contains(heat(kTwo, options).script, "rectangle from 0.5, 0.5 to 1.5, 1.5 front"));
}

TEST_CASE("further axes are panels, one for each combination", "[report]") {
  const Figure figure = heat(kThree, of_axes("a", "b"));
  CHECK(contains(figure.script, "set title 'c p'"));
  CHECK(contains(figure.script, "set title 'c q'"));
  CHECK(draw(figure).warnings == "");
  CHECK(contains(heat(kThree, of_axes("b", "c")).script, "set title 'a 2'"));
}

TEST_CASE("the best cell is framed only in its own panel", "[report]") {
  const std::string script =
      heat("a,b,c,trial,m\n1,x,p,1,5\n1,x,q,2,7\n", of_axes("a", "b")).script;
  const std::size_t frame = script.find("set object rectangle");
  CHECK(frame > script.find("set title 'c q'"));
  CHECK(script.find("set object rectangle", frame + 1) == std::string::npos);
}

TEST_CASE("a heat map that lacks an axis lists the existing ones", "[report]") {
  CHECK(heatmap_mistake("a,seed,trial,m\n1,1,1,5\n") ==
        "figure 'sweep-heatmap': it needs two axes, and the table has only a; kind 'sweep-lines' "
        "draws one axis");
  CHECK(heatmap_mistake(kThree) ==
        "figure 'sweep-heatmap': parameter 'x' is missing: the table has several axes, a, b, c");
  CHECK(heatmap_mistake(kThree, of_axes("b", "")) ==
        "figure 'sweep-heatmap': parameter 'rows' is missing: the table has several axes, a, c");
  CHECK(heatmap_mistake(kThree, of_axes("", "b")) ==
        "figure 'sweep-heatmap': parameter 'x' is missing: the table has several axes, a, c");
  CHECK(heatmap_mistake(kThree, of_axes("b", "b")) ==
        "figure 'sweep-heatmap': parameters 'x' and 'rows' name the same axis, 'b'");
  CHECK(contains(heatmap_mistake(kThree, of_axes("a", "bb")),
                 "parameter 'rows': the table has no axis"));
}

TEST_CASE("more than a page can show is refused", "[report]") {
  std::string panels = "a,b,c,trial,m\n", cells = "a,b,trial,m\n";
  for (int i = 0; i < 101; ++i) {
    panels += fmt::format("1,1,{0},{0},{0}\n", i);
    cells += fmt::format("{0},1,{0},{0}\n", i);
  }
  CHECK(
      contains(heatmap_mistake(panels, of_axes("a", "b")), "101 panels are too many (at most 24)"));
  CHECK(contains(heatmap_mistake(cells), "axis 'a' has 101 values, too many for labelled cells"));
}

TEST_CASE("heat maps of one cell, and with long names, are drawn without a warning", "[report]") {
  CHECK(draw(heat("a,b,trial,m\n1,1,1,0.97\n")).warnings == "");
  CHECK(draw(heat("a,b,trial,m\n1,1,1,0\n2,1,2,0\n")).warnings == "");
  const std::string name(70, 'w');
  std::string table = "model." + name + ",other." + name + "x,trial,metric." + name + "\n";
  for (int i = 0; i < 20; ++i)
    table += fmt::format("{}{},{}{},{},{}\n", name, i / 4, name, i % 4, i, i);
  CHECK(draw(heat(table)).warnings == "");
}

}  // namespace
}  // namespace headway::testing
