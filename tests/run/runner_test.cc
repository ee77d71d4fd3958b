// A stage's life inside a run: failures, interruptions, retries, expectations, locks, partial
// states.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fmt/format.h>

#include <atomic>
#include <random>
#include <regex>
#include <thread>

#include "lib/base/error.h"
#include "lib/run/session.h"
#include "lib/store/housekeeping.h"
#include "tests/support/project.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Statuses = std::map<std::string, std::string>;

// bad -> after -> last; good -> next
constexpr const char* kTwoChains = R"(
stages:
  bad: {uses: shell, outs: {o: o.txt}, with: {run: "fail {out.o}"}}
  after: {uses: shell, in: {x: bad}, outs: {o: o.txt}, with: {run: "after {out.o}"}}
  last: {uses: shell, in: {x: after}, outs: {o: o.txt}, with: {run: "last {out.o}"}}
  good: {uses: shell, outs: {o: o.txt}, with: {run: "good {out.o}"}}
  next: {uses: shell, in: {x: good}, outs: {o: o.txt}, with: {run: "next {out.o}"}}
)";

constexpr const char* kOne =
    R"(stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: "a {out.o} {partial}"}}})";

constexpr const char* kMetrics = R"(
stages:
  m: {uses: shell, outs: {metrics: m.json}, expect: {accuracy: ">= 0.99"}, with: {run: "accuracy=0.93 {out.metrics}"}}
  after: {uses: shell, in: {x: m}, outs: {o: o.txt}, with: {run: "after {out.o}"}}
  other: {uses: shell, outs: {o: o.txt}, with: {run: "other {out.o}"}}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("a failure skips its descendants and starts nothing new", "[runner]") {
  Project project;
  project.write(kTwoChains);
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.ran == Names{"bad"});
  CHECK(outcome.statuses == Statuses{{"bad", "failed"}, {"after", "skipped"}, {"last", "skipped"}});
  CHECK(outcome.messages.at("last") == "bad failed");
  CHECK(outcome.summary.not_started == 2);
  CHECK(project.reports.at("bad").message == "exit code 1");
  CHECK(project.reports.at("bad").log_tail == "running bad\nabout to fail\n");
  CHECK(project.reports.at("bad").log == project.layout.log(project.key_of("bad")));
  CHECK_THAT(project.reports.at("bad").command,
             ContainsSubstring("fail /headway-test/project/outputs/.headway/work/"));
  CHECK(outcome.events.back() == "finish");
}

TEST_CASE("what is running when another stage fails finishes and is kept", "[runner]") {
  Project project;
  project.write(kTwoChains);
  Gate failure_reported;
  project.when = [&](const std::string& event) {
    if (event == "skipped last") failure_reported.open();  // reported while nothing can start
  };
  project.executor.on("good", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    failure_reported.wait();
    return project.executor.work(job);
  });
  const Outcome outcome = project.run({.cpus = 2});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.statuses.at("good") == "done");
  CHECK(!outcome.statuses.contains("next"));
  CHECK(outcome.summary.not_started == 1);
}

TEST_CASE("with keep-going the other stages run", "[runner]") {
  Project project;
  project.write(kTwoChains);
  const Outcome outcome = project.run({.keep_going = true});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.ran == Names{"bad", "good", "next"});
  CHECK(outcome.summary.done == 2);
  CHECK(outcome.summary.failed == 1);
  CHECK(outcome.summary.skipped == 2);
  CHECK(outcome.summary.not_started == 0);
}

TEST_CASE("a failed stage runs again in the next run, and finished ones do not", "[runner]") {
  Project project;
  project.write(kTwoChains);
  project.run({.keep_going = true});
  project.write(replaced(kTwoChains, "\"fail", "\"mended"));
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.ran == Names{"bad", "after", "last"});
}

TEST_CASE("with one cpu the order is the same on every run", "[runner]") {
  std::vector<Names> orders;
  for (int i = 0; i < 3; ++i) {
    Project project;
    project.write(replaced(kTwoChains, "\"fail", "\"mended"));
    orders.push_back(project.run().ran);
  }
  CHECK(orders[0] == Names{"bad", "after", "good", "last", "next"});
  CHECK(orders[1] == orders[0]);
  CHECK(orders[2] == orders[0]);
}

