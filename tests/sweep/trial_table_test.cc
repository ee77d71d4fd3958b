#include "lib/sweep/trial_table.h"

#include <catch2/catch_test_macros.hpp>

namespace headway {
namespace {

using Names = std::vector<std::string>;

TrialResult result(const std::string& name, const std::vector<std::pair<std::string, Json>>& values,
                   const std::map<std::string, Json>& metrics) {
  TrialResult made{name, {}, metrics, "done"};
  for (const auto& [path, value] : values) made.overrides.push_back({path, from_json(value, {})});
  return made;
}

std::vector<TrialResult> two_trials() {
  return {result("lr=0.1,seed=1", {{"lr", 0.1}, {"seed", 1}},
                 {{"evaluate", {{"greedy", 0.5}, {"correct", true}, {"note", "text"}}},
                  {"ablate@zero", {{"drop", 0.25}}}}),
          result("lr=0.2,seed=1", {{"lr", 0.2}, {"seed", 1}}, {{"evaluate", {{"greedy", 0.75}}}})};
}

TEST_CASE("a trial table has axes, the trial and its numbers", "[trial_table]") {
  CHECK(trial_table(two_trials(), {}).to_csv() ==
        "lr,seed,trial,ablate@zero.drop,evaluate.correct,evaluate.greedy\n"
        "0.1,1,\"lr=0.1,seed=1\",0.25,1,0.5\n"
        "0.2,1,\"lr=0.2,seed=1\",,,0.75\n");
}

TEST_CASE("only the requested metrics are in a table, in their order", "[trial_table]") {
  const Table table = trial_table(two_trials(), {"evaluate.greedy", "ablate@zero.drop"});
  CHECK(metrics_of(table) == Names{"evaluate.greedy", "ablate@zero.drop"});
  CHECK(axes_of(table) == Names{"lr", "seed"});
}

TEST_CASE("a requested metric that no trial has is an empty column", "[trial_table]") {
  const Table table = trial_table(two_trials(), {"evaluate.beam"});
  CHECK(metrics_of(table) == Names{"evaluate.beam"});
  CHECK(table.text(0, "evaluate.beam").empty());
}

TEST_CASE("a map of metrics is flattened, with numbers in numeric order", "[trial_table]") {
  const Json metrics = {{"accuracy", {{"swaps", {{"8", 1}, {"64", 0.9}, {"256", 0.5}}}}},
                        {"list", {1, 2}},
                        {"none", nullptr}};
  const std::vector<TrialResult> trials = {result("t", {}, {{"evaluate", metrics}})};
  const Names spread = {"evaluate.accuracy.swaps.8", "evaluate.accuracy.swaps.64",
                        "evaluate.accuracy.swaps.256"};
  CHECK(metrics_of(trial_table(trials, {})) == spread);
  CHECK(metrics_of(trial_table(trials, {"evaluate.accuracy"})) == spread);
  CHECK(metrics_of(trial_table(trials, {"evaluate"})) == spread);
  CHECK(metrics_of(trial_table(trials, {spread[2], "evaluate.accuracy.swaps"})) ==
        Names{spread[2], spread[0], spread[1]});
  CHECK(metrics_of(trial_table(trials, {"evaluate.acc"})) == Names{"evaluate.acc"});
}

TEST_CASE("a stage that failed in the first trial is not moved to the end", "[trial_table]") {
  const std::vector<TrialResult> trials = {result("a", {}, {{"train", {{"loss", 1}}}}),
                                           result("b", {}, {{"evaluate", {{"greedy", 1}}}})};
  CHECK(metrics_of(trial_table(trials, {})) == Names{"evaluate.greedy", "train.loss"});
}

TEST_CASE("trials with different overrides share a table", "[trial_table]") {
  const std::vector<TrialResult> trials = {result("a", {{"lr", 0.1}}, {}),
                                           result("b", {{"sizes", {1, 2}}, {"lr", 0.2}}, {})};
  CHECK(trial_table(trials, {}).to_csv() == "lr,sizes,trial\n0.1,,a\n0.2,\"[1,2]\",b\n");
}

TEST_CASE("no trials give an empty table", "[trial_table]") {
  const Table table = trial_table({}, {"evaluate.greedy"});
  CHECK(table.columns() == Names{"trial", "evaluate.greedy"});
  CHECK(table.size() == 0);
}

TEST_CASE("metrics that are not a map are left out", "[trial_table]") {
  CHECK(metrics_of(trial_table({result("a", {}, {{"x", 3}, {"y", {1, 2}}, {"z", nullptr}})}, {}))
            .empty());
}

TEST_CASE("a metric is found by its dotted name", "[trial_table]") {
  const TrialResult trial = result(
      "t", {},
      {{"evaluate", {{"greedy", 0.5}, {"ok", true}, {"by", {{"0.1", {{"x.y", 3}}}}}, {"s", "t"}}},
       {"lr@0.1", {{"greedy", 0.75}}},
       {"lr@0", {{"1.greedy", 9}, {"1", {{"only", 4}}}}}});
  CHECK(metric_of(trial, "evaluate.greedy") == 0.5);
  CHECK(metric_of(trial, "evaluate.ok") == 1);
  CHECK(metric_of(trial, "evaluate.by.0.1.x.y") == 3);
  CHECK(metric_of(trial, "lr@0.1.greedy") == 0.75);  // the longest stage that fits
  CHECK(metric_of(trial, "lr@0.1.only") == 4);       // which the longest does not have
  CHECK_FALSE(metric_of(trial, "evaluate.s"));
  CHECK_FALSE(metric_of(trial, "evaluate.by"));
  CHECK_FALSE(metric_of(trial, "evaluate.beam"));
  CHECK_FALSE(metric_of(trial, "evaluate"));
  CHECK_FALSE(metric_of(trial, "evaluate."));
  CHECK_FALSE(metric_of(trial, ""));
  CHECK_FALSE(metric_of(trial, "train.loss"));
}

TEST_CASE("a metric's name is split after the longest matching stage", "[trial_table]") {
  const Names stages = {"lr@0", "lr@0.1", "evaluate"};
  using Split = std::pair<std::string, std::string>;
  CHECK(split_metric("lr@0.1.greedy", stages) == Split{"lr@0.1", "greedy"});
  CHECK(split_metric("lr@0.2.greedy", stages) == Split{"lr@0", "2.greedy"});
  CHECK(split_metric("evaluate.a.b", stages) == Split{"evaluate", "a.b"});
  CHECK_FALSE(split_metric("evaluate", stages));
  CHECK_FALSE(split_metric("evaluate.", stages));
  CHECK_FALSE(split_metric("evaluated.x", stages));
}

}  // namespace
}  // namespace headway
