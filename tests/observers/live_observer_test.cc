// What a run tells other processes.
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <thread>

#include "lib/observers/observers.h"
#include "lib/run/live_run.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/memory_file_system.h"

namespace headway::testing {
namespace {

const Path kFile = "/headway-test/runs/1/live.json";

RunInfo info_with(std::vector<std::string> queued) {
  RunInfo info{"1", "p/wide", "/headway-test", 3, 1, 2};
  info.queued = std::move(queued);
  return info;
}

struct LiveWorld {
  LiveWorld() { files.make_directories(kFile.parent_path()); }
  std::optional<LiveRun> now() { return LiveRun::parse(files.read(kFile).value_or("")); }
  // Waits for the observer's thread, at most a minute.
  template <class Condition>
  bool eventually(const Condition& holds) {
    for (int i = 0; i < 6000; ++i) {
      const std::optional<LiveRun> run = now();
      if (run && holds(*run)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  MemoryFileSystem files;
};

TEST_CASE("a run says at once what it will do, and then what it does", "[observers]") {
  LiveWorld world;
  const std::unique_ptr<Observer> observer = make_live_observer(world.files, kFile);
  observer->run_started(info_with({"train", "plot"}));
  REQUIRE(world.now());
  CHECK(world.now()->pipeline == "p/wide");
  CHECK(world.now()->stages.size() == 2);
  CHECK(world.now()->stages.at("train").since == 0);
  observer->stage_started({"train", "never run", 0, 1, 2});
  observer->stage_progress("train", 0.5, "epoch 3");
  observer->headline_changed({"1 of 2 finished", 1, {}});
  CHECK(world.eventually([](const LiveRun& run) {
    const LiveStage& train = run.stages.at("train");
    return train.since > 0 && train.attempt == 2 && train.fraction == 0.5 &&
           train.words == "epoch 3" && run.headline == "1 of 2 finished";
  }));
  observer->stage_finished({.stage = "train"});
  CHECK(world.eventually([](const LiveRun& run) { return !run.stages.contains("train"); }));
  observer->run_finished({});
  CHECK_FALSE(world.files.exists(kFile));
}

TEST_CASE("a run on a cluster says where a stage is, and counts its time from there",
          "[observers]") {
  LiveWorld world;
  const std::unique_ptr<Observer> observer = make_live_observer(world.files, kFile);
  observer->run_started(info_with({"train"}));
  const std::int64_t begin = world.now()->started;
  observer->stage_started({"train", "never run", 0, 1, 2});
  observer->stage_placed("train", {"", "job 17 waits: Resources"});
  CHECK(world.eventually([&](const LiveRun& run) {
    const LiveStage& train = run.stages.at("train");
    return train.waiting == "job 17 waits: Resources" && train.since > 0 && train.attempt == 2;
  }));
  world.files.advance(100);
  observer->stage_placed("train", {"n2", ""});
  observer->stage_progress("train", 0.5, "epoch 3");
  CHECK(world.eventually([&](const LiveRun& run) {
    const LiveStage& train = run.stages.at("train");
    return train.node == "n2" && train.waiting.empty() && train.since >= begin + 100 &&
           train.attempt == 2 && train.words == "epoch 3";
  }));
  observer->run_finished({});
}

TEST_CASE("a run with nothing to do writes nothing about itself", "[observers]") {
  LiveWorld world;
  const std::unique_ptr<Observer> observer = make_live_observer(world.files, kFile);
  observer->run_started(info_with({}));
  observer->stage_finished({.stage = "train", .status = StageStatus::kFresh});
  CHECK_FALSE(world.files.exists(kFile));
  observer->run_finished({});
}

TEST_CASE("a run that cannot write about itself goes on", "[observers]") {
  LiveWorld world;
  FaultyFileSystem full{world.files};
  full.fill_disk_at(0, /*stays=*/true);
  const std::unique_ptr<Observer> observer = make_live_observer(full, kFile);
  observer->run_started(info_with({"train"}));
  observer->stage_started({"train", "never run", 0, 1, 1});
  observer->stage_finished({.stage = "train"});
  observer->run_finished({});
  CHECK_FALSE(world.files.exists(kFile));
}

}  // namespace
}  // namespace headway::testing