TEST_CASE("the longest path comes first, according to the times of earlier runs", "[runner]") {
  Project project;
  project.write(R"(
stages:
  quick: {uses: shell, outs: {o: o.txt}, with: {run: "quick {out.o}"}}
  slow: {uses: shell, outs: {o: o.txt}, with: {run: "slow {out.o}"}}
  tail: {uses: shell, in: {x: slow}, outs: {o: o.txt}, with: {run: "tail {out.o}"}}
  alone: {uses: shell, outs: {o: o.txt}, with: {run: "alone {out.o}"}}
)");
  Store(project.disk, project.outputs).prepare();
  PipelineState state(project.disk, project.layout, "p", "");
  const auto took = [&](const std::string& stage, double seconds) {
    StageState last;
    last.seconds = seconds;
    state.note(stage, last);
  };
  took("quick", 1);
  took("slow", 2);
  took("tail", 50);
  took("alone", 20);
  CHECK(project.run().ran == Names{"slow", "tail", "alone", "quick"});
  CHECK(project.starts.at(1).expected_seconds == 50);
}

TEST_CASE("one cpu or many give the same results", "[runner]") {
  std::map<std::string, std::string> first;
  for (const int cpus : {1, 2, 8}) {
    Project project;
    project.write(replaced(kTwoChains, "\"fail", "\"mended"));
    REQUIRE(project.run({.cpus = cpus}).exit_code == 0);
    if (first.empty()) first = project.shown_tree();
    CHECK(project.shown_tree() == first);
  }
}

TEST_CASE("a large random pipeline gives the same results on one cpu and on eight", "[runner]") {
  std::mt19937 random(7);
  std::string yaml = "stages:\n";
  for (unsigned i = 0; i < 80; ++i) {
    std::string in;
    for (unsigned k = 0; i > 0 && k < random() % 4; ++k)
      in += fmt::format("{}i{}: s{}", k ? ", " : "", k, random() % i);
    // A third of them are the same work as others.
    yaml += fmt::format(
        "  s{}: {{uses: shell, in: {{{}}}, resources: {{cpus: {}}}, outs: {{o: o.txt}}, with: "
        "{{run: \"s{} {{out.o}}\"}}}}\n",
        i, in, 1 + random() % 3, i % 3 == 0 ? i / 9 : i);
  }
  std::map<std::string, std::string> first;
  std::size_t done = 0;
  for (const int cpus : {1, 8}) {
    Project project;
    project.write(yaml);
    const Outcome outcome = project.run({.cpus = cpus});
    REQUIRE(outcome.exit_code == 0);
    CHECK(outcome.summary.done == outcome.ran.size());
    CHECK(outcome.summary.done + outcome.summary.fresh == 80);
    if (cpus == 1) {
      first = project.shown_tree();
      done = outcome.summary.done;
    }
    CHECK(outcome.summary.done == done);
    CHECK(project.shown_tree() == first);
    CHECK(project.run({.cpus = cpus}).ran.empty());
  }
  CHECK(done < 80);
}

TEST_CASE("forty stages of the same key started at once run once", "[runner]") {
  Project project;
  std::string yaml = "stages:\n";
  for (int i = 0; i < 40; ++i)
    yaml += fmt::format(
        "  s{}: {{uses: shell, outs: {{o: o.txt}}, with: {{run: \"same {{out.o}}\"}}}}\n", i);
  project.write(yaml);
  const Outcome outcome = project.run({.cpus = 8});
  CHECK(outcome.ran.size() == 1);
  CHECK(outcome.summary.fresh == 39);
  CHECK(outcome.exit_code == 0);
}

TEST_CASE("stages that claim all memory do not run concurrently", "[runner]") {
  Project project;
  std::string yaml = "stages:\n";
  for (const std::string name : {"a", "b", "c", "d"}) {
    yaml += "  " + name +
            ": {uses: shell, resources: {memory: 60MB}, outs: {o: o.txt}, with: {run: \"" + name +
            " {out.o}\"}}\n";
  }
  project.write(yaml);
  REQUIRE(project.run({.cpus = 4, .memory = 100'000'000}).exit_code == 0);
  CHECK(project.executor.most_at_once() == 1);
}

