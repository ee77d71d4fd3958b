#include "lib/spec/interpolate.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

TEST_CASE("a lone reference becomes the value, of any type", "[spec]") {
  const Json params = params_of(R"(params:
  n: 3
  x: 0.5
  yes: true
  none: ~
  list: [1, a]
  model: {d_model: 8, heads: [1, 2]}
  copies: ["${n}", "${x}", "${yes}", "${none}", "${list}", "${model}"]
)");
  CHECK(params["copies"] ==
        Json({3, 0.5, true, nullptr, {1, "a"}, {{"d_model", 8}, {"heads", {1, 2}}}}));
}

TEST_CASE("a reference inside text is expanded", "[spec]") {
  const Json params = params_of(
      "params: {n: 3, x: 0.001, yes: true, none: ~, w: word, "
      "t: 'a-${n}-${x}-${yes}-${w}-${none}.', two: '${n}${n}', pad: ' ${n}'}");
  CHECK(params["t"] == "a-3-0.001-true-word-.");
  CHECK(params["two"] == "33");
  CHECK(params["pad"] == " 3");
}

TEST_CASE("text that looks like a number stays text", "[spec]") {
  CHECK(params_of("params: {n: 3, t: '${n}${n}'}")["t"].is_string());
  CHECK(params_of("params: {n: '3', t: '${n}'}")["t"].is_string());
}

TEST_CASE("a path leads into nested maps", "[spec]") {
  CHECK(params_of("params: {a: {b: {c: 7}}, x: '${a.b.c}', y: '${a.b}'}")["x"] == 7);
  CHECK(params_of("params: {a: {b: {c: 7}}, x: '${a.b.c}', y: '${a.b}'}")["y"] == Json({{"c", 7}}));
}

TEST_CASE("references nest", "[spec]") {
  const std::string models = "params: {which: small, models: {small: {d: 8}, large: {d: 64}}, ";
  CHECK(params_of(models + "m: '${models.${which}}'}")["m"] == Json({{"d", 8}}));
  CHECK(params_of(models + "d: '${models.${which}.d}'}")["d"] == 8);
  CHECK(params_of(models + "t: 'd=${models.${which}.d}'}")["t"] == "d=8");
  CHECK(params_of("params: {a: b, b: c, c: d, d: 1, x: '${${${${a}}}}'}")["x"] == 1);
  CHECK(params_of(models + "m: '${models.${which}}'}", set({"which=large"}))["m"] ==
        Json({{"d", 64}}));
}

TEST_CASE("params may refer to each other in any order", "[spec]") {
  const Json params = params_of("params: {a: '${b}', b: '${c}!', c: x}");
  CHECK(params == Json({{"a", "x!"}, {"b", "x!"}, {"c", "x"}}));
}

TEST_CASE("a path may lead through a reference", "[spec]") {
  CHECK(params_of("params: {models: {small: {d: 8}}, m: '${models.small}', d: '${m.d}'}")["d"] ==
        8);
  CHECK(params_of("params: {a: '${b}', b: '${c}', c: {x: {y: 5}}, z: '${a.x.y}'}")["z"] == 5);
}

TEST_CASE("a map may refer to its own other entries", "[spec]") {
  CHECK(params_of("params: {m: {d: 8, ff: '${m.d}'}}")["m"] == Json({{"d", 8}, {"ff", 8}}));
}

TEST_CASE("two dollars before a brace escape the reference", "[spec]") {
  const Json params = params_of(
      "params: {a: '$${HOME}', b: 'x $${a} y', c: '$$', d: '$a', e: '$', f: '{a}', g: 'a$'}");
  CHECK(params["a"] == "${HOME}");
  CHECK(params["b"] == "x ${a} y");
  CHECK(params["c"] == "$$");
  CHECK(params["d"] == "$a");
  CHECK(params["e"] == "$");
  CHECK(params["f"] == "{a}");
  CHECK(params["g"] == "a$");
}

TEST_CASE("substituted text is not interpolated again", "[spec]") {
  CHECK(params_of("params: {a: '$${b}', b: 1, c: '${a}', d: 'x${a}'}")["c"] == "${b}");
  CHECK(params_of("params: {a: '$${b}', b: 1, c: '${a}', d: 'x${a}'}")["d"] == "x${b}");
}

TEST_CASE("keys are not interpolated", "[spec]") {
  CHECK(params_of("params: {n: 1, '${n}': 2}") == Json({{"n", 1}, {"${n}", 2}}));
}

TEST_CASE("an unknown parameter is reported where it is used, with a suggestion", "[spec]") {
  CHECK(params_mistakes("params:\n  seed: 1\n  x: '${seeds}'\n") ==
        "p.yaml:3:6: unknown parameter 'seeds'; did you mean 'seed'?");
  CHECK(params_mistakes("params: {x: 'a ${zebra} b'}") == "p.yaml:1:13: unknown parameter 'zebra'");
  CHECK(params_mistakes("params: {model: {d_model: 1}, x: '${model.d_modle}'}") ==
        "p.yaml:1:34: unknown parameter 'model.d_modle'; did you mean 'model.d_model'?");
  CHECK(params_mistakes("params: {model: {d_model: 1}, x: '${modle.d_model}'}") ==
        "p.yaml:1:34: unknown parameter 'modle.d_model'; did you mean 'model'?");
}

