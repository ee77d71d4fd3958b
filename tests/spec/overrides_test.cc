// --set on the command line, and changes to stages by it, by variants and by trials.
#include "lib/spec/overrides.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

const std::string kParams =
    "params: {seed: 1, lr: 0.1, on: true, name: x, list: [1], model: {d: 8, heads: 2}, empty: }";

Json after(std::vector<std::string> sets) {
  return params_of(kParams, set(std::move(sets)));
}
std::string refused_sets(std::vector<std::string> sets) {
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

TEST_CASE("integers and floating-point numbers may replace each other", "[spec]") {
  CHECK(after({"seed=1.5"})["seed"] == 1.5);
  CHECK(after({"lr=1"})["lr"] == 1);
}

TEST_CASE("an empty parameter may become anything", "[spec]") {
  CHECK(after({"empty=3"})["empty"] == 3);
  CHECK(after({"empty={a: 1}"})["empty"] == Json({{"a", 1}}));
}

TEST_CASE("the option --set may refer to other params", "[spec]") {
  CHECK(after({"seed=${model.d}"})["seed"] == 8);
  CHECK(after({"name=run-${seed}"})["name"] == "run-1");
}

TEST_CASE("the option --set cannot change the kind of a parameter", "[spec]") {
  CHECK(refused_sets({"seed=abc"}) ==
        "--set seed=abc: parameter 'seed' is the integer 1; it cannot become the text 'abc'");
  CHECK(refused_sets({"name=3"}) ==
        "--set name=3: parameter 'name' is the text 'x'; it cannot become the integer 3");
  CHECK(refused_sets({"on=1"}) ==
        "--set on=1: parameter 'on' is true; it cannot become the integer 1");
  CHECK(refused_sets({"model=3"}) ==
        "--set model=3: parameter 'model' is a map; it cannot become the integer 3");
  CHECK(refused_sets({"list=3"}) ==
        "--set list=3: parameter 'list' is a list; it cannot become the integer 3");
  CHECK(refused_sets({"seed="}) ==
        "--set seed=: parameter 'seed' is the integer 1; it cannot become nothing");
  CHECK(refused_sets({"model={d: x}"}) ==
        "--set model={d: x}: parameter 'model.d' is the integer 8; it cannot become the text 'x'");
}

TEST_CASE("the option --set of an unknown parameter is refused with a suggestion", "[spec]") {
  CHECK(refused_sets({"sed=1"}) ==
        "--set sed=1: unknown parameter 'sed'; did you mean 'seed'? (+sed=… adds one)");
  CHECK(refused_sets({"model.head=1"}) ==
        "--set model.head=1: unknown parameter 'model.head'; did you mean 'model.heads'? "
        "(+model.head=… adds one)");
  CHECK(refused_sets({"zebra=1"}) ==
        "--set zebra=1: unknown parameter 'zebra' (+zebra=… adds one)");
  CHECK(refused_sets({"seed.x=1"}) ==
        "--set seed.x=1: unknown parameter 'seed.x' (+seed.x=… adds one)");
}

TEST_CASE("the option --set with a plus adds a parameter, creating parent maps", "[spec]") {
  CHECK(after({"+fresh=3"})["fresh"] == 3);
  CHECK(after({"+model.ff=3"})["model"] == Json({{"d", 8}, {"heads", 2}, {"ff", 3}}));
  CHECK(after({"+a.b.c=3"})["a"] == Json({{"b", {{"c", 3}}}}));
  CHECK(after({"+model={ff: 3}"})["model"]["ff"] == 3);
  CHECK(after({"+seed=3"})["seed"] == 3);
  CHECK(params_of("", set({"+a.b=c"})) == Json({{"a", {{"b", "c"}}}}));
}

TEST_CASE("the option --set with a plus cannot add below a value that is not a map", "[spec]") {
  CHECK(refused_sets({"+seed.x=1"}) == "--set +seed.x=1: '1' is not a map and cannot get 'x'");
}

TEST_CASE("the option --set without a name or an equals sign is refused", "[spec]") {
  CHECK(refused_sets({"seed"}) == "--set seed: expected NAME=VALUE");
  CHECK(refused_sets({"=3"}) == "--set =3: expected NAME=VALUE");
  CHECK(refused_sets({""}) == "--set : expected NAME=VALUE");
  CHECK(refused_sets({"+=3"}) == "--set +=3: '' is not a parameter's name");
  CHECK(refused_sets({"+a..b=3"}) == "--set +a..b=3: 'a..b' is not a parameter's name");
}

TEST_CASE("the option --set with a value that is not YAML is refused", "[spec]") {
  CHECK(refused_sets({"list=1, 2]: 3: 4"}) == "--set list=1, 2]: 3: 4: the value is not YAML");
  CHECK(refused_sets({"list=[1, 2"}).starts_with("--set list=[1, 2:"));
  CHECK(refused_sets({"seed={a: 1, a: 2}"}) == "--set seed={a: 1, a: 2}: the value is not YAML");
  CHECK(refused_sets({"name=\xff"}) == "--set name=�: the value is not YAML");
}

TEST_CASE("all invalid --sets are reported at once, with the mistakes in the file", "[spec]") {
  CHECK(mistakes("params: {a: 1}\nstages:\n  s: {uses: shel}\n", set({"b=1", "a=x"})) ==
        "--set a=x: parameter 'a' is the integer 1; it cannot become the text 'x'\n"
        "--set b=1: unknown parameter 'b'; did you mean 'a'? (+b=… adds one)\n"
        "p.yaml:3:13: stage 's': unknown stage type 'shel'; did you mean 'shell'?");
}

TEST_CASE("a mistake that --set causes in a stage is reported for the argument", "[spec]") {
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
  CHECK(change.location.text() == "--set +a.b=[1]");
}

const std::string kStages =
    "params: {model: {d_model: 8, n_heads: 2}, lr: 0.5}\n"
    "stages:\n"
    "  data: {uses: make-data}\n"
    "  train: {uses: train-model, in: {data: data}, with: {model: '${model}', epochs: 3}}\n"
    "  plain: {uses: train-model, in: {data: data}}\n"
    "  many: {uses: train-model, in: {data: data}, matrix: {i: [1, 2]},\n"
    "         with: {epochs: '${matrix.i}'}}\n"
    "variants:\n"
    "  long: {train.epochs: 30, plain.lr: 0.25}\n";

Json in_stage(const std::string& name, const LoadOptions& options) {
  return to_json(stage(load(kStages, options), name).params);
}
std::string refused_in_stage(std::string argument) {
  return mistakes(kStages, set({std::move(argument)}));
}
LoadOptions trial(const std::string& path, Value value) {
  LoadOptions options;
  options.overrides = {{path, std::move(value), {SourceLocation::intern("a trial")}, false}};
  return options;
}

TEST_CASE("a path not in the params changes the parameter of the stage it names", "[spec]") {
  const LoadOptions options = set({"train.lr=0.25", "train.epochs=7"});
  CHECK(in_stage("train", options)["lr"] == 0.25);
  CHECK(in_stage("train", options)["epochs"] == 7);
  CHECK(in_stage("plain", options)["lr"] == 0.001);
  const PipelineSpec pipeline = load(kStages, options);
  CHECK(stage(pipeline, "train").changed == std::vector<std::string>{"lr", "epochs"});
  CHECK(stage(pipeline, "plain").changed.empty());
  CHECK(to_json(pipeline.params) ==
        params_of("params: {model: {d_model: 8, n_heads: 2}, lr: 0.5}"));
}

TEST_CASE("changing a stage's parameter below a reference leaves the params unchanged", "[spec]") {
  const LoadOptions options = set({"train.model.n_heads=1"});
  CHECK(in_stage("train", options)["model"] ==
        Json({{"d_model", 8}, {"n_heads", 1}, {"dropout", 0.1}}));
  CHECK(to_json(load(kStages, options).params)["model"]["n_heads"] == 2);
}

TEST_CASE("a stage's parameter can be changed even if it has no 'with'", "[spec]") {
  CHECK(in_stage("plain", set({"plain.epochs=2"}))["epochs"] == 2);
  CHECK(in_stage("plain", set({"plain.model.n_heads=1"}))["model"] ==
        Json({{"d_model", 64}, {"n_heads", 1}, {"dropout", 0.1}}));
}

TEST_CASE("setting a stage's parameter to a map merges it with the existing one", "[spec]") {
  CHECK(in_stage("train", set({"train.model={n_heads: 1}"}))["model"] ==
        Json({{"d_model", 8}, {"n_heads", 1}, {"dropout", 0.1}}));
}

TEST_CASE("changing a stage changes all items of its matrix", "[spec]") {
  for (const char* name : {"many@1", "many@2"}) {
    CAPTURE(name);
    CHECK(in_stage(name, set({"many.epochs=9"}))["epochs"] == 9);
  }
}

TEST_CASE("stages are changed by variants, then by --set, then by trials", "[spec]") {
  LoadOptions options = variant("long");
  CHECK(in_stage("train", options)["epochs"] == 30);
  CHECK(in_stage("plain", options)["lr"] == 0.25);
  options.sets = {"train.epochs=40"};
  CHECK(in_stage("train", options)["epochs"] == 40);
  options.overrides = trial("train.epochs", {std::int64_t{50}, {}}).overrides;
  CHECK(in_stage("train", options)["epochs"] == 50);
  CHECK(in_stage("plain", options)["lr"] == 0.25);
}

TEST_CASE("a trial changes params and stages as --set does", "[spec]") {
  CHECK(to_json(load(kStages, trial("model.n_heads", {std::int64_t{1}, {}})).params)["model"] ==
        Json({{"d_model", 8}, {"n_heads", 1}}));
  CHECK(in_stage("train", trial("model.n_heads", {std::int64_t{1}, {}}))["model"]["n_heads"] == 1);
  CHECK(in_stage("train", trial("train.lr", {0.75, {}}))["lr"] == 0.75);
  CHECK(mistakes(kStages, trial("zebra", {true, {}})) == "a trial: unknown parameter 'zebra'");
}

TEST_CASE("params take precedence over stages of the same name, path by path", "[spec]") {
  const std::string text =
      "params: {train: {lr: 0.5}}\n"
      "stages:\n"
      "  data: {uses: make-data}\n"
      "  train: {uses: train-model, in: {data: data}}\n";
  const PipelineSpec of_params = load(text, set({"train.lr=0.25"}));
  CHECK(to_json(of_params.params)["train"]["lr"] == 0.25);
  CHECK(to_json(stage(of_params, "train").params)["lr"] == 0.001);
  const PipelineSpec of_stage = load(text, set({"train.epochs=5"}));
  CHECK(to_json(of_stage.params) == Json({{"train", {{"lr", 0.5}}}}));
  CHECK(to_json(stage(of_stage, "train").params)["epochs"] == 5);
  CHECK(to_json(load(text, set({"+train.epochs=5"})).params)["train"]["epochs"] == 5);
}

TEST_CASE("a wrong name, type or value of a stage's parameter is reported for the argument",
          "[spec]") {
  CHECK(refused_in_stage("train.epocs=3") ==
        "--set train.epocs=3: stage 'train': unknown parameter 'epocs'; did you mean 'epochs'?");
  CHECK(refused_in_stage("train.model.heads=3") ==
        "--set train.model.heads=3: stage 'train': 'model': unknown parameter 'heads'");
  CHECK(refused_in_stage("train.epochs=x") ==
        "--set train.epochs=x: stage 'train': parameter 'epochs' expects an integer, got the text "
        "'x'");
  CHECK(
      refused_in_stage("train.epochs=0") ==
      "--set train.epochs=0: stage 'train': parameter 'epochs' must be between 1 and 1000, got 0");
  CHECK(
      refused_in_stage("train.epochs.x=1") ==
      "--set train.epochs.x=1: stage 'train': parameter 'epochs' is the integer 3; it has no 'x'");
  CHECK(refused_in_stage("train..lr=1") ==
        "--set train..lr=1: stage 'train': '.lr' is not a parameter's name");
}

TEST_CASE("a stage itself is not a parameter", "[spec]") {
  CHECK(refused_in_stage("train=1") ==
        "--set train=1: 'train' is a stage; name one of its parameters, such as train.seed "
        "(`headway stages` lists them)");
  CHECK(refused_in_stage("train.=1") ==
        "--set train.=1: unknown parameter 'train.' (+train.=… adds one)");
  CHECK(refused_in_stage("tran.lr=1") ==
        "--set tran.lr=1: unknown parameter 'tran.lr' (+tran.lr=… adds one)");
}

TEST_CASE("a path of thousands of parts is refused, in params and in a stage", "[spec]") {
  std::string deep;
  for (int i = 0; i < 20'000; ++i) deep += ".a";
  CHECK(refused_in_stage("train" + deep + "=1").ends_with("has too many parts"));
  CHECK(refused_in_stage("+lr" + deep + "=1").ends_with("has too many parts"));
}

}  // namespace
}  // namespace headway::testing
