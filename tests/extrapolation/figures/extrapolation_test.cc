// `extrapolation`: panels, lengths, the trained range, and malformed tables.
#include <catch2/catch_test_macros.hpp>

#include "lib/figures/gnuplot.h"
#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

const std::string kHeader = "length,negatives,count,accuracy,low,high,trained_from,trained_to\n";

Figure drawn(const std::vector<FigureSource>& sources) {
  return figure_of("extrapolation", sources);
}

std::string mistake_in(const std::string& rows) {
  return mistake("extrapolation", {csv("", kHeader + rows)});
}

std::string rows_of(const std::vector<int>& lengths, const std::string& rest) {
  std::string rows;
  for (const int length : lengths) rows += std::to_string(length) + rest + "\n";
  return rows;
}

TEST_CASE("ways of making negatives are panels in order of appearance", "[report]") {
  const std::string script = drawn(example_of("extrapolation")).script;
  CHECK(script.find("set title 'swaps'") < script.find("set title 'adjacent'"));
  CHECK(contains(script, "set title 'adjacent'"));
}

TEST_CASE("accuracies and intervals are in percent, by length", "[report]") {
  const Figure figure =
      drawn({csv("", kHeader + "32,swaps,10,0.75,0.5,1,8,16\n8,swaps,10,1,,,8,16\n")});
  CHECK(
      contains(figure.data, "# length\taccuracy\tlow\thigh\n8\t100\t100\t100\n32\t75\t50\t100\n"));
}

TEST_CASE("a single model's title gives its accuracy at the longest length", "[report]") {
  CHECK(title_of(drawn({example_of("extrapolation")[0]})) ==
        "Length extrapolation: 99.5 % at length 64 (swaps), 70 % (adjacent)");
}

TEST_CASE("the title refers to the longest length that all models have", "[report]") {
  const std::string good = ",swaps,10,1,1,1,8,16";
  CHECK(title_of(drawn({csv("a", kHeader + rows_of({8, 256, 1024}, good)),
                        csv("b", kHeader + rows_of({8, 256, 512}, good))})) ==
        "Length extrapolation: 2 of 2 models above 99 % at length 256 (swaps)");
  CHECK(title_of(drawn(
            {csv("a", kHeader + rows_of({8}, good)), csv("b", kHeader + rows_of({16}, good))})) ==
        "Length extrapolation of 2 models");
}

TEST_CASE("a model that was not measured in a panel is not counted there", "[report]") {
  CHECK(title_of(drawn({csv("a", kHeader + "8,swaps,9,1,1,1,8,8\n8,adjacent,9,1,1,1,8,8\n"),
                        csv("b", kHeader + "8,swaps,9,1,1,1,8,8\n")})) ==
        "Length extrapolation: 2 of 2 models above 99 % at length 8 (swaps), 1 of 1 (adjacent)");
}

TEST_CASE("the axis of accuracy begins at 40, or lower where an interval does", "[report]") {
  CHECK(contains(drawn(example_of("extrapolation")).script, "set yrange [40:101.8]"));
  CHECK(contains(drawn({csv("", kHeader + "8,swaps,9,0.5,0.21,0.8,8,16\n")}).script,
                 "set yrange [20:102.4]"));
}

TEST_CASE("lengths that would collide have a tick without a label", "[report]") {
  const std::string script =
      drawn({csv("", kHeader + rows_of({8, 12, 16, 31, 32, 33, 1024}, ",swaps,9,1,1,1,8,16"))})
          .script;
  CHECK(contains(script, "'8' 8, '12' 12, '16' 16, '' 31, '32' 32, '' 33, '1024' 1024"));
}

TEST_CASE("chance and the trained lengths are marked", "[report]") {
  const std::string script = drawn(example_of("extrapolation")).script;
  CHECK(contains(script, "'chance' at graph 1.01, first 50"));
  CHECK(contains(script, "set label 2 'trained'"));
  CHECK_FALSE(contains(script, "(trained "));
}

TEST_CASE("if models were trained on different lengths, the legend says which", "[report]") {
  const Figure figure = drawn({csv("a", kHeader + rows_of({8, 64}, ",swaps,9,1,1,1,8,16")),
                               csv("b", kHeader + rows_of({8, 64}, ",swaps,9,1,1,1,8,32"))});
  CHECK(contains(figure.script, "title 'a (trained 8 to 16)'"));
  CHECK(contains(figure.script, "title 'b (trained 8 to 32)'"));
  CHECK(draw(figure).warnings == "");
}

TEST_CASE("fourteen models have a multi-line legend", "[report]") {
  const std::string table = example_of("extrapolation")[0].bytes;
  std::vector<FigureSource> sources;
  for (const char* encoding : {"none", "sinusoidal", "learned", "rope", "alibi", "t5", "random"}) {
    for (const char* pooling : {"mean", "max"}) {
      sources.push_back(csv(std::string(encoding) + "-" + pooling, table));
    }
  }
  const Figure figure = drawn(sources);
  CHECK(figure.size.height > drawn(example_of("extrapolation")).size.height);
  CHECK(draw(figure).warnings == "");
}

TEST_CASE("a very long name is truncated in the legend", "[report]") {
  const Figure figure = drawn({csv(std::string(5000, 'x'), example_of("extrapolation")[0].bytes),
                               csv("b", example_of("extrapolation")[0].bytes)});
  CHECK(contains(figure.script, "title '" + std::string(47, 'x') + "…'"));
  CHECK(draw(figure).warnings == "");
}

TEST_CASE("a single length of a single model is drawn", "[report]") {
  CHECK(draw(drawn({csv("", kHeader + "1,swaps,1,1,1,1,1,1\n")})).warnings == "");
}

TEST_CASE("malformed tables of lengths are reported", "[report]") {
  CHECK(mistake_in(",swaps,9,1,1,1,8,16\n") ==
        "figure 'extrapolation': the table, row 1: column 'length' must be a number, not ''");
  CHECK(mistake_in("0,swaps,9,1,1,1,8,16\n") ==
        "figure 'extrapolation': the table, row 1: column 'length' must be above 0, not '0'");
  CHECK(mistake_in("8,swaps,9,99,1,1,8,16\n") ==
        "figure 'extrapolation': the table, row 1: column 'accuracy' must be a fraction, 0 to 1, "
        "not '99'");
  CHECK(contains(mistake_in("8,swaps,9,1,x,1,8,16\n"), "the table: "));
  CHECK(mistake_in("8,swaps,9,1,1,1,16,8\n") ==
        "figure 'extrapolation': the table, row 1: trained_from 16 and trained_to 8 are no range "
        "of lengths");
  CHECK(mistake_in("8,swaps,9,1,1,1,8,16\n9,swaps,9,1,1,1,8,32\n") ==
        "figure 'extrapolation': the table, row 2: other lengths were trained than row 1 says");
  CHECK(mistake_in("8,swaps,9,1,1,1,8,16\n8,swaps,9,1,1,1,8,16\n") ==
        "figure 'extrapolation': the table, row 2: length 8 with negatives 'swaps' is there twice");
}

}  // namespace
}  // namespace headway::testing
