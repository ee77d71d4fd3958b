// `heatmap`: cells of any table, and what it says of tables that it cannot draw.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include "lib/figures/gnuplot.h"
#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

FigureOptions map_options() {
  FigureOptions options;
  options.x = "a";
  options.rows = "b";
  options.metric = "m";
  return options;
}

Figure map_of(const std::string& table, const FigureOptions& options = map_options()) {
  const Figure figure = figure_of("heatmap", {csv("", table)}, options);
  CHECK(draw(figure).warnings == "");
  return figure;
}

std::string map_told(const std::string& table, const FigureOptions& options = map_options()) {
  return mistake("heatmap", {csv("", table)}, options);
}

TEST_CASE("cells stand in the order of numbers, and of texts as they appear", "[report]") {
  const Figure figure = map_of("a,b,m\n10,y,5\n2,x,7\n2,y,8\n");
  CHECK(contains(figure.script, "set xtics ('2' 1, '10' 2)"));
  CHECK(contains(figure.script, "set ytics ('y' 1, \\\n  'x' 2)"));
  CHECK(contains(figure.data, "2\t1\t5\t\"5\"\n"));
  CHECK(title_of(figure) == "m by a and b");
}

TEST_CASE("cells without a row, or with an empty cell, are gaps", "[report]") {
  const Figure figure = map_of("a,b,m\n1,x,5\n2,x,\n2,y,8\n");
  CHECK(contains(figure.data, "cells without a value\n# x\trow\n2\t1\n1\t2\n"));
  CHECK(contains(figure.script, "title 'no value'"));
  CHECK_FALSE(contains(map_of("a,b,m\n1,1,5\n2,1,6\n").script, "no value"));
}

TEST_CASE("counts are written in full, other values with three digits", "[report]") {
  const Figure figure = map_of("a,b,m\n1,x,12345\n2,x,0.123456\n");
  CHECK(contains(figure.data, "\"12345\"\n"));
  CHECK(contains(figure.data, "\"0.123\"\n"));
}

TEST_CASE("values that are close have colours of their own", "[report]") {
  const Figure figure = map_of("a,b,m\n1,x,1000001.25\n2,x,1000001.75\n");
  CHECK(contains(figure.script, "set cbrange [1000001.25:1000001.75]"));
  CHECK(contains(figure.data, "1\t1\t1000001.25\t"));
  map_of("a,b,m\n1,x,5\n2,x,5\n");
}

TEST_CASE("axes and the colour bar are named by columns, axes also as asked", "[report]") {
  FigureOptions options = map_options();
  options.x_label = "depth (layers)";
  options.y_label = "width";
  const Figure figure = map_of("a,b,m\n1,x,5\n", options);
  CHECK(contains(figure.script, "set label 1 'depth (layers)'"));
  CHECK(contains(figure.script, "set label 2 'width'"));
  CHECK(contains(figure.script, "set label 3 'm'"));
}

TEST_CASE("tables and values of a column are panels of one colour bar", "[report]") {
  FigureOptions options = map_options();
  options.panels = "p";
  const std::string table = "a,b,m,p\n1,x,5,1\n1,x,6,2\n";
  CHECK(contains(map_of(table, options).script, "set title 'p 2'"));
  const Figure both = figure_of("heatmap", {csv("s", table), csv("t", table)}, options);
  for (const char* title : {"s, p 1", "s, p 2", "t, p 1", "t, p 2"}) {
    CHECK(contains(both.script, fmt::format("set title '{}'", title)));
  }
  CHECK(draw(both).warnings == "");
}

TEST_CASE("a heat map that cannot be drawn is reported", "[report]") {
  CHECK(map_told("a,b,n\n1,x,5\n") ==
        "figure 'heatmap': the table has no column 'm'; it has a, b, n; did you mean 'a'?");
  CHECK(map_told("a,b,m\n1,x,5\n1,x,6\n") ==
        "figure 'heatmap': the table, row 2: another row has the same a and b; 'panels' can name a "
        "column that tells them apart");
  CHECK(map_told("a,b,m\n1,x,?\n") ==
        "figure 'heatmap': the table: row 1, column 'm': '?' is not a number");
  CHECK(map_told("a,b,m\n1,x,\n") ==
        "figure 'heatmap': the table: column 'm' has no number in any row");
  CHECK(contains(map_told("a,b,m\n1,x,inf\n"), "is too large to be drawn"));
  std::string table = "a,b,m\n";
  for (int i = 0; i < 101; ++i) table += fmt::format("{},x,1\n", i);
  CHECK(contains(map_told(table), "101 values of 'a' are too many (at most 100)"));
}

TEST_CASE("options of a heat map that are missing or the same are reported", "[report]") {
  FigureOptions options = map_options();
  options.rows = "a";
  CHECK(map_told("a,b,m\n1,x,5\n", options) ==
        "figure 'heatmap': parameters 'x' and 'rows' name the same column, 'a'");
  options.rows = "";
  CHECK(contains(map_told("a,b,m\n1,x,5\n", options), "parameter 'rows' is missing"));
  options = map_options();
  options.metric = "";
  CHECK(contains(map_told("a,b,m\n1,x,5\n", options), "parameter 'metric' is missing"));
}

}  // namespace
}  // namespace headway::testing
