// `parallel-coordinates`: which line is where, and which is on top.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include "lib/figures/gnuplot.h"
#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

Figure parallel(const std::string& table, Goal goal = Goal::kMax) {
  FigureOptions options;
  options.goal = goal;
  return figure_of("parallel-coordinates", {csv("", table)}, options);
}

std::string best_block(const Figure& figure) {
  return figure.data.substr(figure.data.find(": the best\n"));
}

const std::string kSweep =
    "a,b,seed,trial,m\n1,x,1,1,5\n2,y,1,2,9\n2,y,2,3,11\n4,x,1,4,7\n8,y,1,5,\n";

TEST_CASE("a line runs across the axes, without seeds, to the mean of its metric", "[report]") {
  // Heights: logarithmic on a; y is the second category; the mean 10 is the highest. Of two lines
  // through y the better one is the upper.
  const std::string best = best_block(parallel(kSweep));
  CHECK(contains(best, "\n0\t0.35\t10\t\"2\"\n"));
  CHECK(contains(best, "\n1\t0.975\t10\t\"y\"\n"));
  CHECK(contains(best, "\n2\t0.954545\t10\t\"10\"\n"));
}

TEST_CASE("if low is good, the better of two lines through a value is the lower one", "[report]") {
  CHECK(contains(best_block(parallel(kSweep, Goal::kMin)), "\n1\t0.025\t5\t\"x\"\n"));
}

TEST_CASE("the best follows the goal, and is drawn last and thick", "[report]") {
  const Figure high = parallel(kSweep), low = parallel(kSweep, Goal::kMin);
  CHECK(contains(best_block(high), "\t\"10\"\n"));
  CHECK(contains(best_block(low), "\t\"5\"\n"));
  CHECK(contains(high.script, "using 1:2:3 with lines lw 4 lc palette\n"));
  CHECK(contains(high.script, "1 '#440154')"));
  CHECK(contains(low.script, "(0 '#440154'"));
}

TEST_CASE("the worst lines are below the better ones", "[report]") {
  const Figure figure = parallel(kSweep);
  CHECK(figure.data.find("\t5\t\"1\"\n") < figure.data.find("\t7\t\"4\"\n"));
  const Figure low = parallel(kSweep, Goal::kMin);
  CHECK(low.data.find("\t10\t\"2\"\n") < low.data.find("\t7\t\"4\"\n"));
}

TEST_CASE("configurations without a result are dashed and end before the metric", "[report]") {
  const Figure figure = parallel(kSweep);
  CHECK(contains(figure.data, ": without a result\n# axis\theight\tmetric\tvalue\n0\t0.95\tNaN\t"));
  CHECK(contains(figure.script, "title 'no result'"));
  CHECK_FALSE(contains(parallel("a,trial,m\n1,1,5\n").script, "no result"));
}

TEST_CASE("parallel coordinates of any size are drawn without a warning", "[report]") {
  CHECK(draw(parallel("a,trial,m\n1,1,0.5\n")).warnings == "");
  CHECK(draw(parallel("a,b,trial,m\n1,1,1,3\n2,1,2,3\n")).warnings == "");
  const std::string name(70, 'w');
  std::string table = "model." + name + ",other." + name + "x,lr,trial,metric." + name + "\n";
  for (int i = 0; i < 50; ++i) {
    table += fmt::format("{}{},{},{},{},{}\n", name, i % 5, i % 7, 0.001 * i * i + 0.001, i, i);
  }
  const Figure figure = parallel(table);
  CHECK(draw(figure).warnings == "");
  CHECK(title_of(figure).starts_with("50 configurations: best metric."));
}

}  // namespace
}  // namespace headway::testing
