// Grids of attention weights: of single problems, and between roles.
#include "lib/figures/weight_grid.h"

#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include "lib/base/json.h"
#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

TEST_CASE("padding is not drawn", "[report]") {
  FigureOptions options;
  options.problem = 1;
  const Figure figure = figure_of("attention", example_of("attention"), options);
  CHECK(contains(figure.script, "set xtics norotate autojustify offset 0,0.6 ('4' 0)\n"));
  CHECK_FALSE(contains(figure.script, "PAD"));
  CHECK(contains(figure.script, "set ytics ('BOS' 0, '4' 1)\n"));
}

// An encoder with one head on one problem, whose words are of any length.
TensorFile words_maps(const std::vector<std::string>& words) {
  const auto count = static_cast<std::int64_t>(words.size());
  std::vector<std::int32_t> tokens;
  for (std::int64_t i = 0; i < count; ++i) tokens.push_back(static_cast<std::int32_t>(i));
  TensorFile file;
  file.arrays["encoder.0.self"] =
      Array::of({1, 1, count, count}, std::vector<float>(words.size() * words.size(), 0.5F));
  file.arrays["inputs"] = Array::of({1, count}, tokens);
  file.metadata = {{"problems", R"(["some words"])"}, {"tokens", to_line(Json(words))}};
  return file;
}

TEST_CASE("long words are cut and stand upright", "[report]") {
  const Figure figure =
      figure_of("attention", {tensors(words_maps({"a", "an extremely long word", "長い言葉"}))});
  CHECK(contains(figure.script, "set xtics rotate by 90 right"));
  CHECK(contains(figure.script, "'an extremely …' 1"));
  CHECK(draw(figure).warnings == "");
}

TEST_CASE("names for which cells are too small are left out", "[report]") {
  std::vector<std::string> words;
  for (int i = 0; i < 300; ++i) words.push_back(std::to_string(i));
  const Figure figure = figure_of("attention", {tensors(words_maps(words))});
  CHECK(contains(figure.script, "'0' 0, "));
  CHECK_FALSE(contains(figure.script, "'1' 1, "));
  CHECK(contains(figure.script, ", '299' 299)"));
  CHECK(figure.size.width < 1500);
  CHECK(draw(figure).warnings == "");
}

TEST_CASE("more weights than a figure can have are reported", "[report]") {
  CHECK(mistake("attention", {tensors(words_maps(std::vector<std::string>(1001, "a")))}) ==
        "figure 'attention': 1002001 weights are too many to draw: at most 1000000");
  std::string rows = "label,query,key,weight\n";
  for (int head = 0; head < 200; ++head) rows += fmt::format("Encoder L0 H{},a,b,1\n", head);
  CHECK(contains(mistake("role-attention", {csv("", rows)}),
                 "pixels, and a figure can have 16000; set 'width' and 'height' to draw them "
                 "smaller"));
}

TEST_CASE("heads of one layer stand side by side, with the roles that they attend to", "[report]") {
  const Figure figure = example_figure("role-attention");
  CHECK(contains(figure.data, ": Encoder L0 H2\n# key\tquery\tweight\n0\t0\t0.5\n1\t0\t0.5\n"));
  CHECK(contains(figure.script, "('sum' 0)"));
  // The pair that no head has is a gap, which the note explains.
  CHECK(contains(figure.data, "\n0\t1\tNaN\n1\t1\t1\n"));
  CHECK(contains(figure.script, "grey: never together"));
  const Figure whole = figure_of("role-attention", {csv("", "label,query,key,weight\nA,a,a,1\n")});
  CHECK_FALSE(contains(whole.script, "grey"));
  CHECK(contains(whole.data, ": A\n"));
}

TEST_CASE("a pair of roles that is there twice is reported", "[report]") {
  CHECK(mistake("role-attention", {csv("", "label,query,key,weight\nA,a,b,1\nA,a,b,0\n")}) ==
        "figure 'role-attention': the table, row 2: the weight of 'A' from 'a' on 'b' is there "
        "twice");
  const std::string table = "label,query,key,weight\nA,a,b,1\n";
  CHECK(mistake("role-attention", {csv("x", table), csv("y", table)}) ==
        "figure 'role-attention': takes one table, not 2: draw each in a figure of its own");
}

TEST_CASE("attention without token texts is drawn with their numbers", "[report]") {
  TensorFile maps = attention_maps();
  maps.metadata.erase("tokens");
  maps.metadata.erase("answers");
  const Figure figure = figure_of("attention", {tensors(maps)});
  CHECK(title_of(figure) == "Attention for 3+=7");
  CHECK(contains(figure.script, "set ytics ('12' 0, '7' 1)\n"));
}

}  // namespace
}  // namespace headway::testing
