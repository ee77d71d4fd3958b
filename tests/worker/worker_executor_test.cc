#include "lib/worker/worker_executor.h"

#include <fmt/format.h>
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <memory>
#include <set>

#include "lib/worker/protocol.h"
#include "tests/support/fake_clock.h"
#include "tests/support/job_folder.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using Status = StageResult::Status;
using Clock = std::chrono::steady_clock;

struct Plain {
  Plain() : executor(loop, variable("HEADWAY_PLAIN_TEST_WORKER")) {}

  StageJob job(const std::string& name, Json params = Json::object()) const {
    return folder.job(name, "plain", std::move(params), {"sum"});
  }
  StageResult misbehave(const std::string& how) {
    return run(executor, job("bad-" + how, {{"misbehave", how}}));
  }

  JobFolder folder;
  FakeClock clock;
  ProcessLoop loop{clock.now()};
  WorkerExecutor executor;
};

// Returns once all jobs that were started before have begun: the loop takes them in order.
void wait_until_begun(ProcessLoop& loop, const JobFolder& folder) {
  WorkerExecutor missing(loop, "/nowhere/headway-worker");
  run(missing, folder.job("last", "plain", {}, {}));
}

// Runs the job and raises the interrupt, `times` over, as soon as it reports progress.
StageResult run_and_interrupt(StageExecutor& executor, const StageJob& job, int times = 1) {
  Interrupt interrupt;
  const ProgressSink stop = [&](double, const std::string&) {
    while (interrupt.level() < times) interrupt.raise();
  };
  return run(executor, job, 0, stop, interrupt);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool is_running(int pid) {
  return ::kill(pid, 0) == 0;
}

// A worker that is a shell script.
Path script(const JobFolder& folder, const std::string& text) {
  const Path path = folder.path() / "fake-worker";
  RealFileSystem().write(path, "#!/bin/sh\n" + text, Durability::kCached);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

const Json kEndless = {{"steps", 100'000}, {"slow_ms", 1}};

TEST_CASE("a job gives its output, its log, its progress and its cost") {
  Plain plain;
  const StageJob job = plain.job("count", {{"steps", 4}});
  Interrupt interrupt;
  std::vector<std::pair<double, std::string>> reported;
  const auto sink = [&](double done, const std::string& words) {
    reported.emplace_back(done, words);
  };
  const StageResult result = run(plain.executor, job, 10, sink, interrupt);
  CHECK(result.status == Status::kSucceeded);
  CHECK(result.message.empty());
  CHECK(result.peak_memory > 100'000);
  CHECK(result.cpu_seconds < 5);
  CHECK_FALSE(output_of(job, "sum").empty());
  CHECK_THAT(contents(job.log), StartsWith("pid "));
  REQUIRE_FALSE(reported.empty());
  CHECK(reported.back() == std::pair<double, std::string>(1.0, "step 4 of 4"));
}

TEST_CASE("progress is reported a few times a second, and always at the end") {
  Plain plain;
  Interrupt interrupt;
  std::vector<double> reported;
  const auto sink = [&](double done, const std::string&) { reported.push_back(done); };
  const auto start = Clock::now();
  run(plain.executor, plain.job("count", {{"steps", 300}, {"slow_ms", 1}}), 0, sink, interrupt);
  CHECK(static_cast<double>(reported.size()) <= 2 + seconds_since(start) * 10);
  CHECK(reported.size() >= 3);
  CHECK(reported.back() == 1.0);
}

TEST_CASE("one worker serves one job after the other") {
  Plain plain;
  const StageJob first = plain.job("first");
  const StageJob second = plain.job("second");
  REQUIRE(run(plain.executor, first).status == Status::kSucceeded);
  REQUIRE(run(plain.executor, second).status == Status::kSucceeded);
  CHECK(pid_in_log(first) == pid_in_log(second));
  CHECK(output_of(first, "sum") == output_of(second, "sum"));
}

TEST_CASE("concurrent jobs have their own workers, which later ones reuse") {
  Plain plain;
  std::vector<std::set<int>> pids(2);
  for (std::set<int>& round : pids) {
    std::vector<StageJob> jobs;
    for (int i = 0; i < 6; ++i) jobs.push_back(plain.job(fmt::format("job{}", i), kEndless));
    Interrupt interrupt;
    std::set<const StageJob*> running;  // the loop's thread's
    std::vector<std::unique_ptr<StartedJob>> started;
    for (const StageJob& job : jobs) {
      std::filesystem::remove(job.log);
      const auto progress = [&](double, const std::string&) {
        running.insert(&job);
        if (running.size() == jobs.size() && !interrupt.requested()) interrupt.raise();
      };
      started.push_back(std::make_unique<StartedJob>(plain.executor, job, 0, progress, interrupt));
    }
    for (const auto& job : started) CHECK(job->wait().status == Status::kCancelled);
    for (const StageJob& job : jobs) round.insert(pid_in_log(job));
  }
  CHECK(pids[0].size() == 6);
  CHECK(pids[0] == pids[1]);
}

TEST_CASE("a stage that throws fails with its message, and its worker continues") {
  const auto [how, message] = GENERATE(table<std::string, std::string>({
      {"throw", "thrown on purpose"},
      {"throw-odd", "the stage threw something that is not a std::exception"},
      {"bad-alloc", "out of memory"},
  }));
  Plain plain;
  const StageResult result = plain.misbehave(how);
  CHECK(result.status == Status::kFailed);
  CHECK(result.message == message);
  const StageJob next = plain.job("next");
  CHECK(run(plain.executor, next).status == Status::kSucceeded);
  CHECK(pid_in_log(next) == pid_in_log(plain.job("bad-" + how)));
}

TEST_CASE("a stage that crashes its worker fails, and the next one gets another") {
  const auto [how, message] = GENERATE(table<std::string, std::string>({
      {"segfault", "worker ended: killed by signal 11 (segmentation fault)"},
      {"abort", "worker ended: killed by signal 6 (aborted)"},
      {"kill-self",
       "worker ended: killed by signal 9 (killed); the machine may have run out of memory"},
      {"exit", "worker ended: exit code 7"},
      {"garbage",
       "the worker was ended because it sent nonsense (did the stage write to descriptor 3?): "
       "not an event, not even JSON: hello, this is not an event"},
  }));
  Plain plain;
  const StageJob before = plain.job("before");
  REQUIRE(run(plain.executor, before).status == Status::kSucceeded);
  const StageResult result = plain.misbehave(how);
  CHECK(result.status == Status::kFailed);
  CHECK(result.message == message);
  CHECK(result.peak_memory > 0);
  const StageJob bad = plain.job("bad-" + how);
  CHECK(pid_in_log(bad) == pid_in_log(before));  // one attempt: a crash is not a death between jobs
  CHECK_THAT(contents(bad.log), !ContainsSubstring("\npid"));
  CHECK_FALSE(is_running(pid_in_log(bad)));
  const StageJob next = plain.job("next");
  CHECK(run(plain.executor, next).status == Status::kSucceeded);
  CHECK(pid_in_log(next) != pid_in_log(bad));
}

TEST_CASE("what a stage printed before it crashed is in its log") {
  Plain plain;
  plain.misbehave("abort");
  CHECK_THAT(contents(plain.job("bad-abort").log), ContainsSubstring("about to abort"));
}

TEST_CASE("an interrupted job saves its state and continues from there to the same bytes") {
  Plain plain;
  const StageJob undisturbed = plain.job("undisturbed", {{"steps", 200}});
  StageJob disturbed = plain.job("disturbed", {{"steps", 200}, {"slow_ms", 100}});
  REQUIRE(run(plain.executor, undisturbed).status == Status::kSucceeded);
  const StageResult stopped = run_and_interrupt(plain.executor, disturbed);
  CHECK(stopped.status == Status::kCancelled);
  CHECK(output_of(disturbed, "sum").empty());
  CHECK_THAT(contents(disturbed.partial / "state.json"), ContainsSubstring("step"));
  disturbed.params.erase("slow_ms");  // it was slow so that the interrupt comes in time
  const StageResult resumed = run(plain.executor, disturbed);
  CHECK(resumed.status == Status::kSucceeded);  // so the cancel did not reach the worker's next job
  CHECK_THAT(contents(disturbed.log),
             !ContainsSubstring(fmt::format("\npid {}, from step 0\n", pid_in_log(disturbed))));
  CHECK(output_of(disturbed, "sum") == output_of(undisturbed, "sum"));
}

TEST_CASE("a job that succeeds although it was asked to stop has succeeded") {
  Plain plain;
  const StageJob job = plain.job("short", {{"steps", 1}, {"slow_ms", 1}});
  CHECK(run_and_interrupt(plain.executor, job).status == Status::kSucceeded);
  CHECK(run(plain.executor, plain.job("next")).status == Status::kSucceeded);
}

TEST_CASE("a stage that ignores a stop request is killed after the grace, not before") {
  Plain plain;
  const StageJob job = plain.job("deaf", {{"steps", 1}, {"misbehave", "ignore-cancel"}});
  Interrupt interrupt;
  int reports = 0;
  const StageResult result = run(
      plain.executor, job, 0,
      [&](double, const std::string&) {
        ++reports;
        if (reports == 1) interrupt.raise();
        if (reports == 2) plain.clock.advance(9);
        if (reports == 4) plain.clock.advance(2);  // so it was not killed by the third
      },
      interrupt);
  CHECK(result.status == Status::kCancelled);
  CHECK(result.message == "killed, because it did not stop within 10 s");
  CHECK(reports >= 4);
  CHECK_FALSE(is_running(pid_in_log(job)));
}

TEST_CASE("the second interrupt kills immediately") {
  Plain plain;
  const StageJob job = plain.job("deaf", {{"steps", 1}, {"misbehave", "ignore-cancel"}});
  Interrupt interrupt;
  const StageResult result = run(
      plain.executor, job, 0, [&](double, const std::string&) { interrupt.raise(); }, interrupt);
  CHECK(result.status == Status::kCancelled);
  CHECK(result.message == "stopped at once");
}

TEST_CASE("after an interrupt nothing starts") {
  JobFolder folder;
  ProcessLoop loop;
  WorkerExecutor executor(loop, "/nowhere/headway-worker");
  Interrupt interrupt;
  interrupt.raise();
  const StageJob job = folder.job("late", "plain", {}, {});
  CHECK(run(executor, job, 0, kNoProgress, interrupt).status == Status::kCancelled);
}

TEST_CASE("what a worker prints between two jobs is in neither's log") {
  Plain plain;
  const StageJob job = plain.job("before");
  run(plain.executor, job);
  for (const int descriptor : {1, 2}) {
    const Path link = fmt::format("/proc/{}/fd/{}", pid_in_log(job), descriptor);
    CHECK_THAT(std::filesystem::read_symlink(link), StartsWith("/memfd:worker output"));
  }
}

TEST_CASE("a stage that exceeds its time saves its state, and is timed out") {
  Plain plain;
  const StageJob job = plain.job("long", kEndless);
  int reports = 0;
  const StageResult result = run(
      plain.executor, job, 5,
      [&](double, const std::string&) {
        if (++reports == 1) plain.clock.advance(4);
        if (reports == 3) plain.clock.advance(2);
      },
      Interrupt());
  CHECK(result.status == Status::kTimedOut);
  CHECK(result.message == "timed out after 5 s");
  CHECK(reports >= 3);
  CHECK_THAT(contents(job.partial / "state.json"), ContainsSubstring("step"));
  CHECK(run(plain.executor, plain.job("next")).status == Status::kSucceeded);
}

TEST_CASE("a stage that hangs beyond its time is killed") {
  Plain plain;
  const StageJob job = plain.job("hung", {{"steps", 1}, {"misbehave", "ignore-cancel"}});
  bool is_expired = false;
  const StageResult result = run(
      plain.executor, job, 5,
      [&](double, const std::string& words) {
        REQUIRE(words == "not listening");
        plain.clock.advance(std::exchange(is_expired, true) ? 2 : 5);  // ignores the stop request
      },
      Interrupt());
  CHECK(result.status == Status::kTimedOut);
  CHECK(result.message == "timed out after 5 s");
  CHECK_FALSE(is_running(pid_in_log(job)));
  CHECK(run(plain.executor, plain.job("next")).status == Status::kSucceeded);
}

TEST_CASE("a worker killed while idle is replaced silently") {
  Plain plain;
  const StageJob before = plain.job("before");
  run(plain.executor, before);
  ::kill(pid_in_log(before), SIGKILL);
  const StageJob after = plain.job("after");
  CHECK(run(plain.executor, after).status == Status::kSucceeded);
  CHECK(pid_in_log(after) != pid_in_log(before));
}

TEST_CASE("a worker that dies before it begins its job is replaced too") {
  Plain plain;
  const StageJob before = plain.job("before");
  run(plain.executor, before);
  const int pid = pid_in_log(before);
  ::kill(pid, SIGSTOP);  // it looks alive, but reads nothing
  const StageJob after = plain.job("after");
  const Interrupt interrupt;
  StartedJob job(plain.executor, after, 0, kNoProgress, interrupt);
  wait_until_begun(plain.loop, plain.folder);
  ::kill(pid, SIGKILL);
  CHECK(job.wait().status == Status::kSucceeded);
  CHECK(pid_in_log(after) != pid);
}

TEST_CASE("a worker interrupted from outside fails its stage, and says so") {
  Plain plain;
  const StageJob job = plain.job("poked", kEndless);
  Interrupt interrupt;
  const auto poke = [&](double, const std::string&) { ::kill(pid_in_log(job), SIGINT); };
  const StageResult result = run(plain.executor, job, 10, poke, interrupt);
  CHECK(result.status == Status::kFailed);
  CHECK(result.message == "the stage was stopped by a signal that headway did not send");
}

TEST_CASE("idle workers end with their executor, by themselves") {
  JobFolder folder;
  const StageJob job = folder.job("one", "plain", Json::object(), {"sum"});
  {
    Plain plain;
    run(plain.executor, job);
    CHECK(is_running(pid_in_log(job)));
  }
  CHECK_FALSE(is_running(pid_in_log(job)));
  // What a worker does after the channel has closed shows whether it was killed.
  const auto say = [](WorkerEvent::Kind kind) {
    return "echo '" + event_line({.kind = kind, .text = {}}) + "' >&3\n";
  };
  const Path farewell = folder.path() / "farewell";
  const Path program =
      script(folder, "read request <&3\n" + say(WorkerEvent::Kind::kStarted) +
                         say(WorkerEvent::Kind::kDone) + "read request <&3\necho bye > " +
                         farewell.string() + "\n");
  for (int tries = 0; tries < 4 && contents(farewell).empty(); ++tries) {
    // It has five seconds, which a busy machine may not give it once.
    ProcessLoop loop;
    WorkerExecutor executor(loop, program);
    CHECK(run(executor, job).status == Status::kSucceeded);
  }
  CHECK(contents(farewell) == "bye\n");
}

TEST_CASE("a request larger than a socket's buffer arrives") {
  Plain plain;
  const StageJob job = plain.job("large", {{"padding", std::string(3'000'000, 'x')}});
  CHECK(run(plain.executor, job).status == Status::kSucceeded);
}

TEST_CASE("a stage type that the worker lacks is reported as missing") {
  Plain plain;
  const StageResult result = run(plain.executor, plain.folder.job("odd", "no-such", {}, {}));
  CHECK(result.status == Status::kFailed);
  CHECK(result.message == "this worker has no stage type 'no-such'");
}

TEST_CASE("a log that cannot be opened fails the stage, not the worker") {
  Plain plain;
  StageJob job = plain.job("lost");
  job.log = plain.folder.path() / "nowhere" / "log";
  const StageResult result = run(plain.executor, job);
  CHECK(result.status == Status::kFailed);
  CHECK(result.message ==
        fmt::format("cannot open {}: no such file or directory", job.log.string()));
}

TEST_CASE("a missing worker program is named") {
  JobFolder folder;
  ProcessLoop loop;
  WorkerExecutor executor(loop, "/nowhere/headway-worker");
  const StageResult result = run(executor, folder.job("one", "plain", {}, {}));
  CHECK(result.status == Status::kFailed);
#ifndef __SANITIZE_THREAD__  // which makes a fork of vfork, so that Process cannot see why exec
                             // failed
  CHECK(result.message == "cannot start /nowhere/headway-worker: no such file or directory");
#endif
}

TEST_CASE("the reason why a worker could not load is in the message and in the log") {
  JobFolder folder;
  const std::string why =
      "headway-worker: error while loading shared libraries: libtorch_cpu.so.1.13: cannot open "
      "shared object file: No such file or directory";
  ProcessLoop loop;
  WorkerExecutor executor(loop, script(folder, "echo '" + why + "' >&2\nexit 127\n"));
  const StageJob job = folder.job("one", "plain", {}, {});
  const StageResult result = run(executor, job);
  CHECK(result.status == Status::kFailed);
  CHECK(result.message == "the worker did not start: exit code 127: " + why);
  CHECK(contents(job.log) == why + "\n");
}

TEST_CASE("a worker that never becomes ready is abandoned") {
  JobFolder folder;
  FakeClock clock;
  ProcessLoop loop(clock.now());
  WorkerExecutor executor(loop, script(folder, "exec sleep 60\n"));
  const StageJob job = folder.job("one", "plain", {}, {});
  const Interrupt interrupt;
  StartedJob started(executor, job, 0, kNoProgress, interrupt);
  wait_until_begun(loop, folder);
  clock.advance(120);
  loop.wake();
  const StageResult result = started.wait();
  CHECK(result.status == Status::kFailed);
  CHECK(result.message == "the worker did not start within 2 min 00 s");
}

TEST_CASE("an interrupt does not wait for a worker that is still loading") {
  JobFolder folder;
  ProcessLoop loop;
  WorkerExecutor executor(loop, script(folder, "exec sleep 60\n"));
  const StageJob job = folder.job("one", "plain", {}, {});
  Interrupt interrupt;
  StartedJob started(executor, job, 0, kNoProgress, interrupt);
  wait_until_begun(loop, folder);
  interrupt.raise();
  CHECK(started.wait().status == Status::kCancelled);
}

TEST_CASE("workers get few variables, one thread, and their own settings") {
  const std::vector<std::string> environment = worker_environment({"PATH=/x", "OMP_NUM_THREADS=2"});
  const std::set<std::string> settings(environment.begin(), environment.end());
  CHECK(settings.size() == environment.size());
  CHECK(settings.contains("PATH=/x"));
  CHECK(settings.contains("OMP_NUM_THREADS=2"));
  CHECK_FALSE(settings.contains("OMP_NUM_THREADS=1"));
  CHECK(settings.contains("OPENBLAS_NUM_THREADS=1"));
  CHECK(settings.contains("MKL_NUM_THREADS=1"));
}

}  // namespace
}  // namespace headway::testing