TEST_CASE("a timeout is passed to the executor", "[runner]") {
  Project project;
  project.write(R"(
stages:
  a: {uses: shell, timeout: 1m30s, outs: {o: o.txt}, with: {run: "a {out.o}"}}
  b: {uses: shell, outs: {o: o.txt}, with: {run: "b {out.o}"}}
)");
  project.run();
  CHECK(project.executor.last_timeout("a") == 90);
  CHECK(project.executor.last_timeout("b") == 0);
}

TEST_CASE("a stage that timed out has failed", "[runner]") {
  Project project;
  project.write(kOne);
  project.executor.on("a", [](const StageJob&, const ProgressSink&, Interrupt&) {
    StageResult result = failed("timed out after 5 s");
    result.status = StageResult::Status::kTimedOut;
    return result;
  });
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.messages.at("a") == "timed out after 5 s");
}

TEST_CASE("cpus and variables are passed to the stage", "[runner]") {
  ScopedVariable variable("HEADWAY_TEST_SEEN", "1");
  Project project;
  project.write(
      R"(stages: {a: {uses: shell, resources: {cpus: 3}, outs: {o: o.txt}, with: {run: "a {cpus} {out.o}", env: [HEADWAY_TEST_SEEN]}}})");
  project.run({.cpus = 4});
  const StageJob job = project.executor.last_job("a");
  CHECK(job.resources.cpus == 3);
  CHECK(job.environment == Names{"HEADWAY_TEST_SEEN=1"});
  CHECK(job.folder == project.folder);
  CHECK(job.script == "a 3 " + job.outputs[0].second.string());
}

TEST_CASE("retries repeat a stage until it works", "[runner]") {
  Project project;
  project.write(
      R"(stages: {a: {uses: shell, retries: 2, outs: {o: o.txt}, with: {run: "a {out.o}"}}})");
  int failures = 2;
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    return failures-- > 0 ? failed("no luck") : project.executor.work(job);
  });
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.ran == Names{"a", "a", "a"});
  CHECK(outcome.warnings == Names{"stage 'a' failed (no luck); trying again (1 of 2)",
                                  "stage 'a' failed (no luck); trying again (2 of 2)"});
  CHECK(project.starts.at(2).attempt == 3);
  CHECK(project.starts.at(0).reason == "never run");
  CHECK(project.starts.at(2).reason == "the attempt before failed");
  CHECK(outcome.summary.done == 1);
  CHECK(outcome.summary.failed == 0);
}

TEST_CASE("retries end with the last failure", "[runner]") {
  Project project;
  project.write(
      R"(stages: {a: {uses: shell, retries: 1, outs: {o: o.txt}, with: {run: "fail {out.o}"}}})");
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.ran == Names{"a", "a"});
  CHECK(outcome.summary.failed == 1);
}

TEST_CASE("the log has all attempts, and a failure shows the last one", "[runner]") {
  Project project;
  project.write(
      R"(stages: {a: {uses: shell, retries: 2, outs: {o: o.txt}, with: {run: "a {out.o}"}}})");
  int attempt = 0;
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    project.files.append(job.log, fmt::format("this is {}\n", ++attempt));
    return failed("no luck");
  });
  const auto log = [&] {
    const std::string text = project.disk.read(project.layout.log(project.key_of("a"))).value();
    const std::string no_date =
        std::regex_replace(text, std::regex("[0-9]{4}-[0-9]{2}-[0-9]{2} "), "DAY ");
    return std::regex_replace(no_date, std::regex("[0-9]{2}:[0-9]{2}:[0-9]{2}"), "TIME");
  };
  CHECK(project.run().exit_code == 1);
  const std::string first =
      "this is 1\n--- attempt 2 of 3, TIME ---\nthis is 2\n--- attempt 3 of 3, TIME ---\n"
      "this is 3\n";
  CHECK(log() == first);
  CHECK(project.reports.at("a").log_tail == "this is 3\n");
  // The next run goes on with it, unless it begins again on purpose.
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    return project.executor.work(job);
  });
  CHECK(project.run().exit_code == 0);
  CHECK(log() == first + "--- run again, DAY TIME ---\nrunning a\n");
  CHECK(project.run({.force = {"a"}}).exit_code == 0);
  CHECK(log() == "running a\n");
}

