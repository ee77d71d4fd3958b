// Successive halving, rung by rung, with results made up by the test.
#include "lib/sweep/successive_halving.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <functional>
#include <set>

#include "tests/support/sweep_project.h"

namespace headway::testing {
namespace {

constexpr const char* kFit = R"(
params: {lr: 1, seed: 1, epochs: 9, text: x}
stages:
  fit: {uses: shell, outs: {metrics: m.json}, with: {run: "fit ${lr} ${seed} ${epochs} ${text} {out.metrics}"}}
  show: {uses: shell, in: {m: fit}, outs: {o: o.txt}, with: {run: "show {out.o}"}}
sweeps:
  s:
    method: halving
    resource: epochs
    maximize: fit.right
    axes: {lr: [1, 2, 3, 4, 5, 6, 7, 8, 9]}
    stages: {plot: {uses: shell, in: {m: "show@*"}, outs: {o: o.txt}, with: {run: "plot {out.o}"}}}
)";

// Runs the rungs of a sweep: a trial reaches its `value`, or fails (NaN).
class Halving {
 public:
  explicit Halving(const SweepRequest& request = {}) {
    project_.write(kFit);
    loader_.emplace(project_.loader(request));
  }

  SweepPipeline run() {
    HalvingSteps steps;
    steps.run = [&](const SweepPipeline& sweep_pipeline, bool is_last) {
      trials.push_back(sweep_pipeline.trials.size());
      last.push_back(is_last);
      return static_cast<int>(trials.size()) < stop_at;
    };
    steps.results = [&](const SweepPipeline& sweep_pipeline) { return results_of(sweep_pipeline); };
    steps.decided = [&](const RungDecisions& rung) { decided.push_back(rung); };
    return run_halving(*loader_, steps);
  }

  // The configurations that continue from a rung.
  Names going(std::size_t rung) const {
    Names names;
    for (const Decision& decision : decided.at(rung).decisions) {
      if (decision.goes_on) names.push_back(decision.configuration);
    }
    return names;
  }

  std::function<double(const Json& overrides)> value = [](const Json& overrides) {
    return overrides.at("lr").get<double>();
  };
  std::set<std::string> failing;  // trials
  int stop_at = 100;              // runs
  std::vector<std::size_t> trials;
  std::vector<bool> last;
  std::vector<RungDecisions> decided;

 private:
  std::vector<TrialResult> results_of(const SweepPipeline& sweep_pipeline) const {
    std::vector<TrialResult> results;
    for (const SweepTrial& trial : sweep_pipeline.trials) {
      TrialResult result;
      result.name = trial.trial.name;
      result.overrides = trial.trial.overrides;
      Json overrides;
      for (const Assignment& assignment : trial.trial.overrides)
        overrides[assignment.path] = to_json(assignment.value);
      if (!failing.contains(result.name)) result.metrics["fit"] = {{"right", value(overrides)}};
      results.push_back(std::move(result));
    }
    return results;
  }

  SweepProject project_;
  std::optional<SweepLoader> loader_;
};

Names trial_names_of(const SweepPipeline& sweep_pipeline) {
  Names names;
  for (const SweepTrial& trial : sweep_pipeline.trials) names.push_back(trial.trial.name);
  return names;
}

const StageSpec* stage_of(const SweepPipeline& sweep_pipeline, const std::string& name) {
  for (const StageSpec& stage : sweep_pipeline.pipeline.stages) {
    if (stage.name == name) return &stage;
  }
  return nullptr;
}

SweepRequest setting(const std::string& key, const std::string& text) {
  SweepRequest request;
  request.changes.settings = {{key, text}};
  return request;
}

// A decision as the table of trials gets it.
Json decision(int rung, int amount, const std::string& configuration, const std::string& value,
              int rank, bool goes_on, const std::string& reason) {
  return {{"rung", rung},    {"amount", amount}, {"configuration", configuration},
          {"value", value},  {"rank", rank},     {"goes_on", goes_on},
          {"reason", reason}};
}

}  // namespace

