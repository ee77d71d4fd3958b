// What people and programs see of a sweep's trials.
#include <spdlog/sinks/ostream_sink.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <functional>
#include <sstream>

#include "lib/base/json.h"
#include "lib/base/text.h"
#include "lib/observers/messages.h"
#include "lib/observers/observers.h"
#include "lib/sweep/trial_tracker.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Status = StageStatus;

TrialsProgress trials_progress(std::size_t finished, std::size_t running, std::size_t failed) {
  TrialsProgress progress;
  progress.total = 9;
  progress.finished = finished;
  progress.running = running;
  progress.failed = failed;
  return progress;
}

TrialsProgress with_best() {
  TrialsProgress progress = trials_progress(4, 2, 1);
  progress.seconds_left = 90;
  progress.objective = "evaluate.greedy";
  progress.best = "seed=2";
  progress.best_value = 0.98765;
  return progress;
}

StageEnd ended(const std::string& stage, Status status, double seconds) {
  StageEnd report;
  report.stage = stage;
  report.status = status;
  report.seconds = seconds;
  report.message = status == Status::kFailed ? "exit code 3" : "";
  return report;
}

// A little sweep: a short stage, a long one, one that fails.
void send_sweep(Observer& observer) {
  RunInfo info{"run-1", "p/heads", "/headway-test/outputs", 20, 3, 2};
  announce_trials(9, info);
  observer.run_started(info);
  observer.stage_finished(ended("fresh@seed=1", Status::kFresh, 0));
  observer.headline_changed(headline_of(trials_progress(1, 0, 0)));
  observer.stage_started({"short@seed=2", "never run", 0, 1, 1});
  observer.headline_changed(headline_of(trials_progress(1, 1, 0)));
  observer.stage_finished(ended("short@seed=2", Status::kDone, 0.5));
  observer.stage_finished(ended("long@seed=2", Status::kDone, 2));
  observer.stage_finished(ended("bad@seed=3", Status::kFailed, 0.1));
  observer.headline_changed(headline_of(with_best()));
  RunSummary summary;
  summary.seconds = 4;
  summary.done = 2;
  summary.fresh = 3;
  summary.failed = 1;
  summary.exit_code = 1;
  observer.run_finished(summary);
}

std::vector<std::string> logged(bool quiet, const std::function<void(Observer&)>& send) {
  std::ostringstream text;
  auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text);
  auto logger = std::make_shared<spdlog::logger>("test", sink);
  logger->set_pattern("%l: %v", spdlog::pattern_time_type::utc);
  const std::unique_ptr<Observer> observer = make_log_observer(logger, quiet);
  send(*observer);
  return split(std::string(trim(text.str())), '\n');
}

std::vector<std::string> logged_sweep(bool quiet) {
  return logged(quiet, send_sweep);
}

template <class Write>
std::string written(Write write) {
  std::FILE* file = std::tmpfile();
  write(file);
  std::fflush(file);
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

}  // namespace

TEST_CASE("the messages at a sweep's start", "[messages]") {
  RunInfo info{"", "p/heads", "", 5, 2, 1};
  announce_trials(1, info);
  CHECK(start_text(info) == "p/heads: 1 trial, 5 stages, 2 fresh, 1 cpu");
  announce_trials(4, info);
  CHECK(start_text(info) == "p/heads: 4 trials, 5 stages, 2 fresh, 1 cpu");
}

TEST_CASE("a finished trial is told with the metrics that matter", "[messages]") {
  TrialResult trial{"lr=0.1", {}, {}, kTrialDone};
  CHECK(end_of_trial(trial, {"train.loss"}).text == "lr=0.1 finished");
  trial.metrics["evaluate"] = {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"greedy", 0.98765}};
  trial.metrics["train"] = {{"loss", 0.03}};
  CHECK(end_of_trial(trial, {"train.loss", "probe.none", "evaluate.greedy"}).text ==
        "lr=0.1: train.loss 0.03, evaluate.greedy 0.9877");
  CHECK(end_of_trial(trial, {"train", "train.loss / evaluate.c"}).text ==
        "lr=0.1: train.loss 0.03, train.loss / evaluate.c 0.01");
  CHECK(end_of_trial(trial, {}).text ==
        "lr=0.1: evaluate.a 1, evaluate.b 2, evaluate.c 3, evaluate.d 4");
  CHECK(end_of_trial(trial, {}).event["metrics"].size() == 6);
}