TEST_CASE("a path into a scalar or a list is unknown", "[spec]") {
  CHECK(params_mistakes("params: {a: 1, x: '${a.b}'}") == "p.yaml:1:19: unknown parameter 'a.b'");
  CHECK(params_mistakes("params: {a: [1], x: '${a.0}'}") == "p.yaml:1:21: unknown parameter 'a.0'");
}

TEST_CASE("for a shell variable in a command, the message explains how to write it", "[spec]") {
  CHECK(mistakes("stages:\n  a: {uses: shell, with: {run: 'echo ${HOME}'}}\n") ==
        "p.yaml:2:32: unknown parameter 'HOME'; for the shell's own, write $${HOME}");
}

TEST_CASE("params that refer to each other in a cycle are reported with the cycle", "[spec]") {
  CHECK(params_mistakes("params: {a: '${a}'}") ==
        "p.yaml:1:13: params refer to each other in a circle: a -> a");
  const std::string three = params_mistakes("params:\n  a: '${b}'\n  b: '${c}'\n  c: '${a}'\n");
  CHECK(three == "p.yaml:2:6: params refer to each other in a circle: b -> c -> a -> b");
}

TEST_CASE("a map that contains itself is a cycle", "[spec]") {
  CHECK(params_mistakes("params: {m: {inner: '${m}'}}") ==
        "p.yaml:1:21: params refer to each other in a circle: m -> m");
  CHECK(params_mistakes("params: {x: '${m.inner}', m: {inner: '${m}'}}") ==
        "p.yaml:1:38: params refer to each other in a circle: m.inner -> m\n"
        "p.yaml:1:38: params refer to each other in a circle: m -> m");
}

TEST_CASE("a map or a list cannot be part of a text", "[spec]") {
  CHECK(params_mistakes("params: {m: {a: 1}, x: 'a${m}'}") ==
        "p.yaml:1:24: '${m}' is a map and cannot be part of a text");
  CHECK(params_mistakes("params: {l: [1], x: '${l} '}") ==
        "p.yaml:1:21: '${l}' is a list and cannot be part of a text");
}

TEST_CASE("an unterminated reference is reported", "[spec]") {
  CHECK(params_mistakes("params: {x: 'a ${b'}")
            .starts_with("p.yaml:1:13: '${' without its '}' in 'a ${b'"));
  CHECK(params_mistakes("params: {x: '${'}") == "p.yaml:1:13: '${' without its '}' in '${'");
}

TEST_CASE("stages can use params in all of their keys", "[spec]") {
  const PipelineSpec pipeline = load(R"(
params: {n: 2, name: x, time: 5m, to: {metrics: m.json}, bound: 0.5}
stages:
  a:
    uses: shell
    outs: "${to}"
    with: {run: "echo ${n} > {out.metrics}"}
    resources: {cpus: "${n}"}
    timeout: ${time}
    retries: ${n}
    expect: {acc: ">= ${bound}"}
  b: {uses: shell, needs: "${letter}", with: {run: "true"}}
)",
                                     set({"+letter=a"}));
  const StageSpec& a = stage(pipeline, "a");
  CHECK(to_json(a.params)["run"] == "echo 2 > {out.metrics}");
  CHECK(a.resources.cpus == 2);
  CHECK(a.timeout == 300);
  CHECK(a.retries == 2);
  CHECK(a.outputs.at(0).file == "m.json");
  CHECK(a.expectations.at(0).text() == "acc >= 0.5");
  CHECK(needs(pipeline, "b") == "a");
}

TEST_CASE("a mistake in a referenced value is reported where the value is written", "[spec]") {
  CHECK(mistakes("params:\n  e: many\nstages:\n  d: {uses: make-data}\n"
                 "  t: {uses: train-model, in: {data: d}, with: {epochs: '${e}'}}\n") ==
        "p.yaml:2:6: stage 't': parameter 'epochs' expects an integer, got the text 'many'");
}

TEST_CASE("a matrix axis is known only in its own stage, and is suggested", "[spec]") {
  CHECK(mistakes(
            "stages:\n  a: {uses: shell, matrix: {mode: [x]}, with: {run: '${matrix.mod}'}}\n") ==
        "p.yaml:2:53: unknown matrix axis 'mod'; did you mean 'mode'?");
  CHECK(mistakes("stages:\n  a: {uses: shell, with: {run: '${matrix.mode}'}}\n") ==
        "p.yaml:2:32: '${matrix.mode}' needs a stage with a matrix");
}

TEST_CASE("a parameter named matrix is refused", "[spec]") {
  CHECK(params_mistakes("params: {matrix: 1}") ==
        "p.yaml:1:18: the parameter name 'matrix' is reserved");
}

TEST_CASE("paths are looked up part by part", "[spec]") {
  const Value root = from_json({{"a", {{"b", 1}}}, {"c", 2}}, {});
  CHECK(*find_path(root, "a.b")->integer() == 1);
  CHECK(*find_path(root, "c")->integer() == 2);
  for (const char* path : {"", ".", "a.", ".a", "a.b.c", "d", "a..b"}) {
    CAPTURE(path);
    CHECK_FALSE(find_path(root, path));
  }
}

}  // namespace
}  // namespace headway::testing
