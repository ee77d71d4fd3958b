// The table of a sweep's trials, made from their metrics on disk.
#include "stages/collect_trials.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "tests/support/temporary_folder.h"

namespace headway::testing {
namespace {

class PlainContext final : public StageContext {
 public:
  using StageContext::StageContext;
  void progress(double, std::string_view) override {}
  bool cancelled() const override { return false; }
};

// A job over trials that differ in their seeds; those whose metrics are missing failed.
class Collecting {
 public:
  void add_trial(int seed, const std::string& metrics) {
    const std::string item = "seed=" + std::to_string(seed);
    trials.push_back(
        {{"name", item},
         {"overrides", Json::array({{{"path", "seed"}, {"value", std::to_string(seed)}}})},
         {"stages", Json::array({{{"name", "train"}, {"port", "train"}, {"item", item}}})}});
    if (metrics.empty()) return;
    input.items.push_back(item);
    input.paths.push_back(folder.write(item + ".json", metrics));
  }

  void run(Json params = Json::object()) {
    params["trials"] = trials;
    Diagnostics diagnostics;
    const Value resolved =
        collect_trials_schema().resolve(from_json(params, {}), "the table", {}, diagnostics);
    diagnostics.throw_if_any();
    StageJob job;
    job.params = to_json(resolved);
    job.inputs = {input};
    for (const Output& output : collect_trials_stage().outputs)
      job.outputs.emplace_back(output.name, folder / output.file);
    PlainContext context(job);
    collect_trials_stage().builtin(context);
  }

  TemporaryFolder folder;
  Json trials = Json::array();
  InputPaths input{"train", {}, {}};
};

// Of a configuration that does not go on.
Json decision(int rung, int amount, const std::string& configuration, const std::string& value,
              int rank, const std::string& reason) {
  return {{"rung", rung},    {"amount", amount}, {"configuration", configuration},
          {"value", value},  {"rank", rank},     {"goes_on", false},
          {"reason", reason}};
}

}  // namespace

TEST_CASE("the table has a row for each trial, with empty cells where it failed", "[stages]") {
  Collecting collecting;
  collecting.add_trial(1, R"({"loss": 0.5, "good": true, "by": {"a": 1}, "note": "x"})");
  collecting.add_trial(2, "");
  collecting.add_trial(3, R"({"loss": 0.25, "good": false, "by": {"a": 2}})");
  collecting.run();
  CHECK(collecting.folder.read("table.csv") ==
        "seed,trial,train.by.a,train.good,train.loss\n"
        "1,seed=1,1,1,0.5\n"
        "2,seed=2,,,\n"
        "3,seed=3,2,0,0.25\n");
  CHECK(collecting.folder.read("comparison.csv") != "");
  CHECK(collecting.folder.read("comparison.md") != "");
}

TEST_CASE("a table of asked-for metrics has the objective too, and first", "[stages]") {
  Collecting collecting;
  collecting.add_trial(1, R"({"loss": 0.5, "time": 3, "size": 7})");
  collecting.run({{"objective", "train.loss"}, {"maximize", false}, {"metrics", {"train.time"}}});
  CHECK(collecting.folder.read("table.csv") ==
        "seed,trial,train.loss,train.time\n1,seed=1,0.5,3\n");
}

TEST_CASE("a table of trials that all failed is one of empty rows", "[stages]") {
  Collecting collecting;
  collecting.add_trial(1, "");
  collecting.run({{"objective", "train.loss"}});
  CHECK(collecting.folder.read("table.csv").starts_with("seed,trial"));
  Collecting none;
  none.run({{"objective", "train.loss"}});
  CHECK(none.folder.read("table.csv").starts_with("trial"));
}

TEST_CASE("decisions between rungs are a table of their own", "[stages]") {
  Collecting collecting;
  collecting.add_trial(1, R"({"loss": 0.5})");
  collecting.run({{"decisions",
                   {decision(1, 3, "lr=0.1", "0.5", 2, "rank 2 of 2, no"),
                    decision(1, 3, "lr=0.2", "", 3, "failed: no result")}}});
  CHECK(collecting.folder.read("decisions.csv") ==
        "rung,amount,configuration,value,rank,goes_on,reason\n"
        "1,3,lr=0.1,0.5,2,0,\"rank 2 of 2, no\"\n"
        "1,3,lr=0.2,,3,0,failed: no result\n");
}

TEST_CASE("what is not a trial or a decision is refused", "[stages]") {
  Collecting collecting;
  collecting.trials = Json::array({"{"});
  CHECK_THROWS_AS(collecting.run(), Error);
  collecting.trials = Json::array({Json::object()});
  CHECK_THROWS_AS(collecting.run(), Error);
  collecting.trials = Json::array();
  CHECK_THROWS_AS(collecting.run({{"decisions", Json::array({{{"rung", 1}}})}}), Error);
  CHECK_THROWS_AS(collecting.run({{"decisions", Json::array({Json::array({1, 2})})}}), Error);
}

}  // namespace headway::testing
