// A shared file system that shows files late, in the wrong order, or with old contents.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <map>
#include <mutex>

#include "lib/base/error.h"
#include "lib/cluster/attempt_end.h"
#include "tests/cluster/forwarding_file_system.h"
#include "tests/cluster/stand_ins.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Status = StageResult::Status;

// The engine's view: some paths, and all below them, are not there yet or have old contents.
class LateFileSystem final : public ForwardingFileSystem {
 public:
  using ForwardingFileSystem::ForwardingFileSystem;

  void hide(const Path& path) { set(path, std::nullopt); }
  void show_old(const Path& path, const std::string& contents) { set(path, contents); }
  void reveal() {
    const std::lock_guard lock(mutex_);
    late_.clear();
  }
  // How often somebody has looked for something that is late.
  int looks() const { return looks_; }

  std::optional<FileInfo> info(const Path& path) override {
    const Late late = late_at(path);
    return late && !*late ? std::nullopt : ForwardingFileSystem::info(path);
  }
  std::optional<std::string> read(const Path& path) override {
    const Late late = late_at(path);
    return late ? *late : ForwardingFileSystem::read(path);
  }
  Digest digest(const Path& path) override {
    const Late late = late_at(path);
    if (late && !*late) throw Error("cannot read {}: no such file", path.string());
    return late ? digest_of(**late) : ForwardingFileSystem::digest(path);
  }
  std::vector<std::string> list(const Path& path) override {
    std::vector<std::string> names = ForwardingFileSystem::list(path);
    std::erase_if(names, [&](const std::string& name) {
      const Late late = late_at(path / name);
      return late && !*late;
    });
    return names;
  }

 private:
  // Nothing: it is as it is. Otherwise what it seems to hold; nothing: it seems not to be there.
  using Late = std::optional<std::optional<std::string>>;

  void set(const Path& path, std::optional<std::string> contents) {
    const std::lock_guard lock(mutex_);
    late_[path] = std::move(contents);
  }
  Late late_at(const Path& path) {
    const std::lock_guard lock(mutex_);
    for (const auto& [late, contents] : late_) {
      if (!(path.string() + "/").starts_with(late.string() + "/")) continue;
      ++looks_;
      return contents;
    }
    return std::nullopt;
  }

  std::mutex mutex_;
  std::map<Path, std::optional<std::string>> late_;
  std::atomic<int> looks_{0};
};

// A stage that an agent has begun.
struct Begun {
  StandInCluster cluster;
  LateFileSystem files{cluster.disk};
  std::shared_ptr<Flight> flight;
  std::unique_ptr<StandInAgent> agent;
  StageJob job;

  explicit Begun(double visible_within = 30) {
    cluster.settings.site.visible_within = visible_within;
    cluster.open(files);
    flight = cluster.start("a");
    agent = std::make_unique<StandInAgent>(cluster.allocation(1));
    job = agent->take().front();
  }
  ~Begun() { cluster.close(); }

  const Path& output() const { return job.outputs.front().second; }
  void wait_for_looks(int count) {
    wait_until([&] { return files.looks() >= count; }, "looks for what is late");
  }
};

TEST_CASE("a record that appears late ends its stage, later") {
  Begun stage;
  stage.files.hide(stage.job.work / "end.json");
  stage.agent->finish(stage.job);
  stage.wait_for_looks(3);
  CHECK_FALSE(stage.flight->has_ended());
  stage.files.reveal();
  CHECK(stage.flight->wait().status == Status::kSucceeded);
}

TEST_CASE("a record that appears before its outputs is believed only with them") {
  Begun stage;
  stage.files.hide(stage.output());
  stage.agent->finish(stage.job);
  stage.wait_for_looks(3);
  CHECK_FALSE(stage.flight->has_ended());
  stage.files.reveal();
  CHECK(stage.flight->wait().status == Status::kSucceeded);
}

TEST_CASE("an output that shows its old contents first is not kept with them") {
  Begun stage;
  stage.files.show_old(stage.output(), "mad");
  stage.agent->finish(stage.job, "made");
  stage.wait_for_looks(3);
  CHECK_FALSE(stage.flight->has_ended());
  stage.files.reveal();
  CHECK(stage.flight->wait().status == Status::kSucceeded);
}

TEST_CASE("half a record is no record") {
  Begun stage;
  stage.files.show_old(stage.job.work / "end.json", "{\"attempt\": \"1-0000");
  stage.agent->finish(stage.job);
  stage.wait_for_looks(3);
  CHECK_FALSE(stage.flight->has_ended());
  stage.files.reveal();
  CHECK(stage.flight->wait().status == Status::kSucceeded);
}

TEST_CASE("messages that appear late lose nothing") {
  Begun stage;
  stage.files.hide(stage.agent->life / "notices");
  stage.agent->finish(stage.job);
  stage.wait_for_looks(3);
  CHECK_FALSE(stage.flight->has_ended());
  stage.files.reveal();
  CHECK(stage.flight->wait().status == Status::kSucceeded);
}

TEST_CASE("an agent that appears late gets its stages, later") {
  StandInCluster cluster;
  LateFileSystem files(cluster.disk);
  cluster.open(files);
  files.hide(cluster.allocation(1) / "0-5-7");
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  wait_until([&] { return files.looks() >= 3; }, "looks for the agent");
  CHECK(agent.count_of_runs() == 0);
  files.reveal();
  agent.finish(agent.take().front());
  CHECK(a->wait().status == Status::kSucceeded);
  cluster.close();
}

TEST_CASE("a record that never appears makes its stage lost, with what was waited for") {
  Begun stage(0.2);
  stage.files.hide(stage.job.work / "end.json");
  stage.agent->finish(stage.job);
  const StageResult result = stage.flight->wait();
  CHECK(result.status == Status::kLost);
  CHECK(result.message == "job 101 on n1: no record of its end appeared within 0.20 s");
}

TEST_CASE("an output that never appears makes its stage lost, with what was waited for") {
  Begun stage(0.2);
  stage.files.hide(stage.output());
  stage.agent->finish(stage.job);
  const StageResult result = stage.flight->wait();
  CHECK(result.status == Status::kLost);
  CHECK_THAT(result.message,
             ContainsSubstring("waited ") && ContainsSubstring("output 'o' is not there yet"));
}

TEST_CASE("an output that keeps its old contents makes its stage lost") {
  Begun stage(0.2);
  stage.files.show_old(stage.output(), "");
  stage.agent->finish(stage.job);
  const StageResult result = stage.flight->wait();
  CHECK(result.status == Status::kLost);
  CHECK_THAT(result.message,
             ContainsSubstring("output 'o' does not have the contents that its node wrote"));
}

TEST_CASE("a record that appears after its job has ended counts while there is hope") {
  Begun stage;
  stage.files.hide(stage.job.work / "end.json");
  stage.agent->finish(stage.job);
  stage.cluster.slurm.set_state("101", "COMPLETED");
  stage.cluster.slurm.wait_for_calls("scontrol", 1);
  stage.wait_for_looks(5);
  CHECK_FALSE(stage.flight->has_ended());
  stage.files.reveal();
  CHECK(stage.flight->wait().status == Status::kSucceeded);
}

}  // namespace
}  // namespace headway::testing
