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
    trials.push_back(to_line({{"name", item},
                              {"overrides", Json::array({Json::array({"seed", seed})})},
                              {"stages", Json::array({Json::array({"train", "train", item})})}}));
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
  std::vector<std::string> trials;
  InputPaths input{"train", {}, {}};
};

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
                   {R"([1,3,"lr=0.1",0.5,2,false,"rank 2 of 2, no"])",
                    R"([1,3,"lr=0.2",null,3,false,"failed: no result"])"}}});
  CHECK(collecting.folder.read("decisions.csv") ==
        "rung,amount,configuration,value,rank,goes_on,reason\n"
        "1,3,lr=0.1,0.5,2,0,\"rank 2 of 2, no\"\n"
        "1,3,lr=0.2,,3,0,failed: no result\n");
}

TEST_CASE("what is not a trial or a decision is refused", "[stages]") {
  Collecting collecting;
  collecting.trials = {"{"};
  CHECK_THROWS_AS(collecting.run(), Error);
  collecting.trials = {"{}"};
  CHECK_THROWS_AS(collecting.run(), Error);
  collecting.trials.clear();
  CHECK_THROWS_AS(collecting.run({{"decisions", {"[1, 2]"}}}), Error);
}

}  // namespace headway::testing
