// --set on the command line.
#include "lib/spec/overrides.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/spec/support/loading.h"

namespace headway::testing {
namespace {

const std::string kParams =
    "params: {seed: 1, lr: 0.1, on: true, name: x, list: [1], model: {d: 8, heads: 2}, empty: }";

Json after(std::vector<std::string> sets) {
  return params_of(kParams, set(std::move(sets)));
}
std::string refused(std::vector<std::string> sets) {
  return params_mistakes(kParams, set(std::move(sets)));
}

TEST_CASE("the option --set changes a parameter and keeps its type", "[spec]") {
  CHECK(after({"seed=7"})["seed"] == 7);
  CHECK(after({"on=false"})["on"] == false);
  CHECK(after({"name=some words"})["name"] == "some words");
  CHECK(after({"model.d=64"})["model"] == Json({{"d", 64}, {"heads", 2}}));
}

TEST_CASE("the option --set takes lists and maps", "[spec]") {
  CHECK(after({"list=[2, 3]"})["list"] == Json({2, 3}));
  CHECK(after({"list=[]"})["list"] == Json::array());
  CHECK(after({"model={d: 4}"})["model"] == Json({{"d", 4}, {"heads", 2}}));
}

TEST_CASE("the option --set takes text with an equals sign, quotes and spaces", "[spec]") {
  CHECK(after({"name=a=b"})["name"] == "a=b");
  CHECK(after({"name='12'"})["name"] == "12");
  CHECK(after({"name= padded "})["name"] == "padded");
}

TEST_CASE("the last --set of a parameter wins", "[spec]") {
  CHECK(after({"seed=2", "seed=3"})["seed"] == 3);
}

TEST_CASE("integers and numbers may replace each other", "[spec]") {
  CHECK(after({"seed=1.5"})["seed"] == 1.5);
  CHECK(after({"lr=1"})["lr"] == 1);
}

TEST_CASE("a parameter that was nothing may become anything", "[spec]") {
  CHECK(after({"empty=3"})["empty"] == 3);
  CHECK(after({"empty={a: 1}"})["empty"] == Json({{"a", 1}}));
}

TEST_CASE("the option --set may refer to other params", "[spec]") {
  CHECK(after({"seed=${model.d}"})["seed"] == 8);
  CHECK(after({"name=run-${seed}"})["name"] == "run-1");
}

TEST_CASE("the option --set cannot change the kind of a parameter", "[spec]") {
  CHECK(refused({"seed=abc"}) ==
        "--set seed=abc: parameter 'seed' is the integer 1; it cannot become the text 'abc'");
  CHECK(refused({"name=3"}) ==
        "--set name=3: parameter 'name' is the text 'x'; it cannot become the integer 3");
  CHECK(refused({"on=1"}) == "--set on=1: parameter 'on' is true; it cannot become the integer 1");
  CHECK(refused({"model=3"}) ==
        "--set model=3: parameter 'model' is a map; it cannot become the integer 3");
  CHECK(refused({"list=3"}) ==
        "--set list=3: parameter 'list' is a list; it cannot become the integer 3");
  CHECK(refused({"seed="}) ==
        "--set seed=: parameter 'seed' is the integer 1; it cannot become nothing");
  CHECK(refused({"model={d: x}"}) ==
        "--set model={d: x}: parameter 'model.d' is the integer 8; it cannot become the text 'x'");
}

TEST_CASE("the option --set of an unknown parameter is refused with a suggestion", "[spec]") {
  CHECK(refused({"sed=1"}) ==
        "--set sed=1: unknown parameter 'sed'; did you mean 'seed'? (+sed=… adds one)");
  CHECK(refused({"model.head=1"}) ==
        "--set model.head=1: unknown parameter 'model.head'; did you mean 'model.heads'? "
        "(+model.head=… adds one)");
  CHECK(refused({"zebra=1"}) == "--set zebra=1: unknown parameter 'zebra' (+zebra=… adds one)");
  CHECK(refused({"seed.x=1"}) == "--set seed.x=1: unknown parameter 'seed.x' (+seed.x=… adds one)");
}

TEST_CASE("the option --set with a plus adds a parameter, with the maps above it", "[spec]") {
  CHECK(after({"+fresh=3"})["fresh"] == 3);
  CHECK(after({"+model.ff=3"})["model"] == Json({{"d", 8}, {"heads", 2}, {"ff", 3}}));
  CHECK(after({"+a.b.c=3"})["a"] == Json({{"b", {{"c", 3}}}}));
  CHECK(after({"+model={ff: 3}"})["model"]["ff"] == 3);
  CHECK(after({"+seed=3"})["seed"] == 3);
  CHECK(params_of("", set({"+a.b=c"})) == Json({{"a", {{"b", "c"}}}}));
}

TEST_CASE("the option --set with a plus cannot add below what is no map", "[spec]") {
  CHECK(refused({"+seed.x=1"}) == "--set +seed.x=1: '1' is not a map and cannot get 'x'");
}

TEST_CASE("the option --set without a name or an equals sign is refused", "[spec]") {
  CHECK(refused({"seed"}) == "--set seed: expected NAME=VALUE");
  CHECK(refused({"=3"}) == "--set =3: expected NAME=VALUE");
  CHECK(refused({""}) == "--set : expected NAME=VALUE");
  CHECK(refused({"+=3"}) == "--set +=3: '' is not a parameter's name");
  CHECK(refused({"+a..b=3"}) == "--set +a..b=3: 'a..b' is not a parameter's name");
}

TEST_CASE("the option --set with a value that is not YAML is refused", "[spec]") {
  CHECK(refused({"list=1, 2]: 3: 4"}) == "--set list=1, 2]: 3: 4: the value is not YAML");
  CHECK(refused({"list=[1, 2"}).starts_with("--set list=[1, 2:"));
  CHECK(refused({"seed={a: 1, a: 2}"}) == "--set seed={a: 1, a: 2}: the value is not YAML");
  CHECK(refused({"name=\xff"}) == "--set name=�: the value is not YAML");
}

TEST_CASE("all wrong --sets are told at once, with the mistakes of the file", "[spec]") {
  CHECK(mistakes("params: {a: 1}\nstages:\n  s: {uses: shel}\n", set({"b=1", "a=x"})) ==
        "--set a=x: parameter 'a' is the integer 1; it cannot become the text 'x'\n"
        "--set b=1: unknown parameter 'b'; did you mean 'a'? (+b=… adds one)\n"
        "p.yaml:3:13: stage 's': unknown stage type 'shel'; did you mean 'shell'?");
}

TEST_CASE("a mistake that --set makes in a stage is told as the argument's", "[spec]") {
  CHECK(mistakes("params: {e: 1}\nstages:\n  d: {uses: make-data}\n"
                 "  t: {uses: train-model, in: {data: d}, with: {epochs: '${e}'}}\n",
                 set({"e=0"})) ==
        "--set e=0: stage 't': parameter 'epochs' must be between 1 and 1000, got 0");
}

TEST_CASE("one argument is parsed into a path and a value", "[spec]") {
  Diagnostics diagnostics;
  const Override change = parse_set("+a.b=[1]", diagnostics);
  CHECK(diagnostics.empty());
  CHECK(change.path == "a.b");
  CHECK(change.adds);
  CHECK(to_json(change.value) == Json({1}));
  CHECK(change.mark.text() == "--set +a.b=[1]");
}

}  // namespace
}  // namespace headway::testing
