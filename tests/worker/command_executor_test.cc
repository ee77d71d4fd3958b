#include "lib/worker/command_executor.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "lib/worker/progress_reader.h"
#include "tests/support/fake_clock.h"
#include "tests/support/job_folder.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Status = StageResult::Status;

struct Commands {
  StageJob job(const std::string& name, const std::string& script) const {
    StageJob job = folder.job(name, "shell", {}, {});
    job.script = script;
    job.folder = folder.path();
    return job;
  }
  // Waits until the command has printed something.
  void wait_for_output(const StageJob& job) {
    while (contents(job.log).empty()) run(executor, this->job("other", "true"));
  }

  JobFolder folder;
  FakeClock clock;
  ProcessLoop loop{clock.now()};
  CommandExecutor executor{loop};
  Interrupt interrupt;
};

TEST_CASE("a command's exit code decides, and its output is the log") {
  Commands commands;
  const StageJob good = commands.job("good", "echo out; echo err >&2; pwd");
  const StageResult result = run(commands.executor, good);
  CHECK(result.status == Status::kSucceeded);
  CHECK(result.message.empty());
  CHECK(result.peak_memory > 0);
  CHECK(contents(good.log) == "out\nerr\n" + commands.folder.path().string() + "\n");
  const StageResult bad = run(commands.executor, commands.job("bad", "false; echo not reached"));
  CHECK(bad.status == Status::kFailed);
  CHECK(bad.message == "exit code 1");
  const StageResult killed = run(commands.executor, commands.job("killed", "kill -11 $$"));
  CHECK(killed.message == "killed by signal 11 (segmentation fault)");
}

TEST_CASE("a command that cannot be started is a result") {
  Commands commands;
  StageJob job = commands.job("lost", "true");
  job.log = commands.folder.path() / "nowhere" / "log";
  const StageResult result = run(commands.executor, job);
  CHECK(result.status == Status::kFailed);
  CHECK_THAT(result.message, ContainsSubstring("cannot write the log"));
}

TEST_CASE("a command that exceeds its time is asked to stop, then killed") {
  Commands commands;
  const bool obeys = GENERATE(true, false);
  const StageJob job = commands.job("long", std::string(obeys ? "" : "trap 'echo deaf' TERM; ") +
                                                "echo on; while :; do sleep 0.01 || :; done");
  StartedJob started(commands.executor, job, 5, kNoProgress, commands.interrupt);
  commands.wait_for_output(job);
  commands.clock.advance(5);
  commands.loop.wake();
  if (!obeys) {
    while (contents(job.log) == "on\n") run(commands.executor, commands.job("other", "true"));
    commands.clock.advance(10);
    commands.loop.wake();
  }
  const StageResult result = started.wait();
  CHECK(result.status == Status::kTimedOut);
  CHECK(result.message == "timed out after 5 s");
}

TEST_CASE("an interrupted command may shut down cleanly, and counts as interrupted") {
  Commands commands;
  const StageJob job = commands.job(
      "long", "trap 'echo saved; exit 0' INT; echo on; while :; do sleep 0.01 || :; done");
  StartedJob started(commands.executor, job, 0, kNoProgress, commands.interrupt);
  commands.wait_for_output(job);
  commands.interrupt.raise();
  const StageResult result = started.wait();
  CHECK(result.status == Status::kCancelled);
  CHECK(result.message == "interrupted");
  CHECK(contents(job.log) == "on\nsaved\n");
}

TEST_CASE(
    "a command that does not stop is killed with its children after the grace or a second "
    "interrupt") {
  Commands commands;
  const bool second = GENERATE(true, false);
  const StageJob job = commands.job("deaf",
                                    "trap 'echo deaf' INT; (trap '' INT; exec sleep 1000) & echo "
                                    "$!; while :; do sleep 0.01 || :; done");
  StartedJob started(commands.executor, job, 0, kNoProgress, commands.interrupt);
  commands.wait_for_output(job);
  const int child = std::stoi(contents(job.log));
  commands.interrupt.raise();
  while (contents(job.log).find("deaf") == std::string::npos)
    run(commands.executor, commands.job("other", "true"));
  if (second) commands.interrupt.raise();
  commands.clock.advance(second ? 0.1 : 10);
  commands.loop.wake();
  CHECK(started.wait().status == Status::kCancelled);
  while (std::filesystem::exists("/proc/" + std::to_string(child) + "/exe"))
    run(commands.executor, commands.job("other", "true"));  // or this test ends by its own timeout
}

