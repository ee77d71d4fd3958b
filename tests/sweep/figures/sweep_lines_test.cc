// `sweep-lines`: its axis, its lines and its message if there is a choice.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include "lib/figures/gnuplot.h"
#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

Figure lines(const std::string& table, const std::string& x = "") {
  FigureOptions options;
  options.x = x;
  return figure_of("sweep-lines", {csv("", table)}, options);
}

std::string lines_mistake(const std::string& table, const std::string& x = "") {
  FigureOptions options;
  options.x = x;
  return mistake("sweep-lines", {csv("", table)}, options);
}

TEST_CASE("a single axis is used by default, and others become lines", "[report]") {
  const Figure one = lines("n,seed,trial,score\n1,1,1,5\n2,1,2,6\n");
  CHECK(title_of(one) == "score against n: best 6 with n 2");
  CHECK_FALSE(contains(one.script, "keyentry"));
  const Figure two = lines("n,pe,trial,score\n1,a,1,5\n2,b,2,6\n", "n");
  CHECK(contains(two.script, "title 'pe a'"));
  CHECK(contains(two.script, "title 'pe b'"));
  CHECK(lines_mistake("n,pe,trial,score\n1,a,1,5\n") ==
        "figure 'sweep-lines': parameter 'x' is missing: the table has several axes, n, pe");
}

TEST_CASE("lines of two axes vary in colour along one and in dashes along the other", "[report]") {
  const Figure figure =
      lines("n,a,b,trial,score\n1,1,1,1,5\n1,1,2,2,6\n1,2,1,3,7\n1,2,2,4,8\n", "n");
  CHECK(contains(figure.script, "dt 1 lc '#0072B2' title 'a 1, b 1'"));
  CHECK(contains(figure.script, "dt 2 lc '#0072B2' title 'a 1, b 2'"));
  CHECK(contains(figure.script, "dt 1 lc '#D55E00' title 'a 2, b 1'"));
}

TEST_CASE("the x axis suits its values", "[report]") {
  CHECK(contains(lines("n,trial,m\n1,1,5\n2,2,6\n4,3,7\n").script, "\nset logscale x\n"));
  CHECK_FALSE(contains(lines("n,trial,m\n1,1,5\n2,2,6\n3,3,7\n").script, "\nset logscale x\n"));
  const Figure texts = lines("n,trial,m\nrope,1,5\nalibi,2,6\n");
  CHECK(contains(texts.script, "set xrange [0.5:2.5]\nset xtics ('rope' 1, 'alibi' 2)"));
}

TEST_CASE("intervals are over seeds, and those of shares stay within 0 to 100", "[report]") {
  const Figure figure = lines("n,seed,trial,m\n1,1,1,0.9\n1,2,2,1\n2,1,3,0.5\n");
  CHECK(contains(figure.data, "1\t95\t31.469\t100\t2\t\"1\"\n"));
  CHECK(contains(figure.data, "2\t50\tNaN\tNaN\t1\t\"2\"\n"));
  CHECK(contains(figure.script, "with yerrorbars"));
  CHECK(contains(figure.script, "set ylabel 'm (%), 95 % interval'"));
  const Figure alone = lines("n,trial,m\n1,1,0.9\n2,2,0.8\n");
  CHECK_FALSE(contains(alone.script, "with yerrorbars"));
  CHECK(contains(alone.script, "set ylabel 'm (%)'"));
}

TEST_CASE("a line is broken where trials failed", "[report]") {
  const Figure figure = lines("n,trial,m\n1,1,5\n2,2,\n3,3,7\n");
  CHECK(contains(figure.data, "2\tNaN\tNaN\tNaN\t0\t\"2\"\n"));
}

TEST_CASE("more lines than can be distinguished are refused", "[report]") {
  std::string table = "n,a,trial,m\n";
  for (int i = 0; i < 29; ++i) table += fmt::format("1,{0},{0},{0}\n", i);
  CHECK(lines_mistake(table, "n") ==
        "figure 'sweep-lines': 29 lines are more than can be told apart (28): one for each "
        "combination of the axes beside 'n'; kind 'parallel-coordinates' draws them all");
}

TEST_CASE("one trial, and values that are all equal, are drawn without a warning", "[report]") {
  for (const char* rows : {"1,1,5\n", "0,1,0\n", "x,1,0.5\n", "1,1,3\n2,2,3\n", "1,1,1\n2,2,\n"}) {
    CHECK(draw(lines(std::string("n,trial,m\n") + rows)).warnings == "");
  }
}

TEST_CASE("long names and many values are drawn without a warning", "[report]") {
  const std::string name(70, 'w');
  std::string table = "model." + name + ",other." + name + "x,trial,metric." + name + "\n";
  for (int i = 0; i < 40; ++i)
    table += fmt::format("{}{},{}{},{},{}\n", name, i / 4, name, i % 4, i, i);
  const Figure figure = lines(table, "model." + name);
  CHECK(draw(figure).warnings == "");
  CHECK(title_of(figure).ends_with("…"));
}

}  // namespace
}  // namespace headway::testing
