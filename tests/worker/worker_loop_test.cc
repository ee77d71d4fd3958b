#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <thread>

#include "lib/base/process.h"
#include "lib/base/text.h"
#include "lib/worker/protocol.h"
#include "lib/worker/worker_process.h"
#include "tests/support/job_folder.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using Kind = WorkerEvent::Kind;

struct Ran {
  ProcessExit exit;
  std::string printed;
};

// The worker program as a person or a cluster starts it: with arguments, without a channel.
Ran run_by_hand(const JobFolder& folder, std::vector<std::string> arguments) {
  const Path printed = folder.path() / "printed";
  ProcessSpec spec;
  spec.argv = {variable("HEADWAY_PLAIN_TEST_WORKER")};
  spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
  const Descriptor output(::open(printed.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  spec.output = output.get();
  const ProcessExit exit = Process(spec).reap();
  return {exit, contents(printed)};
}

Path request_file(const JobFolder& folder, const StageJob& job) {
  const Path file = folder.path() / "request.json";
  RealFileSystem().write(file, request_line(job) + "\n", Durability::kCached);
  return file;
}

TEST_CASE("a request in a file runs, with its events on stdout and the rest in the log") {
  JobFolder folder;
  const StageJob job = folder.job("one", "plain", {{"steps", 3}}, {"sum"});
  const Ran ran = run_by_hand(folder, {"--request", request_file(folder, job)});
  CHECK(ran.exit.describe() == "exit code 0");
  const std::vector<std::string> lines = split(trim(ran.printed), '\n');
  REQUIRE(lines.size() >= 3);
  CHECK(parse_event(lines.front()).kind == Kind::kStarted);
  CHECK(parse_event(lines[lines.size() - 2]).fraction == 1.0);
  CHECK(parse_event(lines.back()).kind == Kind::kDone);
  CHECK_THAT(contents(job.log), StartsWith("pid "));
  CHECK_FALSE(output_of(job, "sum").empty());
}

TEST_CASE("a failing request in a file gives exit code 1") {
  JobFolder folder;
  const StageJob job = folder.job("one", "plain", {{"misbehave", "throw"}}, {"sum"});
  const Ran ran = run_by_hand(folder, {"--request", request_file(folder, job)});
  CHECK(ran.exit.describe() == "exit code 1");
  CHECK_THAT(ran.printed, ContainsSubstring("\"message\":\"thrown on purpose\""));
  CHECK_THAT(contents(job.log), EndsWith("thrown on purpose\n"));
}

TEST_CASE("a file that is not a request gives exit code 1 and the reason") {
  JobFolder folder;
  const Path file = folder.path() / "request.json";
  RealFileSystem().write(file, "{\"stage\": \"x\"}", Durability::kCached);
  const Ran bad = run_by_hand(folder, {"--request", file});
  CHECK(bad.exit.describe() == "exit code 1");
  CHECK_THAT(bad.printed, ContainsSubstring("bad request: 'type' is missing"));
  const Ran missing = run_by_hand(folder, {"--request", "/nowhere/request.json"});
  CHECK(missing.exit.describe() == "exit code 1");
  CHECK(missing.printed == "headway-worker: /nowhere/request.json is not there\n");
}

TEST_CASE("a worker started by hand explains itself") {
  JobFolder folder;
  const Ran ran = run_by_hand(folder, {});
  CHECK(ran.exit.describe() == "exit code 2");
  CHECK_THAT(ran.printed, StartsWith("headway-worker is started by headway"));
  CHECK(run_by_hand(folder, {"--nonsense"}).exit.describe() == "exit code 2");
  CHECK(run_by_hand(folder, {"--version"}).printed == "headway-plain-test-worker\n");
}

// The engine's side of a worker, without an executor: for things an executor would never do.
struct Line {
  Line() : worker(variable("HEADWAY_PLAIN_TEST_WORKER"), {}) {}

  WorkerEvent next_event() {
    for (int tries = 0; tries < 600; ++tries) {
      if (auto line = worker.next_line()) return parse_event(*line);
      wait();
    }
    throw Error("the worker is silent");
  }

  // Until there is something to exchange, or a tenth of a second has passed.
  void wait() {
    std::vector<pollfd> descriptors;
    worker.watch(descriptors);
    ::poll(descriptors.data(), descriptors.size(), 100);
    worker.exchange();
  }

  JobFolder folder;
  WorkerProcess worker;
};

TEST_CASE("a worker whose engine dies during a job ends immediately") {
  JobFolder folder;
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  ProcessSpec spec;
  spec.argv = {variable("HEADWAY_PLAIN_TEST_WORKER")};
  spec.channel = theirs.get();
  Process process(spec);
  theirs.reset();
  const StageJob job = folder.job("one", "plain", {{"misbehave", "hang"}}, {"sum"});
  const std::string request = request_line(job) + "\n";
  REQUIRE(::send(ours.get(), request.data(), request.size(), 0) == ssize_t(request.size()));
  char started = 0;
  REQUIRE(::recv(ours.get(), &started, 1, 0) == 1);
  CHECK_FALSE(process.wait_for(0.1));
  ours.reset();
  CHECK(process.wait_for(60));
}

TEST_CASE("garbage instead of a request fails that request, and the worker goes on") {
  Line line;
  line.worker.post("what?");
  const WorkerEvent event = line.next_event();
  CHECK(event.kind == Kind::kFailed);
  CHECK(event.text == "not a request, not even JSON: what?");
  line.worker.post(request_line(line.folder.job("one", "plain", {{"steps", 1}}, {"sum"})));
  CHECK(line.next_event().kind == Kind::kStarted);
  CHECK(line.next_event().kind == Kind::kProgress);
  CHECK(line.next_event().kind == Kind::kDone);
}

TEST_CASE("what is sent to a dead worker is lost without harm") {
  Line line;
  line.worker.signal(SIGKILL);
  while (line.worker.is_idle()) std::this_thread::yield();
  line.worker.post("hello?");  // SIGPIPE would be the end of us
  line.wait();
  CHECK(line.worker.hung_up());
  CHECK(line.worker.reap().signal == SIGKILL);
}

#ifndef __SANITIZE_THREAD__  // which holds a signal back until a read() returns
TEST_CASE("an idle worker ends when asked to") {
  const bool waits = GENERATE(false, true);  // or the job has only just ended
  Line line;
  const StageJob job = line.folder.job("one", "plain", {{"steps", 1}}, {"sum"});
  line.worker.post(request_line(job));
  while (!line.next_event().ends_job()) {
  }
  // It waits for a request when the thread that watched the engine is gone and the other sleeps.
  const Path process = fmt::format("/proc/{}", pid_in_log(job));
  while (waits && (contents(process / "stat").find(") S ") == std::string::npos ||
                   std::distance(std::filesystem::directory_iterator(process / "task"), {}) > 1))
    std::this_thread::yield();
  line.worker.signal(SIGTERM);
  for (int tries = 0; tries < 600 && !line.worker.hung_up(); ++tries) line.wait();
  CHECK(line.worker.hung_up());
}
#endif

}  // namespace
}  // namespace headway::testing
