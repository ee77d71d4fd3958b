// `training-summary`: which epoch is the best, and how logs and timings are matched.
#include <catch2/catch_test_macros.hpp>

#include "lib/figures/gnuplot.h"
#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

const std::string kLog = "epoch,train_loss,val_loss,accuracy,learning_rate\n";
const std::string kTiming = "epoch,seconds,samples_per_second\n";

Figure drawn(const std::vector<FigureSource>& sources) {
  return figure_of("training-summary", sources);
}

std::string mistake_in(const std::vector<FigureSource>& sources) {
  return mistake("training-summary", sources);
}

TEST_CASE("the best epoch has the highest accuracy, then the lowest loss", "[report]") {
  const Figure figure = drawn(example_of("training-summary"));
  CHECK(contains(figure.data, "1\t98.765\t\"98.76\"\n"));
  CHECK(contains(figure.data, "1\t0.1\t\"0.1 (epoch 3)\"\n"));
}

TEST_CASE("sequence trainings are described by their exact match", "[report]") {
  const Figure figure = drawn(example_of("training-curves"));
  CHECK(title_of(figure) == "Training: best validation accuracy 99.99 %");
  CHECK(contains(figure.data, "0.05 (epoch 3)"));
}

TEST_CASE("timings are joined to logs by name, in any order", "[report]") {
  const Figure figure =
      drawn({csv("a", kTiming + "1,60,9\n2,30,9\n"), csv("b", kLog + "1,1,1,0.5,1\n"),
             csv("a", kLog + "1,1,0.2,0.75,1\n"), csv("b", kTiming + "1,10,9\n")});
  CHECK(title_of(figure) == "2 trainings: best validation accuracy 50 to 75 %, 1 min 40 s in all");
  CHECK(contains(figure.script, "set ytics ('b' 1, \\\n  'a' 2)"));
  CHECK(contains(figure.data, "1\t10\t\"10.0 s\"\n2\t90\t\"1 min 30 s\"\n"));
  CHECK(contains(figure.script, "set title 'training time (seconds)'"));
}

TEST_CASE("without timings there are two panels, and partial timings leave gaps", "[report]") {
  CHECK_FALSE(contains(drawn({csv("a", kLog + "1,1,1,0.5,1\n")}).script, "training time"));
  const Figure figure = drawn({csv("a", kLog + "1,1,,0.5,1\n"), csv("b", kLog + "1,1,1,0.5,1\n"),
                               csv("b", kTiming + "1,7200,9\n2,7200,9\n")});
  CHECK(contains(figure.data, "1\t0\t\"–\"\n2\t4\t\"4 h 00 min\"\n"));
  CHECK(contains(figure.data, "1\t0\t\"– (epoch 1)\"\n"));
  CHECK(draw(figure).warnings == "");
}

TEST_CASE("epochs without an accuracy do not count", "[report]") {
  CHECK(contains(drawn({csv("", kLog + "1,1,0.5,0.9,1\n2,1,0.1,,1\n")}).data, "0.5 (epoch 1)"));
  CHECK(mistake_in({csv("", kLog + "1,1,1,,1\n")}) ==
        "figure 'training-summary': the table: column 'accuracy' has no number in any row");
}

TEST_CASE("logs and timings that do not match are reported", "[report]") {
  const FigureSource log = csv("a", kLog + "1,1,1,0.5,1\n"), timing = csv("a", kTiming + "1,1,9\n");
  CHECK(mistake_in({log, log}) == "figure 'training-summary': table 'a' is there twice");
  CHECK(mistake_in({log, timing, timing}) ==
        "figure 'training-summary': table 'a' is there twice, with seconds");
  CHECK(mistake_in({timing}) ==
        "figure 'training-summary': table 'a' has seconds of a training whose log is not there");
  CHECK(mistake_in({log, csv("a", kTiming + "1,,9\n")}) ==
        "figure 'training-summary': table 'a', row 1: column 'seconds' must be a number, not ''");
  CHECK(mistake_in({log, csv("a", kTiming + "1,-3,9\n")}) ==
        "figure 'training-summary': table 'a', row 1: column 'seconds' must not be below 0, but is "
        "'-3'");
  CHECK(mistake_in({log, csv("a", kTiming)}) ==
        "figure 'training-summary': table 'a' has no rows: nothing to draw");
  CHECK(mistake_in({csv("a", kLog + "1,1,1,50,1\n")}) ==
        "figure 'training-summary': table 'a', row 1: column 'accuracy' must be a fraction, 0 to "
        "1, not '50'");
}

}  // namespace
}  // namespace headway::testing