TEST_CASE("rungs contain all trials so far, and the best third continues from each", "[rungs]") {
  Halving halving;
  const SweepPipeline sweep_pipeline = halving.run();
  CHECK(halving.trials == std::vector<std::size_t>{9, 9 + 3, 9 + 3 + 1});
  CHECK(halving.last == std::vector<bool>{false, false, true});
  CHECK(halving.going(0) == Names{"lr=7", "lr=8", "lr=9"});
  CHECK(halving.going(1) == Names{"lr=9"});
  REQUIRE(halving.decided.size() == 2);
  CHECK(halving.decided[1].rung == 2);
  CHECK(halving.decided[1].rungs == 3);
  CHECK(halving.decided[1].amount == 3);
  CHECK(trial_names_of(sweep_pipeline).back() == "lr=9,epochs=9");
}

TEST_CASE("only the last pipeline has the table, the decisions and the sweep's stages", "[rungs]") {
  Halving halving;
  const SweepPipeline sweep_pipeline = halving.run();
  REQUIRE(stage_of(sweep_pipeline, "trials"));
  CHECK(stage_of(sweep_pipeline, "plot"));
  CHECK(stage_of(sweep_pipeline, "show@lr=9,epochs=9"));
  CHECK_FALSE(stage_of(sweep_pipeline, "show@lr=9,epochs=3"));  // rungs end at the objective
  const Json log = to_json(stage_of(sweep_pipeline, "trials")->params)["decisions"];
  REQUIRE(log.size() == 9 + 3);
  CHECK(log[0] ==
        decision(1, 1, "lr=1", "1", 9, false, "rank 9 of 9 with 1; the worst that goes on has 7"));
  CHECK(log[8] == decision(1, 1, "lr=9", "9", 1, true, "rank 1 of 9 with 9, the best 3 go on"));
  CHECK(log[11] ==
        decision(2, 3, "lr=9", "9", 1, true, "rank 1 of 3 with 9, only the best goes on"));
}

TEST_CASE("a rung decides by its own results", "[rungs]") {
  Halving halving;
  halving.value = [](const Json& overrides) {  // the best at first is the worst later
    const double lr = overrides.at("lr");
    return overrides.at("epochs") == 1 ? lr : -lr;
  };
  halving.run();
  CHECK(halving.going(0) == Names{"lr=7", "lr=8", "lr=9"});
  CHECK(halving.going(1) == Names{"lr=7"});
}

TEST_CASE("if less is better, the lowest continue", "[rungs]") {
  Halving halving(setting("minimize", "fit.right"));
  halving.run();
  CHECK(halving.going(0) == Names{"lr=1", "lr=2", "lr=3"});
  CHECK(halving.going(1) == Names{"lr=1"});
}

TEST_CASE("a configuration continues by the mean over its seeds, with all of them", "[rungs]") {
  Halving halving(axes({"lr=1,2,3", "seed=1,2"}, "s"));
  halving.value = [](const Json& overrides) {
    return overrides.at("lr") == 2 ? overrides.at("seed") == 1 ? 100.0 : -100.0
                                   : overrides.at("lr").get<double>();
  };
  const SweepPipeline sweep_pipeline = halving.run();
  CHECK(halving.trials == std::vector<std::size_t>{6, 8});
  CHECK(halving.going(0) == Names{"lr=3"});
  CHECK(trial_names_of(sweep_pipeline)[6] == "lr=3,seed=1,epochs=9");
  CHECK(trial_names_of(sweep_pipeline)[7] == "lr=3,seed=2,epochs=9");
}

TEST_CASE("failed configurations do not continue, and are not retried", "[rungs]") {
  Halving halving;
  halving.failing = {"lr=9,epochs=1", "lr=7,epochs=3"};
  const SweepPipeline sweep_pipeline = halving.run();
  CHECK(halving.going(0) == Names{"lr=6", "lr=7", "lr=8"});
  CHECK(halving.going(1) == Names{"lr=8"});
  CHECK(halving.trials == std::vector<std::size_t>{9, 8 + 3, 8 + 2 + 1});
  for (const std::string& name : trial_names_of(sweep_pipeline))
    CHECK_FALSE(halving.failing.contains(name));
  Names names;
  for (const Trial& trial : sweep_pipeline.failed) names.push_back(trial.name);
  CHECK(names == Names{"lr=9,epochs=1", "lr=7,epochs=3"});
  const Json log = to_json(stage_of(sweep_pipeline, "trials")->params)["decisions"];
  CHECK(log[8] == decision(1, 1, "lr=9", "", 9, false, "failed: no result"));
}

