// The progress of a sweep's trials, counted from events of their stages.
#include "lib/sweep/trial_tracker.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include "tests/support/sweep_project.h"

namespace headway::testing {
namespace {

using Status = StageStatus;

constexpr const char* kTracked = R"(
params: {seed: 1}
stages:
  data: {uses: shell, outs: {o: o.txt}, with: {run: "data {out.o}"}}
  train:
    uses: shell
    in: {d: data}
    outs: {metrics: m.json}
    with: {run: "train right=${seed} {out.metrics}"}
  probe:
    uses: shell
    matrix: {i: [a, b]}
    in: {m: train}
    outs: {o: o.txt}
    with: {run: "probe ${matrix.i} {out.o}"}
sweeps:
  s: {axes: {seed: [2, 3, 1]}, maximize: train.right, until: train}
  full: {axes: {seed: [2, 3]}}
)";

// A tracker of a sweep's trials whose stage events are sent by hand.
class Tracked {
 public:
  explicit Tracked(const std::string& name, int cpus = 1)
      : sweep_pipeline_((project_.write(kTracked), project_.sweep_pipeline(request(name)))),
        store_(project_.files, project_.outputs),
        tracker_(sweep_pipeline_, store_, observer_) {
    RunInfo info;
    info.cpus = cpus;
    tracker_.run_started(info);
  }

  void start(const std::string& stage) { tracker_.stage_started({stage, "", 0, 1, 1}); }
  void end(const std::string& stage, Status status = Status::kDone, double seconds = 10) {
    StageEnd report;
    report.stage = stage;
    report.status = status;
    report.seconds = seconds;
    tracker_.stage_finished(report);
  }
  void run(const std::string& stage, Status status = Status::kDone) {
    start(stage);
    end(stage, status);
  }

  // "1 finished, 1 running, 0 failed, 1 left", as last reported.
  std::string counts() {
    const TrialsProgress now = last();
    return fmt::format("{} finished, {} running, {} failed, {} left", now.finished, now.running,
                       now.failed, now.left());
  }
  TrialsProgress last() { return tracker_.progress(); }
  TrialTracker& tracker() { return tracker_; }
  RecordingObserver& observer() { return observer_; }

 private:
  static SweepRequest request(const std::string& name) {
    SweepRequest request;
    request.name = name;
    return request;
  }

  SweepProject project_;
  const SweepPipeline sweep_pipeline_;
  Store store_;
  RecordingObserver observer_;
  TrialTracker tracker_;
};

}  // namespace

TEST_CASE("a run is announced with its trials, and stages are passed on", "[tracker]") {
  Tracked tracked("s");
  CHECK(tracked.observer().info().variations == "3 trials");
  CHECK(tracked.observer().info().fields == Json{{"trials", 3}});
  tracked.start("data");
  tracked.tracker().stage_progress("data", 0.5, "half");
  tracked.end("data");
  tracked.tracker().warning("look out");
  tracked.tracker().run_finished({});
  CHECK(tracked.observer().events() == Names{"begin", "start data", "progress data 0.5 half",
                                             "done data", "warning look out", "finish"});
  CHECK(tracked.last().total == 3);
  CHECK(tracked.last().objective == "train.right");
}

TEST_CASE("a trial is finished when all its stages are", "[tracker]") {
  Tracked tracked("s");
  tracked.run("data");
  CHECK(tracked.counts() == "0 finished, 0 running, 0 failed, 3 left");
  tracked.start("train@seed=2");
  CHECK(tracked.counts() == "0 finished, 1 running, 0 failed, 2 left");
  tracked.end("train@seed=2");
  CHECK(tracked.counts() == "1 finished, 0 running, 0 failed, 2 left");
  tracked.run("train@seed=3");
  tracked.run("train@seed=1");
  tracked.run("trials");
  CHECK(tracked.counts() == "3 finished, 0 running, 0 failed, 0 left");
}

TEST_CASE("a shared stage runs for all trials that share it", "[tracker]") {
  Tracked tracked("s");
  tracked.start("data");
  CHECK(tracked.counts() == "0 finished, 3 running, 0 failed, 0 left");
  tracked.end("data", Status::kFailed);
  CHECK(tracked.counts() == "0 finished, 0 running, 3 failed, 0 left");
  tracked.end("train@seed=1", Status::kSkipped);
  CHECK(tracked.counts() == "0 finished, 0 running, 3 failed, 0 left");
}

