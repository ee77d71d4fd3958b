// Halving: amounts of the resource, and rungs that are the beginning of the full run.
#include <catch2/catch_test_macros.hpp>

#include "lib/sweep/sweep_pipeline.h"
#include "tests/support/loading.h"
#include "tests/support/sweeping.h"

namespace headway::testing {
namespace {

using Texts = std::vector<std::string>;

const std::string kFit =
    "params: {length: 9, lr: 0.1, text: x}\n"
    "stages:\n"
    "  data: {uses: make-data}\n"
    "  fit: {uses: fit, in: {data: data}, with: {epochs: '${length}', lr: '${lr}'}}\n"
    "  other: {uses: fit, in: {data: data}}\n"
    "  after: {uses: fit, in: {data: fit.model}, with: {epochs: 5}}\n";

std::string halving(const std::string& resource, const std::string& more = "") {
  return kFit + "sweeps:\n  s: {method: halving, axes: {lr: [0.1, 0.2, 0.3]}, maximize: fit.x, " +
         "resource: " + resource + more + "}\n";
}

Json fit_params(const Sweeping& sweeping, std::int64_t amount, const std::string& name = "fit") {
  const Trial trial = sweeping->with_amount(sweeping->trials().at(1), amount);
  return to_json(stage(sweeping->load_trial(trial), name).params);
}

TEST_CASE("the full amount comes from the params, the stage, or 'max'", "[sweep_pipeline]") {
  CHECK(Sweeping(halving("length"))->full_amount() == 9);
  CHECK(Sweeping(halving("fit.epochs"))->full_amount() == 9);
  CHECK(Sweeping(halving("other.epochs"))->full_amount() == 27);  // by default
  CHECK(Sweeping(halving("length", ", max: 4"))->full_amount() == 4);
  SweepRequest request;
  request.sets = {"length=12"};
  CHECK(Sweeping(halving("length"), request)->full_amount() == 12);
}

TEST_CASE("a resource that is not an integer is refused", "[sweep_pipeline]") {
  const auto expected = [](const std::string& resource) {
    return "p.yaml:8:80: sweep 's': '" + resource +
           "' is not an integer parameter; halving gives out a whole number of something, such as "
           "train.epochs ('max' says how many)";
  };
  CHECK(sweep_mistakes(halving("text")) == expected("text"));
  CHECK(sweep_mistakes(halving("fit.lr")) == expected("fit.lr"));
  CHECK(sweep_mistakes(halving("fit.epocs")) == expected("fit.epocs"));
  CHECK(sweep_mistakes(halving("zebra")) == expected("zebra"));
  CHECK(sweep_mistakes(halving("other.schedule")) == expected("other.schedule"));  // it is 0
}

TEST_CASE("a trial with an amount is also named after it", "[sweep_pipeline]") {
  const Sweeping sweeping(halving("fit.epochs"));
  const Trial trial = sweeping->with_amount(sweeping->trials().at(1), 3);
  CHECK(trial.name == "lr=0.2,fit.epochs=3");
  REQUIRE(trial.overrides.size() == 2);
  CHECK(trial.overrides[1].path == "fit.epochs");
  CHECK(to_json(trial.overrides[1].value) == 3);
}

TEST_CASE("trials with the same plain name stay distinct with an amount", "[sweep_pipeline]") {
  const Sweeping sweeping(kFit +
                          "sweeps:\n  s: {method: halving, axes: {text: [a b, a_b]}, "
                          "maximize: fit.x, resource: length}\n");
  const std::vector<Trial> trials = sweeping->trials();
  CHECK(sweeping->with_amount(trials.at(0), 3).name != sweeping->with_amount(trials.at(1), 3).name);
}

TEST_CASE("a rung has the schedule of the full run, which itself has none", "[sweep_pipeline]") {
  for (const char* resource : {"length", "fit.epochs"}) {
    CAPTURE(resource);
    const Sweeping sweeping(halving(resource));
    CHECK(fit_params(sweeping, 3)["epochs"] == 3);
    CHECK(fit_params(sweeping, 3)["schedule"] == 9);
    CHECK(fit_params(sweeping, 3)["lr"] == 0.2);
    CHECK(fit_params(sweeping, 9)["epochs"] == 9);
    CHECK(fit_params(sweeping, 9)["schedule"] == 0);
  }
}

TEST_CASE("the full run of a halving equals the plain run", "[sweep_pipeline]") {
  const Sweeping sweeping(halving("fit.epochs"));
  CHECK(fit_params(sweeping, 9) ==
        to_json(stage(load_plainly(kFit, set({"lr=0.2"})), "fit").params));
}

TEST_CASE("stages that do not get the resource keep their schedules", "[sweep_pipeline]") {
  const Sweeping sweeping(halving("fit.epochs"));
  CHECK(fit_params(sweeping, 3, "other")["schedule"] == 0);
  CHECK(fit_params(sweeping, 3, "after")["schedule"] == 0);
}

TEST_CASE("a schedule given by the pipeline is kept in the rungs", "[sweep_pipeline]") {
  SweepRequest request;
  request.sets = {"fit.schedule=100"};
  CHECK(fit_params(Sweeping(halving("fit.epochs"), request), 3)["schedule"] == 100);
}

TEST_CASE("a rung's trials run up to the stage of the objective", "[sweep_pipeline]") {
  const Sweeping sweeping(halving("fit.epochs"));
  std::vector<Trial> trials;
  for (const Trial& trial : sweeping->trials()) trials.push_back(sweeping->with_amount(trial, 3));
  trials.push_back(sweeping->with_amount(sweeping->trials().at(0), 9));
  const SweepPipeline sweep_pipeline =
      sweeping->load(trials, true, {{1, 2, 3, {{"lr=0.1", 0.5, 1, true, "best"}}}});
  CHECK(stage_names(sweep_pipeline.pipeline) ==
        Texts{"data", "fit@lr=0.1,fit.epochs=3", "fit@lr=0.2,fit.epochs=3",
              "fit@lr=0.3,fit.epochs=3", "fit@lr=0.1,fit.epochs=9", "other@lr=0.1,fit.epochs=9",
              "after@lr=0.1,fit.epochs=9", "trials"});
  CHECK(to_json(stage(sweep_pipeline.pipeline, "trials").params)["decisions"] ==
        Json::array({{{"rung", 1},
                      {"amount", 3},
                      {"configuration", "lr=0.1"},
                      {"value", "0.5"},
                      {"rank", 1},
                      {"goes_on", true},
                      {"reason", "best"}}}));
}

TEST_CASE("the complete pipeline of a halving has every trial with the full amount",
          "[sweep_pipeline]") {
  const SweepPipeline sweep_pipeline = sweep_pipeline_in(halving("length", ", max: 4"));
  CHECK(trial_names(sweep_pipeline) ==
        Texts{"lr=0.1,length=4", "lr=0.2,length=4", "lr=0.3,length=4"});
}

}  // namespace
}  // namespace headway::testing