TEST_CASE("an interrupted stage is not tried again", "[runner]") {
  Project project;
  project.write(
      R"(stages: {a: {uses: shell, retries: 5, outs: {o: o.txt}, with: {run: "a {out.o}"}}})");
  project.executor.on("a", [](const StageJob&, const ProgressSink&, Interrupt& interrupt) {
    interrupt.raise();
    return failed("killed by signal 2 (interrupt)");
  });
  const Outcome outcome = project.run();
  CHECK(outcome.ran == Names{"a"});
}

TEST_CASE("a missing output fails the stage", "[runner]") {
  Project project;
  project.write(kOne);
  const auto outcome_of = [&](FakeExecutor::Behaviour behaviour) {
    project.executor.on("a", std::move(behaviour));
    const Outcome outcome = project.run();
    CHECK(outcome.exit_code == 1);
    CHECK(!project.record_of("a"));
    return outcome.messages.at("a");
  };
  CHECK(outcome_of([](const StageJob&, const ProgressSink&, Interrupt&) {
          return StageResult();
        }) == "output 'o' was not written (expected o.txt)");
  CHECK(outcome_of([&](const StageJob& job, const ProgressSink&, Interrupt&) {
          project.files.make_link("/etc/passwd", job.outputs[0].second);
          return StageResult();
        }) == "output 'o' is neither a file nor a folder");
}

TEST_CASE("metrics that are not JSON fail the stage", "[runner]") {
  const auto [text, mistake] = GENERATE(table<std::string, std::string>({
      {"{torn", "line 1, column 2: unexpected 'torn'"},
      {"{\"loss\": NaN}", "line 1, column 10: NaN or Infinity is not a JSON number; write null"},
      {"{\n  \"a\": 1,\n  \"ö\": -Infinity\n}",
       "line 3, column 8: NaN or Infinity is not a JSON number; write null"},
      {"[1, -nan]", "line 1, column 5: NaN or Infinity is not a JSON number; write null"},
      {"[1, inf, 2]", "line 1, column 5: NaN or Infinity is not a JSON number; write null"},
      {"{\"ok\": True}", "line 1, column 8: unexpected 'True'"},
      {"{\"a\": 1,}", "line 1, column 9: unexpected '}'"},
      {"{'a': 1}", "line 1, column 2: text is in double quotes in JSON"},
      {"{\"a\": 1", "line 1, column 8: it ends too early"},
      {"{\"a\":\n", "line 2, column 1: it ends too early"},
      {"{\"a\": 1e999}", "line 1, column 7: the number 1e999 is too large"},
      {std::string(201, '[') + std::string(201, ']'),
       "line 1, column 201: nested more than 200 levels deep"},
      {"\n", "it is empty"},
      {"", "it is empty"},
  }));
  INFO(text);
  Project project;
  project.write(replaced(kMetrics, "expect: {accuracy: \">= 0.99\"}, ", ""));
  project.executor.on("m",
                      [&, &written = text](const StageJob& job, const ProgressSink&, Interrupt&) {
                        project.files.write(job.outputs[0].second, written, Durability::kCached);
                        return StageResult();
                      });
  const Outcome outcome = project.run({.targets = {"m"}});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.messages.at("m") == "output 'metrics' is not JSON: " + mistake);
}

TEST_CASE("metrics that are a folder fail the stage", "[runner]") {
  Project project;
  project.write(replaced(kMetrics, "expect: {accuracy: \">= 0.99\"}, ", ""));
  project.executor.on("m", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    project.files.make_directories(job.outputs[0].second);
    return StageResult();
  });
  CHECK(project.run({.targets = {"m"}}).messages.at("m") ==
        "output 'metrics' is not JSON: it is a folder");
}

TEST_CASE("a stage has its own work folder, which is removed afterwards", "[runner]") {
  Project project;
  project.write(R"(
stages:
  a: {uses: shell, outs: {o: deep/er/o.txt}, with: {run: "a {out.o}"}}
  b: {uses: shell, outs: {o: o.txt}, with: {run: "fail {out.o}"}}
)");
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    project.files.write(job.work / "scratch", "x", Durability::kCached);
    return project.executor.work(job);
  });
  project.run();
  CHECK(project.executor.last_job("a").work != project.executor.last_job("b").work);
  CHECK(project.disk.list(project.layout.works()).empty());
  CHECK(project.shown("p/a/deep/er/o.txt") == "a {out.o}\n");
}