TEST_CASE("fresh stages count without having run", "[tracker]") {
  Tracked tracked("s");
  tracked.end("data", Status::kFresh);
  tracked.end("train@seed=3", Status::kFresh);
  CHECK(tracked.counts() == "1 finished, 0 running, 0 failed, 2 left");
}

TEST_CASE("a failed trial stays failed, whatever else of it runs", "[tracker]") {
  Tracked tracked("full");
  tracked.end("data", Status::kFresh);
  tracked.run("train@seed=2");
  tracked.start("probe@a,seed=2");
  tracked.start("probe@b,seed=2");
  CHECK(tracked.counts() == "0 finished, 1 running, 0 failed, 1 left");
  tracked.end("probe@a,seed=2", Status::kFailed);
  CHECK(tracked.counts() == "0 finished, 0 running, 1 failed, 1 left");
  tracked.end("probe@b,seed=2", Status::kDone);
  CHECK(tracked.counts() == "0 finished, 0 running, 1 failed, 1 left");
}

TEST_CASE("another attempt of a stage is not another stage", "[tracker]") {
  Tracked tracked("s");
  tracked.end("data", Status::kFresh);
  tracked.start("train@seed=2");
  tracked.start("train@seed=2");
  CHECK(tracked.counts() == "0 finished, 1 running, 0 failed, 2 left");
  tracked.end("train@seed=2");
  CHECK(tracked.counts() == "1 finished, 0 running, 0 failed, 2 left");
}

TEST_CASE("an interrupted trial is neither failed nor finished", "[tracker]") {
  Tracked tracked("s");
  tracked.end("data", Status::kFresh);
  tracked.run("train@seed=2", Status::kCancelled);
  CHECK(tracked.counts() == "0 finished, 0 running, 0 failed, 3 left");
}

TEST_CASE("stages of the sweep itself belong to no trial", "[tracker]") {
  Tracked tracked("s");
  tracked.start("trials");
  CHECK(tracked.counts() == "0 finished, 0 running, 0 failed, 3 left");
  tracked.end("trials", Status::kFailed);
  CHECK(tracked.counts() == "0 finished, 0 running, 0 failed, 3 left");
  tracked.run("of another pipeline");
  CHECK(tracked.counts() == "0 finished, 0 running, 0 failed, 3 left");
}

TEST_CASE("the remaining time is estimated from other trials, once every kind has run",
          "[tracker]") {
  Tracked tracked("s", 2);
  tracked.run("data");
  CHECK(tracked.last().seconds_left == 0);  // no training has ended yet
  tracked.run("train@seed=2");
  CHECK(tracked.last().seconds_left == 10);  // two of 10 s, on two cpus
  tracked.start("train@seed=3");
  tracked.tracker().stage_progress("train@seed=3", 0.5, "");
  tracked.start("train@seed=1");
  CHECK(tracked.last().seconds_left == 7.5);
  tracked.end("train@seed=3", Status::kDone, 20);
  CHECK(tracked.last().seconds_left == 7.5);  // one of 15 s, as they take on average
  tracked.end("train@seed=1");
  CHECK(tracked.last().seconds_left == 0);
}

TEST_CASE("the best trial so far is reported with its value", "[tracker]") {
  SweepProject project;
  project.write(kTracked);
  SweepRequest request;
  request.name = "s";
  const auto bests = [&] {
    Names names;
    for (const TrialsProgress& progress : project.trials) {
      const std::string now =
          progress.best.empty() ? "" : fmt::format("{} {}", progress.best, progress.best_value);
      if (names.empty() || names.back() != now) names.push_back(now);
    }
    return names;
  };
  SECTION("the highest") {
    project.sweep({.request = request});
    CHECK(bests() == Names{"", "seed=2 2", "seed=3 3"});
    project.sweep({.request = request});  // found fresh
    CHECK(bests().back() == "seed=3 3");
  }
  SECTION("the lowest") {
    request.changes.settings = {{"minimize", "train.right"}};
    project.sweep({.request = request});
    CHECK(bests() == Names{"", "seed=2 2", "seed=1 1"});
  }
  SECTION("not a failed one") {
    project.executor.on("train@seed=3", [](const StageJob&, const ProgressSink&, Interrupt&) {
      return failed("no");
    });
    project.sweep({.request = request});
    CHECK(bests() == Names{"", "seed=2 2"});
  }
  SECTION("none if the stage does not write the metric") {
    request.changes.settings = {{"maximize", "train.wrong"}};
    project.sweep({.request = request});
    CHECK(bests() == Names{""});
  }
}

}  // namespace headway::testing
