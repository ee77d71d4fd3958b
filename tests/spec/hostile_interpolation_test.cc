// Pipelines that are small as text and would be huge as values.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

// params p0..p12, each ten times the one before.
std::string tenfold(const std::string& first, const std::string& open, const std::string& part,
                    const std::string& close) {
  std::string text = "params:\n  p0: " + first + "\n";
  for (int i = 1; i <= 12; ++i) {
    text += "  p" + std::to_string(i) + ": " + open;
    for (int j = 0; j < 10; ++j) text += fmt::format(fmt::runtime(part), i - 1);
    text += close + "\n";
  }
  return and_a_stage(text);
}

TEST_CASE("lists that repeat lists repeatedly are refused", "[spec][hostile]") {
  CHECK(quickly(tenfold("[1, 2, 3]", "[", "\"${{p{}}}\", ", "]"))
            .ends_with(": interpolation makes the pipeline too large"));
}

TEST_CASE("texts that repeat texts repeatedly are refused", "[spec][hostile]") {
  CHECK(quickly(tenfold("laugh", "'", "${{p{}}}", "'"))
            .ends_with(": interpolation makes the pipeline too large"));
}

TEST_CASE("many texts that are too large only together are refused", "[spec][hostile]") {
  std::string text = "params:\n  big: " + std::string(1'000'000, 'x') + "\n  all:\n";
  for (int i = 0; i < 70; ++i) text += "    - ${big}\n";
  CHECK(quickly(and_a_stage(text)).ends_with(": interpolation makes the pipeline too large"));
}

TEST_CASE("many stages that each take a large parameter are refused", "[spec][hostile]") {
  std::string text = "params:\n  big: [";
  for (int i = 0; i < 50'000; ++i) text += "1,";
  text += "]\nstages:\n";
  for (int i = 0; i < 1000; ++i)
    text += "  s" + std::to_string(i) + ": {uses: shell, with: {run: '${big}'}}\n";
  CHECK(quickly(text).ends_with(": interpolation makes the pipeline too large"));
}

TEST_CASE("a long chain of params is followed, and a longer one is refused", "[spec][hostile]") {
  const auto chain = [](int length) {
    std::string text = "params:\n";
    for (int i = 0; i < length; ++i) text += fmt::format("  p{}: \"${{p{}}}\"\n", i, i + 1);
    return and_a_stage(text + fmt::format("  p{}: end\n", length));
  };
  CHECK(quickly(chain(150)) == "");
  CHECK(quickly(chain(5000)).find(": params refer to each other too deeply") != std::string::npos);
}

TEST_CASE("nesting created by interpolation is limited like any other", "[spec][hostile]") {
  std::string text = "params:\n";
  for (int i = 0; i < 20; ++i) {
    text += fmt::format("  p{}: {}\"${{p{}}}\"{}\n", i, std::string(20, '['), i + 1,
                        std::string(20, ']'));
  }
  CHECK(quickly(and_a_stage(text + "  p20: end\n")).find("nests values too deeply") !=
        std::string::npos);
}

TEST_CASE("a matrix with a huge product is refused", "[spec][hostile]") {
  std::string axes;
  for (char c = 'a'; c <= 'p'; ++c)
    axes += std::string(1, c) + ": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], ";
  CHECK(quickly("stages:\n  s: {uses: shell, with: {run: x}, matrix: {" + axes + "}}\n") ==
        "p.yaml:2:44: stage 's': the matrix has too many items: the pipeline has room for 100000 "
        "more stages");
}

TEST_CASE("many matrices are limited together", "[spec][hostile][long]") {
  std::string text = "stages:\n";
  for (int i = 0; i < 50; ++i) {
    text += fmt::format(
        "  s{}: {{uses: shell, with: {{run: x}}, matrix: {{a: &l [0,1,2,3,4,5,6,7,8,9], b: *l, c: "
        "*l, d: [1,2,3,4,5]}}}}\n",
        i);
  }
  CHECK(quickly(text) ==
        "p.yaml:22:46: stage 's20': the matrix has too many items: the pipeline has room for 0 "
        "more stages");
}

TEST_CASE("a thousand stages that each read a thousand need only two thousand edges",
          "[spec][hostile]") {
  std::string values;
  for (int i = 0; i < 1000; ++i) values += std::to_string(i) + ", ";
  const PipelineSpec pipeline =
      load("stages:\n  a: {uses: make-data, matrix: {n: [" + values +
           "]}}\n  b: {uses: plot-tables, matrix: {n: [" + values + "]}, in: {tables: 'a@*'}}\n");
  CHECK(pipeline.stages.size() == 2000);
  REQUIRE(pipeline.fan_ins.size() == 1);
  CHECK(pipeline.fan_ins[0].members.size() == 1000);
}

}  // namespace
}  // namespace headway::testing