TEST_CASE("after an interrupt nothing new starts and the exit code is 130", "[runner]") {
  Project project;
  project.write(replaced(kTwoChains, "\"fail", "\"mended"));
  project.executor.on("bad", [](const StageJob&, const ProgressSink&, Interrupt& interrupt) {
    return hang_until_interrupted(interrupt);
  });
  project.when = [&](const std::string& event) {
    if (event == "start bad") project.interrupt->raise();
  };
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 130);
  CHECK(outcome.ran == Names{"bad"});
  CHECK(outcome.statuses == Statuses{{"bad", "cancelled"}});
  CHECK(outcome.summary.interrupted);
  CHECK(outcome.summary.not_started == 4);
  project.forget_interrupt();
  project.when = nullptr;
  project.executor.on("bad", nullptr);
  CHECK(project.run().summary.done == 5);
}

TEST_CASE("an interrupt ends all concurrent stages", "[runner]") {
  Project project;
  project.write(replaced(kTwoChains, "\"fail", "\"mended"));
  std::atomic<int> started{0};
  for (const std::string stage : {"bad", "good"}) {
    project.executor.on(stage, [](const StageJob&, const ProgressSink&, Interrupt& interrupt) {
      return hang_until_interrupted(interrupt);
    });
  }
  project.when = [&](const std::string& event) {
    if (event.starts_with("start") && ++started == 2) project.interrupt->raise();
  };
  const Outcome outcome = project.run({.cpus = 2});
  CHECK(outcome.exit_code == 130);
  CHECK(outcome.summary.cancelled == 2);
}

TEST_CASE("a forced stage discards the partial state of an interrupted attempt", "[runner]") {
  Project project;
  project.write(kOne);
  std::vector<std::string> found;
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    found.push_back(project.files.read(job.partial / "state").value_or("nothing"));
    project.files.write(job.partial / "state", "half", Durability::kCached);
    return StageResult{StageResult::Status::kFailed, "stopped"};
  });
  project.run();
  project.run();
  project.run({.force = {"a"}});
  project.run();
  CHECK(found == std::vector<std::string>{"nothing", "half", "nothing", "half"});
}

TEST_CASE("partial state is kept on interruption, found again, and removed when done", "[runner]") {
  Project project;
  project.write(kOne);
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt& interrupt) {
    if (project.files.read(job.partial / "state") == "half") return project.executor.work(job);
    project.files.write(job.partial / "state", "half", Durability::kCached);
    interrupt.raise();
    return hang_until_interrupted(interrupt);
  });
  CHECK(project.run().exit_code == 130);
  const std::vector<std::string> left = project.disk.list(project.layout.partials());
  REQUIRE(left.size() == 1);
  CHECK(left[0].starts_with(project.key_of("a").hex()));
  CHECK(project.disk.read(project.layout.partials() / left[0] / "state") == "half");
  project.forget_interrupt();
  CHECK(project.run().exit_code == 0);
  CHECK(project.disk.list(project.layout.partials()).empty());
}

TEST_CASE("an unmet expectation fails the run and keeps the result", "[runner]") {
  Project project;
  project.write(kMetrics);
  const Outcome outcome = project.run({.keep_going = true});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.statuses == Statuses{{"m", "failed"}, {"after", "skipped"}, {"other", "done"}});
  CHECK(outcome.messages.at("m") ==
        "expected accuracy >= 0.99, got 0.93 (/headway-test/project/p.yaml:3:64)");
  CHECK(project.shown("p/m/m.json") == R"({"accuracy":0.93})");
  CHECK(project.record_of("m"));
}

TEST_CASE("an unmet expectation that warns is told in every run, and the run succeeds",
          "[runner]") {
  Project project;
  project.write(replaced(kMetrics, "\">= 0.99\"", "{warn: \">= 0.99\"}"));
  for (const char* status : {"done", "fresh"}) {
    const Outcome outcome = project.run();
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.statuses == Statuses{{"m", status}, {"after", status}, {"other", status}});
    CHECK(project.reports.at("m").warning ==
          "expected accuracy >= 0.99, got 0.93 (/headway-test/project/p.yaml:3:71)");
    CHECK(project.reports.at("after").warning == "");
  }
  project.write(kMetrics);  // it does not change the result
  const Outcome strict = project.run();
  CHECK(strict.exit_code == 1);
  CHECK(strict.ran.empty());
}

