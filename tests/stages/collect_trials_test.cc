// The table of a sweep's trials, made from their metrics on disk.
#include "stages/stages.h"

#include <algorithm>
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
  void add_trial(int seed, const std::string& metrics, const Json& expect = Json::array()) {
    const std::string item = "seed=" + std::to_string(seed);
    trials.push_back(
        {{"name", item},
         {"overrides", Json::array({{{"path", "seed"}, {"value", std::to_string(seed)}}})},
         {"stages",
          Json::array(
              {{{"name", "train"}, {"port", "train"}, {"item", item}, {"expect", expect}}})}});
    if (metrics.empty()) return;
    input.items.push_back(item);
    input.paths.push_back(folder.write(item + ".json", metrics));
  }

  void run(Json params = Json::object()) {
    params["trials"] = trials;
    Diagnostics diagnostics;
    const Value resolved =
        collect_trials_stage().params->resolve(from_json(params, {}), "the table", {}, diagnostics);
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

// Of a configuration that does not continue.
Json decision(int rung, int amount, const std::string& configuration, const std::string& value,
              int rank, const std::string& reason) {
  return {{"rung", rung},    {"amount", amount}, {"configuration", configuration},
          {"value", value},  {"rank", rank},     {"goes_on", false},
          {"reason", reason}};
}

}  // namespace

TEST_CASE("the table has a row for each trial, with empty cells for failed ones", "[stages]") {
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

TEST_CASE("a table of selected metrics also has the objective, as the first", "[stages]") {
  Collecting collecting;
  collecting.add_trial(1, R"({"loss": 0.5, "time": 3, "size": 7})");
  collecting.run({{"objective", "train.loss"}, {"maximize", false}, {"metrics", {"train.time"}}});
  CHECK(collecting.folder.read("table.csv") ==
        "seed,trial,train.loss,train.time\n1,seed=1,0.5,3\n");
}

TEST_CASE("a table of only failed trials consists of empty rows", "[stages]") {
  Collecting collecting;
  collecting.add_trial(1, "");
  collecting.run({{"objective", "train.loss"}});
  CHECK(collecting.folder.read("table.csv").starts_with("seed,trial"));
  Collecting none;
  none.run({{"objective", "train.loss"}});
  CHECK(none.folder.read("table.csv").starts_with("trial"));
}

TEST_CASE("a table says which trials failed, and why", "[stages]") {
  const auto expect = [](bool warns) {
    return Json::array({{{"metric", "right"}, {"sign", ">="}, {"value", "0.9"}, {"warns", warns}}});
  };
  Collecting collecting;
  collecting.add_trial(1, R"({"right": 0.95})", expect(false));
  collecting.add_trial(2, R"({"right": 0.5})", expect(false));
  collecting.add_trial(3, "", expect(false));
  collecting.add_trial(4, R"({"right": 0.5})", expect(true));
  collecting.add_trial(5, "");
  collecting.input.lost = {{"seed=5", "killed by signal 11"}};
  collecting.run();
  CHECK(collecting.folder.read("failures.csv") ==
        "trial,stage,status,reason\n"
        "seed=2,train,failed,\"expected right >= 0.9, got 0.5\"\n"
        "seed=3,train,failed,it has no result\n"
        "seed=4,train,warning,\"expected right >= 0.9, got 0.5\"\n"
        "seed=5,train,failed,killed by signal 11\n");
}

TEST_CASE("of many metrics, the tables for a page have those that are expected or differ most",
          "[stages]") {
  Collecting collecting;
  for (const int seed : {1, 2}) {
    Json metrics = {{"kept", 0.5}};
    for (int i = 0; i < 80; ++i) metrics["m" + std::to_string(i)] = 1000 + seed * i;
    collecting.add_trial(seed, metrics.dump());
  }
  collecting.run({{"expected", {"train.kept"}}});
  const std::string leading = collecting.folder.read("leading.csv");
  CHECK(leading.starts_with("seed,trial,train.kept,train."));
  CHECK(std::ranges::count(leading.substr(0, leading.find('\n')), ',') == 1 + 4);
  const std::string overview = collecting.folder.read("overview.csv");
  CHECK(overview.starts_with("train.kept,train.kept low,"));
  CHECK(std::ranges::count(overview.substr(0, overview.find('\n')), ',') == 4 * 3 + 3 - 1);
  CHECK(collecting.folder.read("table.csv").find("train.m79") != std::string::npos);
}

TEST_CASE("decisions between rungs are a separate table", "[stages]") {
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

TEST_CASE("what is neither a trial nor a decision is refused", "[stages]") {
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
