// `in`: the ports of stage types, and those that a pipeline names itself.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

std::string with_data(const std::string& stage) {
  return "stages:\n  data: {uses: make-data}\n  t: " + stage + "\n";
}

TEST_CASE("declared inputs are connected by name", "[spec]") {
  const PipelineSpec pipeline = load(R"(stages:
  data: {uses: make-data}
  t: {uses: train-model, in: {data: data}}
  more: {uses: train-model, in: {data: data.data, start: t.model}}
)");
  CHECK(sources(pipeline, "more", "data") == "data.data");
  CHECK(sources(pipeline, "more", "start") == "t.model");
}

TEST_CASE("a stage may refer to a later one", "[spec]") {
  CHECK(
      sources(
          load("stages:\n  t: {uses: train-model, in: {data: data}}\n  data: {uses: make-data}\n"),
          "t", "data") == "data.data");
}

TEST_CASE("an unknown input is refused with a suggestion", "[spec]") {
  CHECK(mistakes(with_data("{uses: train-model, in: {data: data, strat: data}}")) ==
        "p.yaml:3:43: stage 't': stage type 'train-model' has no input 'strat'; did you mean "
        "'start'?");
  CHECK(mistakes("stages:\n  d: {uses: make-data, in: {x: d}}\n") ==
        "p.yaml:2:29: stage 'd': stage type 'make-data' has no input 'x'");
}

TEST_CASE("a missing required input is reported with its help", "[spec]") {
  CHECK(mistakes(with_data("{uses: train-model}")) ==
        "p.yaml:3:3: stage 't': input 'data' is not connected (what to learn)");
  CHECK(mistakes(with_data("{uses: train-model, in: {}}")) ==
        "p.yaml:3:30: stage 't': input 'data' is not connected (what to learn)");
  CHECK(
      mistakes(with_data("{uses: train-model, in: {dta: data}}")) ==
      "p.yaml:3:30: stage 't': input 'data' is not connected (what to learn)\n"
      "p.yaml:3:31: stage 't': stage type 'train-model' has no input 'dta'; did you mean 'data'?");
}

TEST_CASE("an input for one artifact takes neither a list of two nor a fan-in", "[spec]") {
  CHECK(mistakes(with_data("{uses: train-model, in: {data: [data, data]}}")) ==
        "p.yaml:3:37: stage 't': input 'data' takes one artifact, not several");
  CHECK(mistakes("stages:\n  many: {uses: make-data, matrix: {n: [1, 2]}}\n  t: {uses: "
                 "train-model, in: {data: 'many@*'}}\n") ==
        "p.yaml:3:37: stage 't': input 'data' takes one artifact, not several");
  CHECK(mistakes(with_data("{uses: train-model, in: {data: [data]}}")) == "");
}

TEST_CASE("an input for many takes one, a list or a fan-in", "[spec]") {
  const std::string many =
      "stages:\n  one: {uses: make-data}\n  many: {uses: make-data, matrix: {n: [1, 2]}}\n  p: "
      "{uses: plot-tables, in: {tables: ";
  CHECK(sources(load(many + "one}}\n"), "p", "tables") == "one.data");
  CHECK(sources(load(many + "many@*}}\n"), "p", "tables") == "many@*.data");
  CHECK(sources(load(many + "[one, many@2]}}\n"), "p", "tables") == "one.data, many@2.data");
}

TEST_CASE("a list that names no stage is refused, even inside a list", "[spec]") {
  for (const char* nothing : {"[]", "[[]]", "[[], [[]]]"}) {
    CAPTURE(nothing);
    CHECK(mistakes(with_data(std::string("{uses: train-model, in: {data: ") + nothing + "}}")) ==
          "p.yaml:3:37: stage 't': input 'data' is connected to nothing");
  }
}

TEST_CASE("names of inputs are plain words", "[spec]") {
  CHECK(mistakes(with_data("{uses: shell, in: {'a b': data}, with: {run: x}}")) ==
        "p.yaml:3:25: stage 't': 'a b' is not an input's name: use letters, digits, '_' and '-'");
}

TEST_CASE("inputs are a map", "[spec]") {
  CHECK(
      mistakes(with_data("{uses: shell, in: data, with: {run: x}}")) ==
      "p.yaml:3:24: stage 't': 'in' is a map from inputs to stages or files, got the text 'data'");
  CHECK(mistakes(with_data("{uses: train-model, in: [data]}")) ==
        "p.yaml:3:30: stage 't': 'in' is a map from inputs to stages or files, got a list");
}

TEST_CASE("each item of a matrix may have its own inputs", "[spec]") {
  const PipelineSpec pipeline = load(R"(stages:
  data: {uses: make-data, matrix: {kind: [a, b]}}
  t: {uses: train-model, matrix: {kind: [a, b]}, in: {data: "data@${matrix.kind}"}}
)");
  CHECK(sources(pipeline, "t@a", "data") == "data@a.data");
  CHECK(sources(pipeline, "t@b", "data") == "data@b.data");
}

}  // namespace
}  // namespace headway::testing