TEST_CASE("the expectation of a fresh stage is checked again without running it", "[runner]") {
  Project project;
  project.write(kMetrics);
  project.run();
  const Outcome again = project.run();
  CHECK(again.exit_code == 1);
  CHECK(again.ran.empty());
  CHECK(again.statuses.at("m") == "failed");
  CHECK(again.statuses.at("after") == "skipped");
  SECTION("and a corrected one passes without a rerun") {
    project.write(replaced(kMetrics, "0.99", "0.9"));
    const Outcome mended = project.run();
    CHECK(mended.exit_code == 0);
    CHECK(mended.ran == Names{"after", "other"});
  }
}

TEST_CASE("a new unmet expectation fails a run with nothing to do", "[runner]") {
  Project project;
  project.write(replaced(kMetrics, "expect: {accuracy: \">= 0.99\"}, ", ""));
  REQUIRE(project.run().exit_code == 0);
  project.write(kMetrics);
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.ran.empty());
  CHECK(outcome.statuses.at("m") == "failed");
}

TEST_CASE("a run that finds a key locked waits for it and takes over the result", "[runner]") {
  Project project;
  project.write(kOne);
  project.run();
  const Digest key = project.key_of("a");
  const std::string record = *project.disk.read(project.layout.record(key));
  project.disk.remove(project.layout.record(key));

  Store other(project.disk, project.outputs);  // as another process would have it
  std::unique_ptr<FileLock> lock = other.try_lock(key);
  REQUIRE(lock);
  std::thread process;
  project.when = [&](const std::string& event) {
    if (event != "warning stage 'a' is being made by another process; waiting for it") return;
    process = std::thread([&] {
      project.disk.put(project.layout.record(key), record);
      other.unlock(key, std::move(lock));
    });
  };
  const Outcome outcome = project.run();
  REQUIRE(process.joinable());
  process.join();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.ran.empty());
  CHECK(outcome.statuses.at("a") == "fresh");
}

TEST_CASE("a run that waits for a process that dies does the work itself", "[runner]") {
  Project project;
  project.write(kOne);
  Store other(project.disk, project.outputs);
  other.prepare();
  std::unique_ptr<FileLock> lock = other.try_lock(project.key_of("a"));
  std::thread process;
  project.when = [&](const std::string& event) {
    if (event.starts_with("warning")) process = std::thread([&] { lock.reset(); });
  };
  const Outcome outcome = project.run();
  process.join();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.ran == Names{"a"});
  CHECK(project.disk.list(project.layout.locks()).empty());
}

TEST_CASE("an interrupt ends the wait for another process", "[runner]") {
  Project project;
  project.write(kOne);
  Store other(project.disk, project.outputs);
  other.prepare();
  const std::unique_ptr<FileLock> lock = other.try_lock(project.key_of("a"));
  project.when = [&](const std::string& event) {
    if (event.starts_with("warning")) project.interrupt->raise();
  };
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 130);
  CHECK(outcome.ran.empty());
  CHECK(outcome.statuses.at("a") == "cancelled");
}

TEST_CASE("two concurrent runs on one store run each stage once", "[runner]") {
  Project project;
  std::string yaml = "stages:\n";
  for (int i = 0; i < 12; ++i)
    yaml += fmt::format(
        "  s{}: {{uses: shell, outs: {{o: o.txt}}, with: {{run: \"s{} {{out.o}}\"}}}}\n", i, i);
  project.write(yaml);
  const PipelineSpec pipeline = project.load();
  const Graph graph = build_graph(pipeline);
  std::atomic<int> failures{0};
  Interrupt interrupt;
  Store store_one(project.disk, project.outputs);
  Store store_two(project.disk, project.outputs);
  const RunSession one(store_one, interrupt);
  project.disk.advance(1);  // so that they have different names
  const RunSession two(store_two, interrupt);
  const auto process = [&](Store& store, const RunSession& session) {
    RecordingObserver observer;
    failures += Runner(pipeline, graph, store, session, project.executor, observer, interrupt,
                       {.limits = {.cpus = 2}})
                    .run()
                    .exit_code;
  };
  std::thread first([&] { process(store_one, one); });
  std::thread second([&] { process(store_two, two); });
  first.join();
  second.join();
  CHECK(failures == 0);
  const Names ran = sorted(project.executor.ran());
  CHECK(ran.size() == 12);
  CHECK(std::adjacent_find(ran.begin(), ran.end()) == ran.end());
}

