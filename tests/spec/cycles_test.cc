#include "lib/spec/graph.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

std::string line(const std::string& name, const std::string& rest) {
  return "  " + name + ": {uses: shell, outs: {o: o}, with: {run: 'x > {out.o}'}, " + rest + "}\n";
}

TEST_CASE("stages that wait for each other are reported with the cycle", "[spec]") {
  CHECK(mistakes("stages:\n" + line("a", "in: {x: c}") + line("b", "in: {x: a}") +
                 line("c", "in: {x: b}")) ==
        "p.yaml:2:3: stages wait for each other in a circle: a -> c -> b -> a");
}

TEST_CASE("a stage that waits for itself is reported", "[spec]") {
  CHECK(mistakes("stages:\n" + line("a", "in: {x: a}")) ==
        "p.yaml:2:3: stages wait for each other in a circle: a -> a");
  CHECK(mistakes("stages:\n" + line("a", "needs: a")) ==
        "p.yaml:2:3: stages wait for each other in a circle: a -> a");
}

TEST_CASE("a cycle may be closed by ordering alone", "[spec]") {
  CHECK(mistakes("stages:\n" + line("a", "in: {x: b}") + line("b", "needs: a")) ==
        "p.yaml:2:3: stages wait for each other in a circle: a -> b -> a");
}

TEST_CASE("a cycle through a fan-in is reported", "[spec]") {
  CHECK(mistakes("stages:\n" + line("a", "matrix: {n: [1, 2]}, in: {x: b}") +
                 line("b", "in: {x: 'a@*'}")) ==
        "p.yaml:2:3: stages wait for each other in a circle: a@1 -> b -> a@* -> a@1\n"
        "p.yaml:3:3: stages wait for each other in a circle: b -> a@* -> a@2 -> b");
}

TEST_CASE("a matrix that waits for itself is reported", "[spec]") {
  const std::string text = mistakes("stages:\n" + line("a", "matrix: {n: [1, 2]}, needs: a"));
  CHECK(text.starts_with("p.yaml:2:3: stages wait for each other in a circle: a@1 -> a@* -> a@1"));
}

TEST_CASE("only the cycle is reported, not the path to it", "[spec]") {
  CHECK(mistakes("stages:\n" + line("a", "in: {x: b}") + line("b", "in: {x: c}") +
                 line("c", "in: {x: b}")) ==
        "p.yaml:3:3: stages wait for each other in a circle: b -> c -> b");
}

TEST_CASE("every cycle is reported", "[spec]") {
  CHECK(mistakes("stages:\n" + line("a", "needs: a") + line("b", "needs: c") +
                 line("c", "needs: b")) ==
        "p.yaml:2:3: stages wait for each other in a circle: a -> a\n"
        "p.yaml:3:3: stages wait for each other in a circle: b -> c -> b");
}

TEST_CASE("a diamond is not a cycle", "[spec]") {
  CHECK(mistakes("stages:\n" + line("a", "") + line("b", "in: {x: a}") + line("c", "in: {x: a}") +
                 line("d", "in: {x: b, y: c}, needs: [a, b]")) == "");
}

TEST_CASE("a matrix may wait for single items of another matrix", "[spec]") {
  CHECK(mistakes("stages:\n" + line("a", "matrix: {n: [1]}, in: {x: 'b@1'}") +
                 line("b", "matrix: {n: [1, 2]}")) == "");
}

TEST_CASE("a chain of ten thousand stages does not overflow the stack", "[spec]") {
  PipelineSpec pipeline;
  pipeline.stages.resize(10'000);
  for (std::size_t i = 0; i + 1 < pipeline.stages.size(); ++i) {
    pipeline.stages[i].name = "s" + std::to_string(i);
    pipeline.stages[i].needs.push_back({.stage = StageId(i + 1), .location = {}});
  }
  Diagnostics diagnostics;
  find_cycles(pipeline, diagnostics);
  CHECK(diagnostics.empty());
  pipeline.stages.back().needs.push_back({.stage = StageId(9'998), .location = {}});
  pipeline.stages.back().name = "last";
  find_cycles(pipeline, diagnostics);
  CHECK(diagnostics.text().ends_with("s9998 -> last -> s9998"));
}

}  // namespace
}  // namespace headway::testing