TEST_CASE("the messages about the progress of trials", "[messages]") {
  CHECK(trials_text(trials_progress(0, 0, 0)) == "0 of 9 trials finished, 9 left");
  CHECK(trials_text(trials_progress(9, 0, 0)) == "9 of 9 trials finished");
  CHECK(trials_text(with_best()) ==
        "4 of 9 trials finished, 2 running, 1 failed, 2 left, about 1 min 30 s left; best seed=2: "
        "evaluate.greedy 0.9877");
  TrialsProgress over = trials_progress(8, 0, 1);
  over.seconds_left = 10;
  CHECK(trials_text(over) == "8 of 9 trials finished, 1 failed");
}

TEST_CASE("the log of a sweep has trials, long stages and failures", "[messages]") {
  const std::vector<std::string> lines = logged_sweep(false);
  CHECK(lines == std::vector<std::string>{
                     "info: p/heads: 9 trials, 20 stages, 3 fresh, 2 cpus",
                     "info: p/heads: 1 of 9 trials finished, 1 running, 7 left",
                     "info: long@seed=2: done in 2.0 s",
                     "error: stage 'bad@seed=3' failed: exit code 3",
                     "info: p/heads: " + trials_text(with_best()),
                     "info: p/heads: 2 done, 3 fresh, 1 failed in 4.0 s",
                 });
}

TEST_CASE("the log of a sweep does not say twice that all trials are finished", "[messages]") {
  const std::vector<std::string> lines = logged(false, [](Observer& observer) {
    RunInfo info{"run-1", "p/heads", "/headway-test/outputs", 9, 0, 2};
    announce_trials(9, info);
    observer.run_started(info);
    observer.stage_started({"short@seed=2", "never run", 0, 1, 1});
    observer.headline_changed(headline_of(trials_progress(9, 0, 0)));
    observer.run_finished({.seconds = 4, .done = 9});
  });
  CHECK(lines == std::vector<std::string>{"info: p/heads: 9 trials, 9 stages, 0 fresh, 2 cpus",
                                          "info: p/heads: 9 of 9 trials finished",
                                          "info: p/heads: 9 done in 4.0 s"});
}

TEST_CASE("the quiet log of a sweep contains only failures", "[messages]") {
  CHECK(logged_sweep(true) ==
        std::vector<std::string>{"error: stage 'bad@seed=3' failed: exit code 3"});
}

TEST_CASE("the JSON of a sweep has trials at the start and whenever they change", "[messages]") {
  const std::string text = written([](std::FILE* file) {
    const std::unique_ptr<Observer> observer = make_json_observer(file);
    send_sweep(*observer);
  });
  std::vector<Json> events;
  for (const std::string& line : split(std::string(trim(text)), '\n'))
    events.push_back(parse_json(line).value());
  CHECK(events.at(0).at("event") == "run-started");
  CHECK(events.at(0).at("trials") == 9);
  for (Json& event : events) CHECK(event.erase("time") == 1);
  CHECK(events.at(2) == Json({{"event", "trials"},
                              {"total", 9},
                              {"finished", 1},
                              {"running", 0},
                              {"failed", 0},
                              {"left", 8},
                              {"seconds_left", 0.0}}));
  CHECK(events.at(events.size() - 2) == Json({{"event", "trials"},
                                              {"total", 9},
                                              {"finished", 4},
                                              {"running", 2},
                                              {"failed", 1},
                                              {"left", 2},
                                              {"seconds_left", 90.0},
                                              {"best", "seed=2"},
                                              {"objective", "evaluate.greedy"},
                                              {"best_value", 0.98765}}));
}

TEST_CASE("the JSON of a plain run does not mention trials", "[messages]") {
  const std::string text =
      written([](std::FILE* file) { make_json_observer(file)->run_started({}); });
  CHECK(text.find("trials") == std::string::npos);
}

TEST_CASE("the terminal shows a sweep's long stages, failures and trials at the end",
          "[messages]") {
  const std::string text = written([](std::FILE* file) {
    const std::unique_ptr<Observer> observer = make_terminal_observer(file, false);
    send_sweep(*observer);
  });
  CHECK_THAT(text, ContainsSubstring("p/heads: 9 trials, 20 stages, 3 fresh, 2 cpus\n"));
  CHECK_THAT(text, ContainsSubstring("✓ long@seed=2: done in 2.0 s"));
  CHECK_THAT(text, ContainsSubstring("✗ stage 'bad@seed=3' failed: exit code 3\n"));
  CHECK_THAT(text, ContainsSubstring("p/heads: " + trials_text(with_best()) + "\n"));
  CHECK_THAT(text, !ContainsSubstring("short@seed=2: done"));
  CHECK_THAT(text, !ContainsSubstring("fresh@seed=1"));
}

}  // namespace headway::testing