TEST_CASE("a run waits while gc locks the store", "[runner]") {
  Project project;
  project.write(kOne);
  Store other(project.disk, project.outputs);
  other.prepare();
  std::unique_ptr<FileLock> alone = lock_store(other, LockMode::kExclusive);
  REQUIRE(alone);
  int refused = 0;
  Names ran_before;
  project.files.lock_refused = [&](const Path& path) {  // it asks until gc has ended
    CHECK(path == project.layout.store_lock());
    ran_before = project.executor.ran();
    if (++refused == 3) alone.reset();
  };
  const Outcome outcome = project.run();
  CHECK(refused == 3);
  CHECK(ran_before.empty());
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.ran == Names{"a"});
}

TEST_CASE("an interrupt ends the wait for gc", "[runner]") {
  Project project;
  project.write(kOne);
  Store other(project.disk, project.outputs);
  other.prepare();
  const std::unique_ptr<FileLock> alone = lock_store(other, LockMode::kExclusive);
  int refused = 0;
  project.files.lock_refused = [&](const Path&) {
    if (++refused == 3) project.interrupt->raise();
  };
  CHECK(project.run().exit_code == 130);
  CHECK(refused == 3);
}

TEST_CASE("the work folder of a killed run is removed, that of a live one is not", "[runner]") {
  Project project;
  project.write(kOne);
  project.disk.put(project.layout.works() / "dead" / "1" / "x", "");
  project.disk.put(project.layout.works() / "dead.lock", "");
  project.disk.put(project.layout.works() / "alive" / "1" / "x", "");
  const auto lock =
      project.disk.try_lock(project.layout.works() / "alive.lock", LockMode::kExclusive);
  project.run();
  CHECK(project.disk.list(project.layout.works()) == Names{"alive", "alive.lock"});
}

TEST_CASE("the traces of the last hundred runs are kept", "[runner]") {
  Project project;
  project.write(kOne);
  for (int i = 0; i < 130; ++i)
    project.disk.make_directories(project.layout.run(fmt::format("2000-{:03}", i)));
  project.run();
  const Names ids = project.disk.list(project.layout.runs());
  CHECK(ids.size() == 101);
  CHECK(ids.front() == "2000-030");
}

TEST_CASE("a progress report reaches the observer", "[runner]") {
  Project project;
  project.write(kOne);
  project.executor.on("a", [&](const StageJob& job, const ProgressSink& progress, Interrupt&) {
    progress(0.5, "half");
    return project.executor.work(job);
  });
  CHECK(project.run().events ==
        Names{"begin", "start a", "progress a 0.5 half", "done a", "finish"});
}

TEST_CASE("the cost of a stage is in its record and its report", "[runner]") {
  Project project;
  project.write(kOne);
  project.run();
  const std::optional<Record> record = project.record_of("a");
  REQUIRE(record);
  CHECK(record->cpu_seconds == 0.5);
  CHECK(record->peak_memory == 1000);
  CHECK(record->stage == "a");
  CHECK(record->pipeline == "p");
  CHECK(record->finished == 1'700'000'001);
  CHECK(project.reports.at("a").cpu_seconds == 0.5);
}

TEST_CASE("a record says what its numbers were computed with, and a notice is a warning",
          "[runner]") {
  Project project;
  project.write(kOne);
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    StageResult result = project.executor.work(job);
    result.numerics = "x86-64-v3 (AVX2, FMA)";
    result.notice = "the saved state was made with others";
    return result;
  });
  CHECK(project.run().warnings == Names{"stage 'a': the saved state was made with others"});
  CHECK(project.record_of("a")->numerics == "x86-64-v3 (AVX2, FMA)");
}

}  // namespace headway::testing
