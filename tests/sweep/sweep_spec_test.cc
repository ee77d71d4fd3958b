// `sweeps:` of a file, as a whole and key by key.
#include "lib/sweep/sweep_spec.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/sweeping.h"

namespace headway::testing {
namespace {

using Texts = std::vector<std::string>;

// Seven lines; a sweep `s` is in the eighth, from column 6.
std::string with_sweep(const std::string& sweep) {
  return "params: {seed: 1, rate: 0.1, model: {n_heads: 2}}\n"
         "stages:\n"
         "  data: {uses: make-data}\n"
         "  train: {uses: fit, in: {data: data}, with: {seed: '${seed}', lr: '${rate}'}}\n"
         "  big: {uses: train-model, in: {data: data}, with: {model: '${model}'}}\n"
         "variants: {fast: {rate: 0.5}}\n"
         "sweeps:\n"
         "  s: " +
         sweep + "\n";
}
SweepSpec read(const std::string& sweep) {
  return sweep_in(with_sweep(sweep));
}
std::string refused(const std::string& sweep) {
  return sweep_mistakes(with_sweep(sweep));
}

std::vector<Json> values_of(const SweepSpec& sweep, std::size_t axis = 0) {
  std::vector<Json> values;
  for (const Value& value : sweep.axes.at(axis).values) values.push_back(to_json(value));
  return values;
}

TEST_CASE("a sweep with only axes is a grid without an objective", "[sweep]") {
  const SweepSpec sweep = read("{axes: {seed: [1, 2]}}");
  CHECK(sweep.name == "s");
  CHECK(sweep.location.text() == "p.yaml:8:6");
  CHECK(sweep.method == SweepSpec::Method::kGrid);
  REQUIRE(sweep.axes.size() == 1);
  CHECK(sweep.axes[0].path == "seed");
  CHECK(values_of(sweep) == std::vector<Json>{1, 2});
  CHECK(sweep.trials == 0);
  CHECK(sweep.seed == 641);
  CHECK(sweep.objective.empty());
  CHECK(sweep.metrics.empty());
  CHECK(sweep.until.empty());
  CHECK(sweep.stages.is_null());
}

TEST_CASE("a sweep has axes in the order of the file, from params and stages", "[sweep]") {
  const SweepSpec sweep =
      read("{axes: {train.lr: [0.5, 0.1], model.n_heads: [1, 2, 4], seed: 'int:1..3'}}");
  REQUIRE(sweep.axes.size() == 3);
  CHECK(sweep.axes[0].path == "train.lr");
  CHECK(sweep.axes[1].path == "model.n_heads");
  CHECK(values_of(sweep, 2) == std::vector<Json>{1, 2, 3});
}

TEST_CASE("a sweep declares its objective, the metrics to show and where trials end", "[sweep]") {
  const SweepSpec sweep = read(
      "{axes: {seed: [1]}, minimize: train.loss, metrics: [train.loss, big.size], until: [train], "
      "seed: 7, stages: {plot: {uses: plot-tables, in: {tables: 'train@*.metrics'}}}}");
  CHECK(sweep.objective == "train.loss");
  CHECK_FALSE(sweep.maximise);
  CHECK(sweep.objective_location.text() == "p.yaml:8:36");
  CHECK(sweep.metrics == Texts{"train.loss", "big.size"});
  REQUIRE(sweep.until.size() == 1);
  CHECK(*sweep.until[0].text() == "train");
  CHECK(sweep.seed == 7);
  CHECK(sweep.stages.find("plot") != nullptr);
  const SweepSpec other = read("{axes: {seed: [1]}, maximize: train.x, metrics: big, until: big}");
  CHECK(other.maximise);
  CHECK(other.metrics == Texts{"big"});
  CHECK(other.until.size() == 1);
}

TEST_CASE("a random search draws the given number of configurations", "[sweep]") {
  const SweepSpec sweep =
      read("{method: random, trials: 5, axes: {rate: 'log:0.001..0.1', seed: [1, 2]}}");
  CHECK(sweep.method == SweepSpec::Method::kRandom);
  CHECK(sweep.trials == 5);
  CHECK(sweep.axes[0].values.empty());
  REQUIRE(sweep.axes[0].range);
  CHECK(sweep.axes[0].range->high == 0.1);
}

TEST_CASE("halving has a resource, amounts and a rate", "[sweep]") {
  const SweepSpec sweep = read(
      "{method: halving, axes: {rate: [0.1, 0.2]}, maximize: train.x, resource: train.epochs, "
      "min: 3, max: 9, eta: 2.5}");
  CHECK(sweep.is_halving());
  CHECK(sweep.resource == "train.epochs");
  CHECK(sweep.least == 3);
  CHECK(sweep.most == 9);
  CHECK(sweep.eta == 2.5);
  const SweepSpec plain = read(
      "{method: halving, axes: {rate: [0.1]}, maximize: train.x, resource: train.epochs, eta: 4}");
  CHECK(plain.least == 0);
  CHECK(plain.most == 0);
  CHECK(plain.eta == 4);
}

TEST_CASE("a range over an integer parameter has integers, wherever it is declared", "[sweep]") {
  CHECK(values_of(read("{axes: {seed: 'lin:1..4:3'}}")) == std::vector<Json>{1, 3, 4});
  CHECK(values_of(read("{axes: {train.epochs: 'lin:1..4:3'}}")) == std::vector<Json>{1, 3, 4});
  CHECK(values_of(read("{axes: {big.model.d_model: 'log:1..100:3'}}")) ==
        std::vector<Json>{1, 10, 100});
  CHECK(values_of(read("{axes: {train.lr: 'lin:1..4:3'}}")) == std::vector<Json>{1, 2.5, 4});
  CHECK(values_of(read("{axes: {rate: 'lin:1..4:3'}}")) == std::vector<Json>{1, 2.5, 4});
}

TEST_CASE("a sweep may refer to params, as changed by a variant or --set", "[sweep]") {
  const std::string text =
      "params: {seed: 1, seeds: [1, 2], count: 3}\n"
      "stages: {data: {uses: shell, outs: {o: o}, with: {run: 'x ${seed} {out.o}'}}}\n"
      "variants: {more: {seeds: [7]}}\n"
      "sweeps: {s: {axes: {seed: '${seeds}'}, method: random, trials: '${count}'}}\n";
  CHECK(values_of(sweep_in(text)) == std::vector<Json>{1, 2});
  CHECK(sweep_in(text).trials == 3);
  SweepRequest request;
  request.variant = "more";
  request.sets = {"count=5"};
  CHECK(values_of(sweep_in(text, request)) == std::vector<Json>{7});
  CHECK(sweep_in(text, request).trials == 5);
  CHECK(refused("{axes: {seed: '${seds}'}}").starts_with("p.yaml:8:20: "));
}

TEST_CASE("a sweep is a map with axes", "[sweep]") {
  CHECK(refused("[1]") == "p.yaml:8:6: sweep 's': a sweep is a map with 'axes', got a list");
  const std::string axes =
      "sweep 's': 'axes' must be a map from parameters to lists of values, with at least one (or "
      "give --axis NAME=VALUE,VALUE)";
  CHECK(refused("{}") == "p.yaml:8:6: " + axes);
  CHECK(refused("{axes: {}}") == "p.yaml:8:13: " + axes);
  CHECK(refused("{axes: [1]}") == "p.yaml:8:13: " + axes);
}

TEST_CASE("an axis has values without duplicates", "[sweep]") {
  CHECK(refused("{axes: {seed: []}}") ==
        "p.yaml:8:20: axis 'seed': the list is empty; give it at least one value");
  CHECK(refused("{axes: {seed: [1, 2, 1]}}") ==
        "p.yaml:8:27: axis 'seed': the value 1 is listed twice");
  CHECK(refused("{axes: {seed: 3}}") ==
        "p.yaml:8:20: axis 'seed': expected a list of values or a range such as log:1e-4..1e-1:4, "
        "got the integer 3");
  CHECK(refused("{axes: {rate: 'log:0.1..1'}}") ==
        "p.yaml:8:20: sweep 's': axis 'rate': a grid needs to know how many values: "
        "'log:0.1..1:COUNT'");
  CHECK(refused("{axes: {seed: 'int:1..1000000'}}") ==
        "p.yaml:8:20: sweep 's': axis 'seed': a grid needs to know how many values: "
        "'int:1..1000000:STEP'");
}

TEST_CASE("an unknown key or method of a sweep is refused with a suggestion", "[sweep]") {
  CHECK(refused("{axs: {}, axes: {seed: [1]}}") ==
        "p.yaml:8:7: sweep 's': unknown key 'axs'; did you mean 'axes'?");
  CHECK(refused("{method: randon, axes: {seed: [1]}}") ==
        "p.yaml:8:15: sweep 's': 'method' is one of grid, random, halving, got the text 'randon'; "
        "did you mean 'random'?");
  CHECK(refused("{method: 3, axes: {seed: [1]}}") ==
        "p.yaml:8:15: sweep 's': 'method' is one of grid, random, halving, got the integer 3");
}

TEST_CASE("a sweep has a single objective, a metric of a stage", "[sweep]") {
  CHECK(refused("{axes: {seed: [1]}, maximize: train}") ==
        "p.yaml:8:36: sweep 's': 'maximize' expects a stage and one of its metrics, such as "
        "evaluate.greedy, got the text 'train'");
  CHECK(refused("{axes: {seed: [1]}, minimize: [a.b]}") ==
        "p.yaml:8:36: sweep 's': 'minimize' expects a stage and one of its metrics, such as "
        "evaluate.greedy, got a list");
  CHECK(refused("{axes: {seed: [1]}, maximize: train.a, minimize: train.b}") ==
        "p.yaml:8:55: sweep 's': either 'maximize' or 'minimize', not both");
}

TEST_CASE("numbers of a sweep are within their limits", "[sweep]") {
  CHECK(refused("{axes: {seed: [1]}, trials: 0}") ==
        "p.yaml:8:34: sweep 's': 'trials' expects an integer between 1 and 100000, got the integer "
        "0");
  CHECK(refused("{axes: {seed: [1]}, trials: many}") ==
        "p.yaml:8:34: sweep 's': 'trials' expects an integer between 1 and 100000, got the text "
        "'many'");
  CHECK(refused("{axes: {seed: [1]}, seed: -1}") ==
        "p.yaml:8:32: sweep 's': 'seed' expects an integer between 0 and 1000000000000000, got the "
        "integer -1");
  CHECK(refused("{axes: {seed: [1]}, method: random}") ==
        "p.yaml:8:6: sweep 's': random search needs 'trials': how many configurations to draw");
}

TEST_CASE("metrics are names, and stages are a map", "[sweep]") {
  CHECK(refused("{axes: {seed: [1]}, metrics: [train.x, 3]}") ==
        "p.yaml:8:45: sweep 's': 'metrics' is a list of names such as evaluate.greedy, got the "
        "integer 3 in it");
  CHECK(refused("{axes: {seed: [1]}, stages: [plot]}") ==
        "p.yaml:8:34: sweep 's': 'stages' must be a map, got a list");
  CHECK(refused("{axes: {seed: [1]}, stages: }") == "");
}

TEST_CASE("missing requirements of halving are reported, each with its reason", "[sweep]") {
  CHECK(refused("{method: halving, axes: {rate: [1, 2]}}") ==
        "p.yaml:8:6: sweep 's': halving needs a 'resource': the parameter of which better trials "
        "get more, such as train.epochs\n"
        "p.yaml:8:6: sweep 's': halving needs 'maximize' or 'minimize': the metric that decides "
        "who goes on");
  const std::string begin =
      "{method: halving, axes: {rate: [1, 2]}, maximize: train.x, resource: train.epochs, ";
  CHECK(refused(begin + "min: 9, max: 3}") ==
        "p.yaml:8:94: sweep 's': 'min' (9) is more than 'max' (3)");
  CHECK(refused(begin + "min: 0}") ==
        "p.yaml:8:94: sweep 's': 'min' expects an integer between 1 and 1000000000, got the "
        "integer 0");
  for (const char* eta : {"1", "0.5", "2000", "x"}) {
    CAPTURE(eta);
    const std::string message = refused(begin + "eta: " + eta + "}");
    CHECK(message.starts_with("p.yaml:8:94: sweep 's': 'eta' expects a number above 1, got "));
    CHECK(message.ends_with(": one in eta goes on from each rung"));
  }
}

TEST_CASE("halving's keys are refused for other methods", "[sweep]") {
  CHECK(refused("{axes: {seed: [1]}, min: 1, eta: 3}") ==
        "p.yaml:8:31: sweep 's': 'min' is for 'method: halving' alone\n"
        "p.yaml:8:39: sweep 's': 'eta' is for 'method: halving' alone");
}

TEST_CASE("the resource of a halving cannot be an axis of it", "[sweep]") {
  CHECK(refused("{method: halving, axes: {train.epochs: [x, 2]}, maximize: train.x, "
                "resource: train.epochs}") ==
        "p.yaml:8:83: sweep 's': 'train.epochs' cannot be both the resource and an axis");
}

TEST_CASE("all mistakes in a sweep are reported at once, after those in its file", "[sweep]") {
  const std::string text = with_sweep("{axes: {seed: []}, trials: 0}");
  CHECK(sweep_mistakes(text) ==
        "p.yaml:8:20: axis 'seed': the list is empty; give it at least one value\n"
        "p.yaml:8:33: sweep 's': 'trials' expects an integer between 1 and 100000, got the integer "
        "0");
  CHECK(sweep_mistakes("colour: red\n" + text) == "p.yaml:1:1: pipeline: unknown key 'colour'");
}

TEST_CASE("an axis is an existing parameter, and does not affect another axis", "[sweep]") {
  CHECK(refused("{axes: {sed: [1, 2]}}") ==
        "p.yaml:8:14: unknown parameter 'sed'; did you mean 'seed'?");
  CHECK(refused("{axes: {model: [{n_heads: 1}], model.n_heads: [1, 2]}}") ==
        "p.yaml:8:37: sweep 's': axes 'model' and 'model.n_heads' change the same parameter");
  CHECK(refused("{axes: {train: [1, 2]}}") ==
        "p.yaml:8:22: 'train' is a stage; name one of its parameters, such as train.seed "
        "(`headway stages` lists them) (trial train=1)\n"
        "p.yaml:8:25: 'train' is a stage; name one of its parameters, such as train.seed "
        "(`headway stages` lists them) (trial train=2)");
  CHECK(sweep_mistakes("params: {trial: 1}\nstages: {data: {uses: make-data}}\n"
                       "sweeps: {s: {axes: {trial: [1]}}}\n") ==
        "p.yaml:3:21: sweep 's': an axis cannot be called 'trial': tables have such a column");
  CHECK(sweep_mistakes("params: {best: 1}\nstages: {data: {uses: make-data}}\n"
                       "sweeps: {s: {axes: {best: [1]}}}\n") ==
        "p.yaml:3:21: sweep 's': an axis cannot be called 'best': tables have such a column");
}

}  // namespace
}  // namespace headway::testing
