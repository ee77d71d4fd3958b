#include "lib/run/live_run.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/memory_file_system.h"

namespace headway::testing {
namespace {

const Layout kLayout("/headway-test/outputs");

LiveRun a_run() {
  return {
      "1", "p/wide", 100, "1 of 2 finished", {{"train", {110, 2, 0.5, "epoch 3"}}, {"plot", {}}}};
}

LastState history(StageStatus status, std::int64_t finished) {
  auto state = std::make_shared<StageState>();
  state->status = status;
  state->key = digest_of("key");
  state->finished = finished;
  return state;
}

void start(MemoryFileSystem& files, const std::string& id, const std::string& text) {
  files.put(kLayout.works() / (id + ".lock"), "");
  if (!text.empty()) files.put(kLayout.live_run(id), text);
}

TEST_CASE("what a run writes about itself can be read back", "[live]") {
  const std::optional<LiveRun> read = LiveRun::parse(to_line(a_run().to_json()));
  REQUIRE(read);
  CHECK(read->to_json() == a_run().to_json());
  CHECK(read->stages.at("train").words == "epoch 3");
  for (const char* damaged : {"", "[]", "{}", "{\"run\": 1}", R"({"run": "1", "pipeline": "p",
      "started": "x", "headline": "", "stages": {}})"})
    CHECK_FALSE(LiveRun::parse(damaged));
}

TEST_CASE("a run on a cluster says where its stages are, and older runs do not", "[live]") {
  LiveRun run = a_run();
  run.stages["train"].node = "n2";
  run.stages["eval"] = {.since = 120, .waiting = "job 17 waits: Resources"};
  const std::optional<LiveRun> read = LiveRun::parse(to_line(run.to_json()));
  REQUIRE(read);
  CHECK(read->stages.at("train").node == "n2");
  CHECK(read->stages.at("train").waiting.empty());
  CHECK(read->stages.at("eval").waiting == "job 17 waits: Resources");
  const std::optional<LiveRun> old = LiveRun::parse(
      R"({"run": "1", "pipeline": "p", "started": 1, "headline": "", "stages": {"a": {"since": 2}}})");
  REQUIRE(old);
  CHECK(old->stages.at("a").since == 2);
  CHECK(old->stages.at("a").node.empty());
  CHECK(old->stages.at("a").waiting.empty());
}

TEST_CASE("what was left on a cluster is found by its key", "[live]") {
  MemoryFileSystem files;
  const LiveStages live(files, kLayout, "p", {}, {{digest_of("a"), "on n2 (job 17)", 5}});
  REQUIRE(live.detached(digest_of("a")));
  CHECK(live.detached(digest_of("a"))->words == "on n2 (job 17)");
  CHECK_FALSE(live.detached(digest_of("b")));
}

TEST_CASE("a run lives as long as it holds its lock", "[live]") {
  MemoryFileSystem files;
  start(files, "1", to_line(a_run().to_json()));
  start(files, "2", "");
  CHECK(live_runs(files, kLayout).empty());
  const auto one = files.try_lock(kLayout.works() / "1.lock", LockMode::kExclusive);
  const auto two = files.try_lock(kLayout.works() / "2.lock", LockMode::kExclusive);
  const std::vector<LiveRun> runs = live_runs(files, kLayout);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].pipeline == "p/wide");
  CHECK(runs[1].pipeline.empty());
}

TEST_CASE("looking for runs in a store that does not exist creates nothing", "[live]") {
  MemoryFileSystem files;
  CHECK(live_runs(files, kLayout).empty());
  CHECK_FALSE(files.exists(kLayout.outputs()));
}

TEST_CASE("a stage runs if its history says so and a run has it", "[live]") {
  MemoryFileSystem files;
  const LiveStages live(files, kLayout, "p/wide", {a_run()});
  const LastState running = history(StageStatus::kRunning, 110);
  REQUIRE(live.running("train", running));
  CHECK(live.running("train", running)->fraction == 0.5);
  CHECK(live.running("plot", running));  // it has just started: the run's file may be a second old
  CHECK_FALSE(live.running("train", history(StageStatus::kDone, 120)));
  CHECK_FALSE(live.running("train", nullptr));
  CHECK_FALSE(live.running("other", running));
  CHECK_FALSE(LiveStages(files, kLayout, "p", {a_run()}).running("train", running));
  CHECK_FALSE(LiveStages(files, kLayout, "p/wide", {}).running("train", running));
}

TEST_CASE("a run that says nothing of itself runs the stages whose keys are locked", "[live]") {
  MemoryFileSystem files;
  const LiveStages live(files, kLayout, "p", {{"2", ""}});
  const LastState running = history(StageStatus::kRunning, 1);
  CHECK_FALSE(live.running("train", running));
  files.make_directories(kLayout.locks());
  const auto lock = files.try_lock(kLayout.lock(running->key), LockMode::kExclusive);
  CHECK(live.running("train", running));
  CHECK_FALSE(live.is_queued("train", nullptr));
}

TEST_CASE("a stage is queued until it starts", "[live]") {
  MemoryFileSystem files;
  const LiveStages live(files, kLayout, "p/wide", {a_run()});
  CHECK(live.is_queued("plot", nullptr));
  CHECK(live.is_queued("plot", history(StageStatus::kDone, 90)));      // by an earlier run
  CHECK(live.is_queued("plot", history(StageStatus::kWaiting, 105)));  // set aside by this one
  CHECK_FALSE(live.is_queued("plot", history(StageStatus::kFailed, 105)));
  CHECK_FALSE(live.is_queued("train", history(StageStatus::kFailed, 120)));
  CHECK_FALSE(live.is_queued("other", nullptr));
  CHECK(live.queued({{"train", history(StageStatus::kRunning, 110)}}) == 1);
  CHECK(live.headline() == "1 of 2 finished");
}

}  // namespace
}  // namespace headway::testing
