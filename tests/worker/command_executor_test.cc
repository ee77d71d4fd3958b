#include "lib/worker/command_executor.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <memory>

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

const ProgressSink kNobody = [](double, const std::string&) {};

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

TEST_CASE("a command past its time is asked to stop, then killed") {
  Commands commands;
  const bool obeys = GENERATE(true, false);
  const StageJob job = commands.job("long", std::string(obeys ? "" : "trap 'echo deaf' TERM; ") +
                                                "echo on; while :; do sleep 0.01 || :; done");
  StartedJob started(commands.executor, job, 5, kNobody, commands.interrupt);
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
  CHECK(result.message == "timed out after 5.0 s");
}

TEST_CASE("an interrupted command may end its own way, and counts as interrupted") {
  Commands commands;
  const StageJob job = commands.job(
      "long", "trap 'echo saved; exit 0' INT; echo on; while :; do sleep 0.01 || :; done");
  StartedJob started(commands.executor, job, 0, kNobody, commands.interrupt);
  commands.wait_for_output(job);
  commands.interrupt.raise();
  const StageResult result = started.wait();
  CHECK(result.status == Status::kCancelled);
  CHECK(result.message == "interrupted");
  CHECK(contents(job.log) == "on\nsaved\n");
}

TEST_CASE(
    "a command that does not stop is killed with what it started, after the grace or at the second "
    "interrupt") {
  Commands commands;
  const bool second = GENERATE(true, false);
  const StageJob job = commands.job("deaf",
                                    "trap 'echo deaf' INT; (trap '' INT; exec sleep 1000) & echo "
                                    "$!; while :; do sleep 0.01 || :; done");
  StartedJob started(commands.executor, job, 0, kNobody, commands.interrupt);
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

TEST_CASE("hundreds of commands run at once, and one thread watches them") {
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
        std::make_unique<StartedJob>(commands.executor, job, 0, kNobody, commands.interrupt));
  }
  for (const StageJob& job : jobs) commands.wait_for_output(job);
  CHECK(threads() <= before + 1);
  commands.interrupt.raise();
  for (const auto& job : started) CHECK(job->wait().status == Status::kCancelled);
}

}  // namespace
}  // namespace headway::testing
