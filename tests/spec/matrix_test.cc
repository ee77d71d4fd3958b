#include "lib/spec/matrix.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/spec/yaml.h"
#include "tests/support/loading.h"

namespace headway::testing {
namespace {

std::vector<MatrixItem> expand(const std::string& text, Diagnostics& diagnostics,
                               std::size_t most = 1000) {
  const Value matrix = parse_yaml(text, SourceLocation::intern("y"), diagnostics).value();
  return expand_matrix(matrix, "stage 'a'", most, diagnostics);
}

std::vector<std::string> names(const std::string& text) {
  Diagnostics diagnostics;
  std::vector<std::string> result;
  for (const MatrixItem& item : expand(text, diagnostics)) result.push_back(item.name);
  CHECK(diagnostics.text() == "");
  return result;
}

std::string complaints(const std::string& text, std::size_t most = 1000) {
  Diagnostics diagnostics;
  try {
    expand(text, diagnostics, most);
  } catch (const PipelineError& error) {
    return error.what();
  }
  return diagnostics.text();
}

using Names = std::vector<std::string>;

TEST_CASE("a matrix is the product of its axes, with the last varying fastest", "[spec]") {
  CHECK(names("{mode: [zero, mean], seed: [1, 2, 3]}") ==
        Names{"zero-1", "zero-2", "zero-3", "mean-1", "mean-2", "mean-3"});
  CHECK(names("{seed: [1, 2], mode: [zero, mean]}") ==
        Names{"1-zero", "1-mean", "2-zero", "2-mean"});
}

TEST_CASE("an item has the value of every axis, typed", "[spec]") {
  Diagnostics diagnostics;
  const auto items = expand("{lr: [0.1, 1], on: [true], n: ['3']}", diagnostics);
  REQUIRE(items.size() == 2);
  CHECK(to_json(items[0].values) == Json({{"lr", 0.1}, {"on", true}, {"n", "3"}}));
  CHECK(to_json(items[1].values) == Json({{"lr", 1}, {"on", true}, {"n", "3"}}));
}

TEST_CASE("an item's name can be used as a folder name", "[spec]") {
  CHECK(names("{v: [0.001, -5, 'a b', 'x/y', '..', é, '', true, ~, 1.0, 'a+b']}") ==
        Names{"0.001", "-5", "a_b", "x_y", "..", "__", "_", "true", "null", "1.0", "a+b"});
}

TEST_CASE("maps and lists are named by their axis and index", "[spec]") {
  CHECK(names("{m: [{d: 1}, {d: 2}], s: [1, 2]}") == Names{"m0-1", "m0-2", "m1-1", "m1-2"});
  CHECK(names("{m: [[1], small]}") == Names{"m0", "small"});
}

TEST_CASE("excluded items are left out", "[spec]") {
  CHECK(names("{a: [1, 2], b: [x, y], exclude: [{a: 2, b: y}]}") == Names{"1-x", "1-y", "2-x"});
  CHECK(names("{a: [1, 2], b: [x, y], exclude: [{a: 2}]}") == Names{"1-x", "1-y"});
  CHECK(names("{a: [{d: 1}, {d: 2}], exclude: [{a: {d: 1}}]}") == Names{"a1"});
}

TEST_CASE("included items come last, after exclusion", "[spec]") {
  CHECK(names("{a: [1, 2], b: [x], include: [{a: 9, b: z}]}") == Names{"1-x", "2-x", "9-z"});
  CHECK(names("{a: [1, 2], include: [{a: 1}], exclude: [{a: 1}]}") == Names{"2", "1"});
  CHECK(names("{include: [{b: z, a: 9}], a: [1], b: [x]}") == Names{"1-x", "9-z"});
}

TEST_CASE("an item whose folder would look like stale results is refused", "[spec]") {
  CHECK(complaints("{a: [x.stale]}") ==
        "y:1:1: stage 'a': a matrix item's name cannot end in '.stale', got 'x.stale': folders of "
        "results that are no longer current do");
}

TEST_CASE("two items of the same name are refused", "[spec]") {
  CHECK(complaints("{a: [1, 1]}") == "y:1:1: stage 'a': two matrix items are called '1'");
  CHECK(complaints("{a: ['x y', x_y]}") == "y:1:1: stage 'a': two matrix items are called 'x_y'");
  CHECK(complaints("{a: [x-y, x], b: [z, y-z]}") ==
        "y:1:1: stage 'a': two matrix items are called 'x-y-z'");
  CHECK(complaints("{a: [1], include: [{a: 1}]}") ==
        "y:1:1: stage 'a': two matrix items are called '1'");
}

TEST_CASE("an axis is a non-empty list", "[spec]") {
  CHECK(complaints("{a: 3}") ==
        "y:1:5: stage 'a': matrix axis 'a' needs a list with at least one value");
  CHECK(complaints("{a: []}") ==
        "y:1:5: stage 'a': matrix axis 'a' needs a list with at least one value");
  CHECK(complaints("{a: {b: 1}}") ==
        "y:1:5: stage 'a': matrix axis 'a' needs a list with at least one value");
}

TEST_CASE("a matrix is a map", "[spec]") {
  CHECK(complaints("[1, 2]") ==
        "y:1:1: stage 'a': 'matrix' is a map from axes to lists, got a list");
  CHECK(complaints("3") ==
        "y:1:1: stage 'a': 'matrix' is a map from axes to lists, got the integer 3");
}

TEST_CASE("an empty matrix is refused", "[spec]") {
  CHECK(complaints("{}") == "y:1:1: stage 'a': the matrix has no items");
  CHECK(complaints("{a: [1], exclude: [{a: 1}]}") == "y:1:1: stage 'a': the matrix has no items");
}

TEST_CASE("include and exclude must name existing axes, with a suggestion", "[spec]") {
  CHECK(complaints("{mode: [x], exclude: [{mod: x}]}") ==
        "y:1:24: stage 'a': unknown matrix axis 'mod'; did you mean 'mode'?");
  CHECK(complaints("{mode: [x], include: [{mode: y, seed: 1}]}") ==
        "y:1:33: stage 'a': unknown matrix axis 'seed'");
}

TEST_CASE("an exclude that matches nothing is refused", "[spec]") {
  CHECK(complaints("{a: [1, 2], exclude: [{a: 3}]}") ==
        "y:1:23: stage 'a': this 'exclude' matches no item");
  CHECK(complaints("{a: [1, 2], exclude: [{a: '1'}]}") ==
        "y:1:23: stage 'a': this 'exclude' matches no item");
}

TEST_CASE("an include needs every axis", "[spec]") {
  CHECK(complaints("{a: [1], b: [2], include: [{a: 3}]}") ==
        "y:1:28: stage 'a': this 'include' lacks axis 'b'");
}

TEST_CASE("include and exclude are lists of maps", "[spec]") {
  CHECK(complaints("{a: [1], exclude: {a: 1}}") ==
        "y:1:19: stage 'a': 'exclude' is a list of maps, got a map");
  CHECK(complaints("{a: [1], include: [2]}") ==
        "y:1:20: stage 'a': 'include' is a list of maps, got the integer 2 in it");
}

TEST_CASE("a matrix may have up to the maximum size", "[spec]") {
  const std::string hundred = "{a: [0,1,2,3,4,5,6,7,8,9], b: [0,1,2,3,4,5,6,7,8,9]}";
  CHECK(complaints(hundred, 100) == "");
  CHECK(
      complaints(hundred, 99) ==
      "y:1:1: stage 'a': the matrix has too many items: the pipeline has room for 99 more stages");
}

TEST_CASE("a matrix stage becomes one stage per item, in order", "[spec]") {
  const PipelineSpec pipeline = load(R"(
params: {modes: [zero, mean]}
stages:
  first: {uses: make-data}
  ablate:
    uses: shell
    matrix: {mode: "${modes}", seed: [1, 2]}
    outs: {metrics: m.json}
    with: {run: "x ${matrix.mode} ${matrix.seed} > {out.metrics}"}
    retries: ${matrix.seed}
)");
  CHECK(stage_names(pipeline) ==
        Names{"first", "ablate@zero-1", "ablate@zero-2", "ablate@mean-1", "ablate@mean-2"});
  const StageSpec& one = stage(pipeline, "ablate@mean-2");
  CHECK(one.family == "ablate");
  CHECK(one.item == "mean-2");
  CHECK(to_json(one.params)["run"] == "x mean 2 > {out.metrics}");
  CHECK(one.retries == 2);
  CHECK(one.subject() == "stage 'ablate'");
}

TEST_CASE("a map on an axis is passed as a whole and in parts", "[spec]") {
  const PipelineSpec pipeline = load(R"(
stages:
  d: {uses: make-data}
  t:
    uses: train-model
    matrix: {m: [{d_model: 8}, {d_model: 16}]}
    in: {data: d}
    with: {model: "${matrix.m}", note: "d is ${matrix.m.d_model}"}
)");
  CHECK(to_json(stage(pipeline, "t@m1").params)["model"]["d_model"] == 16);
  CHECK(to_json(stage(pipeline, "t@m1").params)["note"] == "d is 16");
}

TEST_CASE("a matrix cannot refer to itself", "[spec]") {
  CHECK(mistakes("stages:\n  a: {uses: shell, matrix: {x: ['${matrix.x}']}, with: {run: y}}\n") ==
        "p.yaml:2:33: '${matrix.x}' needs a stage with a matrix");
}

TEST_CASE("the same mistake in fifty items is reported once", "[spec]") {
  std::string values;
  for (int i = 0; i < 50; ++i) values += (i ? ", " : "") + std::to_string(i);
  CHECK(mistakes("stages:\n  a: {uses: shell, matrix: {n: [" + values +
                 "]},\n      with: {run: x, cod: []}}\n") ==
        "p.yaml:3:22: stage 'a': unknown parameter 'cod'; did you mean 'code'?");
}

}  // namespace
}  // namespace headway::testing