// Collects progress and waits for it.
class Reports {
 public:
  ProgressSink sink() {
    return [this](double fraction, const std::string& words) {
      const std::lock_guard lock(mutex_);
      all_.push_back({fraction, words});
      changed_.notify_all();
    };
  }
  CommandProgress wait_for(std::size_t number) {  // from 1
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return all_.size() >= number; });
    return all_[number - 1];
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return all_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<CommandProgress> all_;
};

TEST_CASE("what a command prints is its progress, looked at twice a second") {
  Commands commands;
  Reports reports;
  const StageJob job = commands.job("bar", R"(
    next() { while ! test -e go$1; do sleep 0.01; done; }
    printf '\r  0%%|   |'; printf '\r 42%%|## |'; next 1
    echo; echo saving; next 2
    echo 'headway: progress 0.9 nearly' >&2; echo noise; next 3)");
  const std::string bar = "\r  0%|   |\r 42%|## |";
  const std::string saving = bar + "\nsaving\n";
  const std::string all = saving + "headway: progress 0.9 nearly\nnoise\n";
  StartedJob started(commands.executor, job, 0, reports.sink(), commands.interrupt);
  const auto wait_for_log = [&](const std::string& log) {
    while (contents(job.log) != log) run(commands.executor, commands.job("other", "true"));
  };
  const auto look = [&](double seconds) {
    commands.clock.advance(seconds);
    commands.loop.wake();
    run(commands.executor, commands.job("other", "true"));  // the loop has taken a turn
  };
  wait_for_log(bar);
  look(0.4);
  CHECK(reports.count() == 0);
  look(0.1);
  CHECK(reports.wait_for(1) == CommandProgress{0.42, "42%|## |"});
  look(0.5);
  CHECK(reports.count() == 1);  // nothing new
  RealFileSystem().write(commands.folder.path() / "go1", "", Durability::kCached);
  wait_for_log(saving);
  look(0.5);
  CHECK(reports.wait_for(2) == CommandProgress{kUnknownFraction, "saving"});
  RealFileSystem().write(commands.folder.path() / "go2", "", Durability::kCached);
  wait_for_log(all);
  look(0.5);
  CHECK(reports.wait_for(3) == CommandProgress{0.9, "nearly"});
  RealFileSystem().write(commands.folder.path() / "go3", "", Durability::kCached);
  CHECK(started.wait().status == Status::kSucceeded);
  CHECK(reports.count() == 3);
  CHECK(contents(job.log) == all);
}

TEST_CASE("a command appends to its log, and what was there before is not its progress") {
  Commands commands;
  Reports reports;
  const StageJob job = commands.job(
      "again", "while ! test -e go; do sleep 0.01; done; echo new 7%; exec sleep 1000");
  RealFileSystem().write(job.log, "old 42%\n", Durability::kCached);
  StartedJob started(commands.executor, job, 0, reports.sink(), commands.interrupt);
  run(commands.executor, commands.job("other", "true"));  // the job has begun
  commands.clock.advance(0.5);
  commands.loop.wake();
  run(commands.executor, commands.job("other", "true"));
  CHECK(reports.count() == 0);
  RealFileSystem().write(commands.folder.path() / "go", "", Durability::kCached);
  while (contents(job.log) != "old 42%\nnew 7%\n")
    run(commands.executor, commands.job("other", "true"));
  commands.clock.advance(0.5);
  commands.loop.wake();
  CHECK(reports.wait_for(1) == CommandProgress{0.07, "new 7%"});
  commands.interrupt.raise();
  CHECK(started.wait().status == Status::kCancelled);
}

TEST_CASE("hundreds of commands run concurrently, watched by one thread") {
  Commands commands;
  constexpr int kMany = 200;
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  const auto before = threads();
  std::vector<StageJob> jobs;
  for (int i = 0; i < kMany; ++i)
    jobs.push_back(commands.job("job" + std::to_string(i), "echo on; exec sleep 1000"));
  std::vector<std::unique_ptr<StartedJob>> started;
  for (const StageJob& job : jobs) {
    started.push_back(
        std::make_unique<StartedJob>(commands.executor, job, 0, kNoProgress, commands.interrupt));
  }
  for (const StageJob& job : jobs) commands.wait_for_output(job);
  CHECK(threads() <= before + 1);
  commands.interrupt.raise();
  for (const auto& job : started) CHECK(job->wait().status == Status::kCancelled);
}

}  // namespace
}  // namespace headway::testing