TEST_CASE("if all fail, halving ends with what there is", "[rungs]") {
  Halving halving;
  SECTION("in the first rung") {
    for (int lr = 1; lr <= 9; ++lr)
      halving.failing.insert("lr=" + std::to_string(lr) + ",epochs=1");
    const SweepPipeline sweep_pipeline = halving.run();
    CHECK(halving.trials.size() == 1);
    CHECK(sweep_pipeline.trials.size() == 9);  // for inspection: what failed, and why
    CHECK(sweep_pipeline.pipeline.label() == "p/s");
  }
  SECTION("in a later one") {
    halving.failing = {"lr=7,epochs=3", "lr=8,epochs=3", "lr=9,epochs=3"};
    const SweepPipeline sweep_pipeline = halving.run();
    CHECK(halving.trials.size() == 2);
    CHECK(sweep_pipeline.trials.size() == 9);
    CHECK_FALSE(stage_of(sweep_pipeline, "trials"));
  }
}

TEST_CASE("a stopped halving makes no more decisions", "[rungs]") {
  Halving halving;
  halving.stop_at = 2;
  const SweepPipeline sweep_pipeline = halving.run();
  CHECK(halving.trials.size() == 2);
  CHECK(halving.decided.size() == 1);
  CHECK(sweep_pipeline.trials.size() == 12);
}

TEST_CASE("an objective that the stage does not write is reported, and decides nothing",
          "[rungs]") {
  Halving halving(setting("maximize", "fit.rihgt"));
  CHECK_THROWS_WITH(halving.run(),
                    "--maximize fit.rihgt: stage 'fit' has no metric 'rihgt'; did you mean "
                    "'fit.right'? (it has fit.right)");
  CHECK(halving.decided.empty());
}

TEST_CASE("a single configuration gets the full amount immediately", "[rungs]") {
  Halving halving(axes({"lr=5"}, "s"));
  const SweepPipeline sweep_pipeline = halving.run();
  CHECK(trial_names_of(sweep_pipeline) == Names{"lr=5,epochs=9"});
  CHECK(halving.last == std::vector<bool>{true});
  CHECK(halving.decided.empty());
}

TEST_CASE("with a minimum amount, even few configurations have rungs", "[rungs]") {
  SweepRequest request = axes({"lr=1,2"}, "s");
  request.changes.settings = {{"min", "1"}};
  Halving halving(request);
  halving.run();
  CHECK(halving.trials == std::vector<std::size_t>{2, 3, 4});
}

TEST_CASE("configurations with the same plain name are not mistaken for seeds of one", "[rungs]") {
  Halving halving(axes({"lr=1", "text=a b,a_b,c"}, "s"));
  halving.run();
  REQUIRE(halving.decided.size() == 1);
  CHECK(halving.decided[0].decisions.size() == 3);
}

TEST_CASE("rungs that actually run reach the full amount, and a second time nothing runs",
          "[rungs]") {
  SweepProject project;
  std::string yaml = kFit;
  yaml.replace(yaml.find("fit ${lr}"), 9, "fit right=${lr}");
  project.write(yaml);
  const SweepLoader loader = project.loader();
  Names ran;
  HalvingSteps steps;
  steps.run = [&](const SweepPipeline& sweep_pipeline, bool last) {
    for (const std::string& name :
         project.run_sweep_pipeline(sweep_pipeline, {.forgets = last}).ran)
      ran.push_back(name);
    return true;
  };
  steps.results = [&](const SweepPipeline& sweep_pipeline) {
    std::vector<TrialResult> results;
    for (const SweepTrial& trial : sweep_pipeline.trials) {
      results.push_back({trial.trial.name, trial.trial.overrides, {}, ""});
      const std::string text = project.shown("p/s/" + trial.trial.name + "/fit/m.json");
      if (const auto metrics = parse_json(text)) results.back().metrics["fit"] = *metrics;
    }
    return results;
  };
  steps.decided = [](const RungDecisions&) {};
  run_halving(loader, steps);
  CHECK(ran.size() == 9 + 3 + 1 + 3);
  CHECK(ran.back() == "plot");
  CHECK(project.shown("p/s/lr=9,epochs=9/show/o.txt") != "");
  CHECK(project.shown("p/s/lr=1,epochs=1/fit/m.json") != "");  // of the last sweep_pipeline too
  ran.clear();
  run_halving(loader, steps);
  CHECK(ran.empty());
}

}  // namespace headway::testing
