// Sweeps on the command line: which one is meant, what is changed in it, and its name.
#include <catch2/catch_test_macros.hpp>

#include <set>

#include "lib/spec/document.h"
#include "lib/sweep/sweep_spec.h"
#include "tests/support/sweeping.h"

namespace headway::testing {
namespace {

using Texts = std::vector<std::string>;

const std::string kFile =
    "params: {seed: 1, rate: 0.1, note: x, list: [1], model: {n_heads: 2}}\n"
    "stages:\n"
    "  data: {uses: make-data}\n"
    "  train: {uses: fit, in: {data: data}, with: {seed: '${seed}', lr: '${rate}'}}\n"
    "variants: {fast: {rate: 0.5}}\n";
const std::string kOne = kFile +
                         "sweeps:\n"
                         "  s: {axes: {seed: [1, 2], rate: [0.1]}, minimize: train.loss}\n";
const std::string kTwo = kOne + "  other: {axes: {seed: [3]}}\n";

SweepRequest with_setting(const std::string& key, const std::string& text) {
  SweepRequest request;
  request.changes.settings = {{key, text}};
  return request;
}

// The values of an axis, as they would be written in the file.
Json axis(const std::string& argument) {
  Diagnostics diagnostics;
  const Json sweep = to_json(change_sweep(nullptr, axes({argument}).changes, diagnostics));
  diagnostics.throw_if_any();
  return sweep.at("axes").begin().value();
}

TEST_CASE("an axis on the command line has comma-separated YAML values", "[sweep]") {
  CHECK(axis("seed=1,2,4") == Json({1, 2, 4}));
  CHECK(axis("seed=1, 2") == Json({1, 2}));
  CHECK(axis("seed=[1, 2]") == Json({1, 2}));
  CHECK(axis("seed=3") == Json::array({3}));
  CHECK(axis("train.lr=0.1,1e-3") == Json({0.1, 0.001}));
  CHECK(axis("note=true,x,'12',\"a,b\"") == Json({true, "x", "12", "a,b"}));
  CHECK(axis("note=a=b,c") == Json({"a=b", "c"}));
}

TEST_CASE("an axis on the command line may have lists and maps as values", "[sweep]") {
  CHECK(axis("list=[1,2],[3]") == Json({{1, 2}, {3}}));
  CHECK(axis("list=[[1, 2]]") == Json::array({Json({1, 2})}));
  CHECK(axis("model={n_heads: 1},{n_heads: 2}") == Json({{{"n_heads", 1}}, {{"n_heads", 2}}}));
}

TEST_CASE("an axis on the command line may be a range", "[sweep]") {
  CHECK(axis("train.lr=log:1e-4..1e-2:3") == "log:1e-4..1e-2:3");
  CHECK(axis("seed=int:1..3") == "int:1..3");
  CHECK(sweep_in(kFile, axes({"seed=int:1..3"})).axes.at(0).values.size() == 3);
  CHECK(axis("note='a:1..2',b") == Json({"a:1..2", "b"}));
}

TEST_CASE("an axis on the command line replaces the declared one in its position", "[sweep]") {
  const SweepSpec sweep = sweep_in(kOne, axes({"seed=7", "train.epochs=1,2"}, "s"));
  REQUIRE(sweep.axes.size() == 3);
  CHECK(sweep.axes[0].path == "seed");
  CHECK(to_json(sweep.axes[0].values.at(0)) == 7);
  CHECK(sweep.axes[0].values.size() == 1);
  CHECK(sweep.axes[1].path == "rate");
  CHECK(sweep.axes[2].path == "train.epochs");
  CHECK(sweep.objective == "train.loss");
}

TEST_CASE("an invalid axis on the command line is reported for the argument", "[sweep]") {
  const auto mistake = [](const std::string& argument) {
    return sweep_mistakes(kOne, axes({argument}, "s"));
  };
  const std::string form = "expected NAME=VALUE,VALUE,… or NAME=log:LOW..HIGH:COUNT";
  CHECK(mistake("seed") == "--axis seed: " + form);
  CHECK(mistake("=1,2") == "--axis =1,2: " + form);
  CHECK(mistake("seed=[1") == "--axis seed=[1: the value '[1' is not YAML");
  CHECK(mistake("seed={a: 1, a: 2}") ==
        "--axis seed={a: 1, a: 2}: the value '{a: 1, a: 2}' is not YAML");
  CHECK(mistake("seed=") ==
        "--axis seed=: axis 'seed': the list is empty; give it at least one value");
  CHECK(mistake("seed=1,1") == "--axis seed=1,1: axis 'seed': the value 1 is listed twice");
  CHECK(mistake("sed=1,2") == "--axis sed=1,2: unknown parameter 'sed'; did you mean 'seed'?");
  CHECK(mistake("\xff=1") == "--axis �=1: the name is not UTF-8 text");
  CHECK(mistake("lr=1") == "--axis lr=1: unknown parameter 'lr'; did you mean 'train.lr'?");
  CHECK(mistake("train.lr=0") ==
        "--axis train.lr=0: stage 'train': parameter 'lr' must be above 0, got 0.0");
}

TEST_CASE("settings on the command line are keys of the sweep", "[sweep]") {
  SweepRequest request = axes({"rate=log:0.1..1"}, "s");
  request.changes.settings = {{"method", "random"}, {"trials", "5"}, {"metrics", "[train.a, b]"}};
  const SweepSpec sweep = sweep_in(kOne, request);
  CHECK(sweep.method == SweepSpec::Method::kRandom);
  CHECK(sweep.trials == 5);
  CHECK(sweep.metrics == Texts{"train.a", "b"});
  CHECK(sweep_mistakes(kOne, with_setting("trials", "many")) ==
        "--trials many: sweep 's': 'trials' expects an integer between 1 and 100000, got the text "
        "'many'");
}

TEST_CASE("maximize on the command line replaces minimize, and vice versa", "[sweep]") {
  const SweepSpec up = sweep_in(kOne, with_setting("maximize", "train.right"));
  CHECK(up.objective == "train.right");
  CHECK(up.maximise);
  const SweepSpec down = sweep_in(kOne, with_setting("minimize", "train.time"));
  CHECK(down.objective == "train.time");
  CHECK_FALSE(down.maximise);
}

TEST_CASE("a text that is not YAML is still a valid setting", "[sweep]") {
  CHECK(sweep_mistakes(kOne, with_setting("maximize", "[a")) ==
        "--maximize [a: sweep 's': 'maximize' expects a stage and one of its metrics, such as "
        "evaluate.greedy, got the text '[a'");
}

TEST_CASE("the only sweep of a file needs no name", "[sweep]") {
  CHECK(sweep_in(kOne).name == "s");
  CHECK(sweep_mistakes(kTwo) == "p.yaml: which sweep? it declares s, other");
  CHECK(sweep_in(kTwo, named("other")).name == "other");
  CHECK(sweep_mistakes(kFile) ==
        "p.yaml: declares no sweep: add 'sweeps' to it, or give --axis NAME=VALUE,VALUE");
  CHECK(sweep_mistakes(kTwo, named("othr")) ==
        "p.yaml: unknown sweep 'othr'; did you mean 'other'?");
}

TEST_CASE("axes without a name form a new sweep, named after them", "[sweep]") {
  CHECK(sweep_in(kOne, axes({"seed=1,2"})).name == "by-seed");
  CHECK(sweep_in(kOne, axes({"seed=1,2"})).objective.empty());
  CHECK(sweep_in(kOne, axes({"model.n_heads=1,2", "train.lr=0.1"})).name ==
        "by-model.n_heads-train.lr");
}

TEST_CASE("sweeps over different axes have different names", "[sweep]") {
  const auto name = [](const std::vector<std::string>& paths) {
    Value declaration{ValueMap(), {}};
    Value axes{ValueMap(), {}};
    for (const std::string& path : paths) axes.map()->push_back({path, {}, {}});
    declaration.map()->push_back({"axes", {}, std::move(axes)});
    return name_of_axes(declaration);
  };
  CHECK(name({"e.n"}) == "by-e.n");
  CHECK(name({"f.n"}) == "by-f.n");
  CHECK(name({"e.n", "f.n"}) == "by-e.n-f.n");
  // What a name cannot say, its digest does.
  const std::string long_name(200, 'x');
  const std::vector<std::vector<std::string>> odd = {
      {"a-b"}, {"a_b"}, {"a", "b"}, {"a b"}, {"ü"}, {long_name}, {long_name + "y"}};
  std::set<std::string> names;
  for (const std::vector<std::string>& paths : odd) {
    CAPTURE(name(paths));
    CHECK(names.insert(name(paths)).second);
    CHECK(is_pipeline_name(name(paths)));
    CHECK(name(paths) == name(paths));
  }
  CHECK(name({long_name}).starts_with("by-xxx"));
}

TEST_CASE("axes may be given a new name, which is a plain word and not a stage's or variant's",
          "[sweep]") {
  CHECK(sweep_in(kOne, axes({"seed=1,2"}, "mine")).name == "mine");
  for (const char* name : {"a b", "a/b", ".a", "-a", "train", "fast"}) {
    CAPTURE(name);
    CHECK(sweep_mistakes(kOne, axes({"seed=1"}, name)) ==
          std::string("headway sweep: '") + name +
              "' is no name for a sweep: letters, digits, '_', '-' and '.', and no stage's or "
              "variant's name");
  }
}

TEST_CASE("a sweep of a variant is a separate sweep, with its own name", "[sweep]") {
  SweepRequest request = named("s");
  request.variant = "fast";
  const Sweeping sweeping(kOne, request);
  CHECK(sweeping->sweep().name == "s@fast");
  request.variant = "fst";
  CHECK(sweep_mistakes(kOne, request) ==
        "--variant fst: unknown variant 'fst'; did you mean 'fast'?");
}

TEST_CASE("the number of trials is known without creating them", "[sweep]") {
  CHECK(Sweeping(kOne)->count() == 2);
  CHECK(Sweeping(kFile, axes({"seed=1,2,3", "rate=0.1,0.2"}))->count() == 6);
  SweepRequest request = axes({"rate=log:0.001..1", "seed=1,2,3"});
  request.changes.settings = {{"method", "random"}, {"trials", "5"}};
  CHECK(Sweeping(kFile, request)->count() == 15);
  CHECK(Sweeping(kFile, request)->trials().size() == 15);
}

TEST_CASE("a grid too large to run is refused before it is created", "[sweep]") {
  std::string params = "params: {";
  std::vector<std::string> many;
  for (int i = 0; i < 12; ++i) {
    params += "p" + std::to_string(i) + ": 1, ";
    many.push_back("p" + std::to_string(i) + "=int:1..1000");
  }
  CHECK(sweep_mistakes(params + "}\nstages: {data: {uses: make-data}}\n", axes(many, "huge")) ==
        "headway sweep: sweep 'huge' has more than 200000 trials");
}

TEST_CASE("a parameter cannot be both set and swept", "[sweep]") {
  SweepRequest request = axes({"seed=1,2"});
  request.sets = {"seed=3"};
  CHECK(sweep_mistakes(kFile, request) ==
        "--axis seed=1,2: 'seed' is an axis; it cannot be set too");
}

}  // namespace
}  // namespace headway::testing
