#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

const std::string kFile = R"(params: {seed: 1, model: {d: 8, heads: 2}, name: x}
variants:
  wide: {model.d: 64}
  wider: {extends: wide, seed: 2}
  both: {model: {d: 16, heads: 4}}
  more: {+model.ff: 3, +fresh: [1]}
  same:
  round: {extends: about}
  about: {extends: round}
  lost: {extends: wied}
)";

Json as(const std::string& name) {
  return params_of(kFile, variant(name));
}
std::string refused_variant(const std::string& text, const std::string& name) {
  return params_mistakes(text, variant(name));
}

TEST_CASE("a variant changes params by dotted names", "[spec]") {
  CHECK(as("wide") == Json({{"seed", 1}, {"model", {{"d", 64}, {"heads", 2}}}, {"name", "x"}}));
}

TEST_CASE("a variant merges maps", "[spec]") {
  CHECK(as("both")["model"] == Json({{"d", 16}, {"heads", 4}}));
}

TEST_CASE("a variant extends another", "[spec]") {
  CHECK(as("wider")["model"]["d"] == 64);
  CHECK(as("wider")["seed"] == 2);
}

TEST_CASE("a variant's own values override those it extends", "[spec]") {
  CHECK(params_of("params: {a: 0}\nvariants: {x: {a: 1}, y: {a: 2, extends: x}}",
                  variant("y"))["a"] == 2);
}

TEST_CASE("a variant adds params with a plus", "[spec]") {
  CHECK(as("more")["model"] == Json({{"d", 8}, {"heads", 2}, {"ff", 3}}));
  CHECK(as("more")["fresh"] == Json({1}));
}

TEST_CASE("a variant may change nothing", "[spec]") {
  CHECK(as("same") == params_of(kFile));
}

TEST_CASE("a pipeline lists its variants and the one it was loaded with", "[spec]") {
  const PipelineSpec plain = load(and_a_stage("name: n\nvariants: {a: , b: }"));
  CHECK(plain.variants == std::vector<std::string>{"a", "b"});
  CHECK(plain.label() == "n");
  const PipelineSpec varied = load(and_a_stage("name: n\nvariants: {a: , b: }"), variant("b"));
  CHECK(varied.variant == "b");
  CHECK(varied.label() == "n/b");
}

TEST_CASE("the option --set is applied after the variant", "[spec]") {
  CHECK(params_of(kFile, {"wide", {"model.d=1"}})["model"]["d"] == 1);
}

TEST_CASE("an unknown variant is reported with a suggestion", "[spec]") {
  CHECK(refused_variant(kFile, "wid") ==
        "--variant wid: unknown variant 'wid'; did you mean 'wide'?");
  CHECK(refused_variant("", "wide") == "--variant wide: unknown variant 'wide'");
}

TEST_CASE("a variant that extends an unknown one is reported at its `extends`", "[spec]") {
  CHECK(refused_variant(kFile, "lost") ==
        "p.yaml:10:19: unknown variant 'wied'; did you mean 'wide'?");
}

TEST_CASE("variants that extend each other in a cycle are reported with the cycle", "[spec]") {
  CHECK(refused_variant(kFile, "round") ==
        "p.yaml:9:20: variants extend each other in a circle: round -> about -> round");
  CHECK(refused_variant("variants: {a: {extends: a}}", "a") ==
        "p.yaml:1:25: variants extend each other in a circle: a -> a");
}

TEST_CASE("the length of a chain of variants is limited", "[spec]") {
  std::string text = "variants:\n  v0: {}\n";
  for (int i = 1; i < 50'000; ++i) text += fmt::format("  v{}: {{extends: v{}}}\n", i, i - 1);
  CHECK(refused_variant(text, "v99") == "");
  CHECK(refused_variant(text, "v49999") ==
        "p.yaml:49902:21: more than 100 variants extend one another");
}

TEST_CASE("a variant cannot change a missing parameter, or the kind of a parameter", "[spec]") {
  CHECK(refused_variant("params: {seed: 1}\nvariants:\n  v: {sed: 2}\n", "v") ==
        "p.yaml:3:7: unknown parameter 'sed'; did you mean 'seed'?");
  CHECK(refused_variant("params: {seed: 1}\nvariants:\n  v: {seed: x}\n", "v") ==
        "p.yaml:3:7: parameter 'seed' is the integer 1; it cannot become the text 'x'");
  CHECK(refused_variant("params: {m: {d: 1}}\nvariants:\n  v: {m: {dd: 1}}\n", "v") ==
        "p.yaml:3:11: unknown parameter 'm.dd'; did you mean 'd'?");
  CHECK(refused_variant("params: {m: {d: 1}}\nvariants:\n  v: {.m: 1}\n", "v") ==
        "p.yaml:3:7: '.m' is not a parameter's name");
}

TEST_CASE("a variant is a map", "[spec]") {
  CHECK(refused_variant("variants: {v: 3}", "v") ==
        "p.yaml:1:15: variant 'v' must be a map from parameters to values, got the integer 3");
  CHECK(refused_variant("variants: [v]", "") ==
        "p.yaml:1:11: 'variants' must be a map, got a list");
  CHECK(refused_variant("variants: {v: {extends: [a]}}", "v") ==
        "p.yaml:1:25: 'extends' expects a variant's name, got a list");
}

TEST_CASE("a variant that is not requested is not applied", "[spec]") {
  CHECK(refused_variant("variants: {v: 3, w: {nothing: 1}}", "") == "");
}

TEST_CASE("a variant cannot have the name of a stage", "[spec]") {
  CHECK(refused_variant("variants: {only: }", "") ==
        "p.yaml:1:12: variant 'only' has the name of a stage; their folders would collide");
}

TEST_CASE("a variant's name is a plain word", "[spec]") {
  for (const char* name : {"'a b'", "a/b", "..", ".hidden", "-x", "''", "a@b"}) {
    CAPTURE(name);
    const std::string text = refused_variant(std::string("variants: {") + name + ": {}}", "");
    CHECK(text.starts_with("p.yaml:1:12: '"));
    CHECK(text.ends_with("' is not a variant's name: use letters, digits, '_', '-' and '.'"));
  }
}

}  // namespace
}  // namespace headway::testing
