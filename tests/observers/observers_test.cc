// What people and programs see of a run: texts, log lines, JSON, the trace, the terminal.
#include <spdlog/sinks/ostream_sink.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

#include "lib/base/json.h"
#include "lib/base/text.h"
#include "lib/observers/messages.h"
#include "lib/observers/observers.h"
#include "tests/support/temporary_file.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Status = StageStatus;

RunInfo info() {
  return {"run-1", "addition/wide", "/headway-test/outputs", 5, 2, 2};
}

StageEnd report(const std::string& stage, Status status, const std::string& message = "") {
  StageEnd report;
  report.stage = stage;
  report.status = status;
  report.seconds = 3.25;
  report.key = "0123";
  report.message = message;
  return report;
}

StageEnd failure() {
  StageEnd failed = report("train", Status::kFailed, "exit code 3");
  failed.command = "python3 train.py --out /x\necho done\n";
  failed.log_tail = "loading\nTraceback \x1b[31mred\n";
  failed.log = "/headway-test/outputs/.headway/logs/0123.log";
  return failed;
}

RunSummary summary() {
  RunSummary summary;
  summary.seconds = 4.2;
  summary.done = 1;
  summary.fresh = 2;
  summary.failed = 1;
  summary.skipped = 1;
  summary.exit_code = 1;
  return summary;
}

// A whole little run.
void send_events(Observer& observer) {
  observer.run_started(info());
  observer.stage_finished(report("fetch", Status::kFresh));
  observer.stage_started({"data", "never run", 0, 1, 1});
  observer.stage_started({"train", "param epochs: 30 -> 40", 12, 2, 1});
  observer.stage_progress("train", 0.5, "epoch 15");
  observer.warning("object x is damaged; stage 'data' makes it again");
  observer.stage_finished(report("data", Status::kDone));
  observer.stage_finished(report("eval", Status::kFresh));
  observer.stage_finished(failure());
  observer.stage_finished(report("plot", Status::kSkipped, "train failed"));
  observer.run_finished(summary());
}

class TempFolder {
 public:
  TempFolder() {
    std::string name = "/tmp/headway-trace-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string read(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(path_ / name).rdbuf();
    return text.str();
  }
  const Path& path() const { return path_; }

 private:
  Path path_;
};

std::string logged(bool quiet) {
  std::ostringstream text;
  auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text);
  auto logger = std::make_shared<spdlog::logger>("test", sink);
  logger->set_pattern("%l: %v", spdlog::pattern_time_type::utc);
  // The time stands still: after ten seconds, progress would be logged.
  const std::unique_ptr<Observer> observer =
      make_log_observer(logger, quiet, [] { return std::chrono::steady_clock::time_point(); });
  send_events(*observer);
  return text.str();
}

}  // namespace

TEST_CASE("the messages at a run's start", "[messages]") {
  CHECK(start_text(info()) == "addition/wide: 5 stages, 2 fresh, 2 cpus");
  CHECK(start_text({"", "p", "", 1, 0, 1}) == "p: 1 stage, 0 fresh, 1 cpu");
}

TEST_CASE("the messages at a stage's end", "[messages]") {
  CHECK(finished_text(report("a", Status::kDone)) == "a: done in 3.2 s");
  CHECK(finished_text(report("a", Status::kFresh)) == "a: fresh");
  CHECK(finished_text(report("a", Status::kFailed, "exit code 3")) == "a: failed: exit code 3");
  CHECK(finished_text(report("a", Status::kCancelled)) == "a: interrupted");
  CHECK(finished_text(report("a", Status::kSkipped, "b failed")) == "a: skipped, because b failed");
}

TEST_CASE("a message that is also the end of the log is printed once", "[messages]") {
  StageEnd native = report("m", Status::kFailed, "input 'data': no such array");
  native.log_tail = "input 'data': no such array\n";
  CHECK(failure_text(native) == "stage 'm' failed: input 'data': no such array\n");
  native.log_tail = "epoch 1: train_loss 0.5\ninput 'data': no such array\n";
  CHECK(failure_text(native) ==
        "stage 'm' failed: input 'data': no such array\n"
        "  last lines of its log:\n"
        "    epoch 1: train_loss 0.5\n");
}

TEST_CASE("a failure is reported with everything needed to fix it", "[messages]") {
  CHECK(failure_text(failure()) ==
        "stage 'train' failed: exit code 3\n"
        "  command:\n"
        "    python3 train.py --out /x\n"
        "    echo done\n"
        "  last lines of its log:\n"
        "    loading\n"
        "    Traceback \xEF\xBF\xBD[31mred\n"
        "  log: /headway-test/outputs/.headway/logs/0123.log\n");
  CHECK(failure_text(
            report("m", Status::kFailed, "expected accuracy >= 0.99, got 0.93 (p.yaml:3:4)")) ==
        "stage 'm' failed: expected accuracy >= 0.99, got 0.93 (p.yaml:3:4)\n");
}

TEST_CASE("a failure on another machine says the memory used, and asked if any was", "[messages]") {
  StageEnd failed = report("m", Status::kFailed, "exit code 3");
  failed.node = "n2";
  failed.peak_memory = 100'000'000;
  CHECK(failure_text(failed) == "stage 'm' failed: exit code 3\n  on n2; memory 100.0 MB\n");
  failed.memory_asked = 2'000'000'000;
  CHECK(failure_text(failed) ==
        "stage 'm' failed: exit code 3\n  on n2; memory 100.0 MB of 2.0 GB asked\n");
}

TEST_CASE("control characters never reach people, and JSON keeps all of them", "[observers]") {
  const std::string evil = "\x1b]0;x\x07\x7f\xc2\x9b";
  StageEnd failed = report(evil, Status::kFailed, evil + "\nsecond line");
  failed.command = failed.log_tail = evil;
  failed.log = "/" + evil;
  const auto send_all = [&](Observer& observer) {
    observer.run_started({"1", evil, "/", 1, 0, 1, evil, {{"more", evil}}});
    observer.headline_changed({evil, 2, {{"event", "variations"}, {"best", evil}}});
    observer.stage_started({evil, evil, 0, 1, 1});
    observer.stage_progress(evil, 0.5, evil);
    observer.warning(evil);
    observer.stage_finished(failed);
    observer.stage_finished(report(evil, Status::kDone));
    observer.stage_finished(report(evil, Status::kSkipped, evil));
    observer.run_finished(summary());
  };
  std::ostringstream log;
  auto logger = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log));
  const std::unique_ptr<Observer> log_observer = make_log_observer(logger, false);
  send_all(*log_observer);
  const TempFile terminal, json;
  {
    const std::unique_ptr<Observer> observer = make_terminal_observer(terminal.get(), false);
    send_all(*observer);
    const std::unique_ptr<Observer> json_observer = make_json_observer(json.get());
    send_all(*json_observer);
  }
  const std::string drawn =
      std::regex_replace(terminal.text(), std::regex("\x1b\\[[0-9]+A\r\x1b\\[J"), "");
  for (const std::string& text : {log.str(), drawn}) {
    INFO(text);
    for (const char* control : {"\x1b", "\x07", "\x7f", "\xc2\x9b"})
      CHECK(text.find(control) == std::string::npos);
    CHECK_THAT(text, ContainsSubstring("\uFFFD]0;x") && ContainsSubstring("second line"));
  }
  CHECK(json.text().find(to_line(failed.message)) != std::string::npos);
}

TEST_CASE("a warning of a stage is told once, in a run with variations and a quiet one too",
          "[observers]") {
  StageEnd end = report("m", Status::kFresh);
  end.warning = "expected accuracy >= 0.99, got 0.93 (p.yaml:3:4)";
  const std::string told = "stage 'm' warns: expected accuracy >= 0.99, got 0.93 (p.yaml:3:4)\n";
  const auto send = [&](Observer& observer) {
    observer.run_started({"1", "p", "/", 1, 1, 1, "9 runs", {}});
    observer.stage_finished(end);
  };
  std::ostringstream log;
  auto logger = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log));
  logger->set_pattern("%v");
  send(*make_log_observer(logger, true));
  CHECK(log.str() == told);
  const TempFile terminal, json;
  send(*make_terminal_observer(terminal.get(), false));
  CHECK_THAT(terminal.text(), ContainsSubstring("! " + told));
  send(*make_json_observer(json.get()));
  CHECK_THAT(json.text(), ContainsSubstring(R"("warning":"expected accuracy >= 0.99, got 0.93)"));
}

TEST_CASE("a long command is truncated", "[messages]") {
  StageEnd failed = report("a", Status::kFailed, "exit code 1");
  for (int i = 0; i < 30; ++i) failed.command += "line\n";
  CHECK_THAT(failure_text(failed), ContainsSubstring("    line\n    … (10 lines more)\n"));
}

TEST_CASE("a path below the current folder is shown relative to it", "[messages]") {
  CHECK(display_path(std::filesystem::current_path() / "outputs" / "x") == "outputs/x");
  CHECK(display_path("/headway-test/x") == "/headway-test/x");
}

TEST_CASE("the messages at a run's end", "[messages]") {
  CHECK(summary_text(info(), summary()) ==
        "addition/wide: 1 done, 2 fresh, 1 failed, 1 skipped in 4.2 s");
  RunSummary idle;
  idle.fresh = 5;
  idle.seconds = 0.012;
  CHECK(summary_text(info(), idle) == "addition/wide: nothing to do, 5 fresh in 12 ms");
  RunSummary interrupted;
  interrupted.cancelled = 1;
  interrupted.not_started = 4;
  interrupted.seconds = 61;
  interrupted.exit_code = 130;
  CHECK(summary_text(info(), interrupted) ==
        "addition/wide: 1 interrupted, 4 not started in 1 min 01 s");
}

TEST_CASE("the log has a line for every event except stages that were fresh from the start",
          "[observers]") {
  CHECK(logged(false) ==
        "info: addition/wide: 5 stages, 2 fresh, 2 cpus\n"
        "info: data: started (never run)\n"
        "info: train: started (param epochs: 30 -> 40)\n"
        "warning: object x is damaged; stage 'data' makes it again\n"
        "info: data: done in 3.2 s\n"
        "info: eval: fresh\n"
        "error: stage 'train' failed: exit code 3\n"
        "  command:\n"
        "    python3 train.py --out /x\n"
        "    echo done\n"
        "  last lines of its log:\n"
        "    loading\n"
        "    Traceback \xEF\xBF\xBD[31mred\n"
        "  log: /headway-test/outputs/.headway/logs/0123.log\n"
        "info: plot: skipped, because train failed\n"
        "info: addition/wide: 1 done, 2 fresh, 1 failed, 1 skipped in 4.2 s\n");
}

TEST_CASE("a quiet log contains only warnings and failures", "[observers]") {
  const std::string text = logged(true);
  CHECK(
      text.starts_with("warning: object x is damaged; stage 'data' makes it again\nerror: stage "
                       "'train' failed: exit code 3\n"));
  CHECK_THAT(text, !ContainsSubstring("info:"));
}

TEST_CASE("braces in a message are not treated as a format", "[observers]") {
  std::ostringstream text;
  auto logger = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
  logger->set_pattern("%v");
  const std::unique_ptr<Observer> observer = make_log_observer(logger, false);
  observer->warning("awk '{print $1}' {} {0}");
  observer->stage_finished(report("{x}", Status::kFailed, "{"));
  CHECK(text.str() == "awk '{print $1}' {} {0}\nstage '{x}' failed: {\n");
}

TEST_CASE("a second attempt is announced", "[observers]") {
  std::ostringstream text;
  auto logger = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
  logger->set_pattern("%v");
  const std::unique_ptr<Observer> observer = make_log_observer(logger, false);
  observer->stage_started({"a", "never run", 0, 1, 2});
  CHECK(text.str() == "a: started, attempt 2 (never run)\n");
}

TEST_CASE("the words of a stage's progress, with and without a fraction", "[messages]") {
  CHECK(progress_text("train", 0.424, "epoch 3") == "train: 42 % epoch 3");
  CHECK(progress_text("get", kUnknownFraction, "unpacking") == "get: unpacking");
  CHECK(progress_text("get", 0.42, "42%|████      | 42/100") == "get: 42%|████      | 42/100");
  CHECK(progress_text("get", 0.42, "142% of it") == "get: 42 % 142% of it");
}

TEST_CASE("the log has progress every 10 s, and words alone every 30 s", "[observers]") {
  std::ostringstream text;
  auto logger = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
  logger->set_pattern("%v");
  std::chrono::steady_clock::time_point now;
  const std::unique_ptr<Observer> observer = make_log_observer(logger, false, [&] { return now; });
  observer->stage_started({"bar", "never run", 0, 1, 1});
  observer->stage_started({"get", "never run", 0, 1, 1});
  for (int second = 1; second <= 65; ++second) {
    now += std::chrono::seconds(1);
    observer->stage_progress("bar", second / 100.0, "done");
    observer->stage_progress("get", kUnknownFraction, std::to_string(second) + " files");
  }
  CHECK(text.str() ==
        "bar: started (never run)\nget: started (never run)\n"
        "bar: 10 % done\nbar: 20 % done\nbar: 30 % done\nget: 30 files\n"
        "bar: 40 % done\nbar: 50 % done\nbar: 60 % done\nget: 60 files\n");
}

TEST_CASE("progress of which only words are known is no number anywhere", "[observers]") {
  TempFile json, terminal;
  make_json_observer(json.get())->stage_progress("get", kUnknownFraction, "unpacking");
  std::optional<Json> event = parse_json(json.text());
  REQUIRE(event);
  event->erase("time");
  CHECK(*event == Json{{"event", "stage-progress"},
                       {"stage", "get"},
                       {"fraction", nullptr},
                       {"words", "unpacking"}});
  {
    const std::unique_ptr<Observer> observer = make_terminal_observer(terminal.get(), false);
    observer->run_started(info());
    observer->stage_started({"get", "never run", 0, 1, 1});
    observer->stage_progress("get", 0.5, "downloading");
    observer->stage_progress("get", kUnknownFraction, "unpacking");
    observer->warning("redraws");
  }
  CHECK_THAT(terminal.text(), ContainsSubstring("\nget ") && ContainsSubstring("  unpacking\n") &&
                                  !ContainsSubstring("%"));
  TempFolder folder;
  make_trace_observer(folder.path())->stage_progress("get", kUnknownFraction, "unpacking");
  CHECK_THAT(folder.read("trace.json"), !ContainsSubstring("get"));
}

TEST_CASE("JSON events are one per line and can be parsed", "[observers]") {
  TempFile file;
  const std::unique_ptr<Observer> observer = make_json_observer(file.get());
  send_events(*observer);
  std::vector<Json> events;
  const std::string text = file.text();
  for (const std::string& line : split(trim(text), '\n')) {
    const std::optional<Json> event = parse_json(line);
    REQUIRE(event);
    events.push_back(*event);
    CHECK(std::regex_match(events.back().at("time").get<std::string>(),
                           std::regex("[0-9-]{10}T[0-9:]{8}\\.[0-9]{3}Z")));
    events.back().erase("time");
  }
  std::vector<std::string> names;
  for (const Json& event : events)
    names.push_back(event.at("event").get<std::string>() + " " + event.value("stage", ""));
  CHECK(names == std::vector<std::string>{"run-started ", "stage-finished fetch",
                                          "stage-started data", "stage-started train",
                                          "stage-progress train", "warning ", "stage-finished data",
                                          "stage-finished eval", "stage-finished train",
                                          "stage-finished plot", "run-finished "});
  CHECK(events[0] == Json{{"event", "run-started"},
                          {"schema", kJsonSchema},
                          {"run", "run-1"},
                          {"pipeline", "addition/wide"},
                          {"outputs", "/headway-test/outputs"},
                          {"stages", 5},
                          {"fresh", 2},
                          {"cpus", 2}});
  CHECK(events[3] == Json{{"event", "stage-started"},
                          {"stage", "train"},
                          {"reason", "param epochs: 30 -> 40"},
                          {"expected_seconds", 12.0},
                          {"cpus", 2},
                          {"attempt", 1}});
  CHECK(events[4] == Json{{"event", "stage-progress"},
                          {"stage", "train"},
                          {"fraction", 0.5},
                          {"words", "epoch 15"}});
  CHECK(events[8].at("status") == "failed");
  CHECK(events[8].at("message") == "exit code 3");
  CHECK(events[8].at("log_tail") == "loading\nTraceback \x1b[31mred\n");
  CHECK(!events[6].contains("message"));
  CHECK(events[10].at("exit_code") == 1);
  CHECK(events[10].at("skipped") == 1);
}

TEST_CASE("bytes that are not UTF-8 do not break a JSON event", "[observers]") {
  TempFile file;
  const std::unique_ptr<Observer> observer = make_json_observer(file.get());
  observer->warning("\xFF\xFE");
  CHECK(parse_json(file.text()));
}

TEST_CASE("the trace can be parsed and has a bar for every stage that ran", "[observers]") {
  TempFolder folder;
  {
    const std::unique_ptr<Observer> observer = make_trace_observer(folder.path());
    send_events(*observer);
  }
  const std::optional<Json> trace = parse_json(folder.read("trace.json"));
  REQUIRE(trace);
  std::vector<std::string> bars;
  std::map<std::string, int> lanes;
  for (const Json& event : *trace) {
    if (event.at("ph") != "X") continue;
    bars.push_back(event.at("name"));
    lanes[event.at("name")] = event.at("tid");
    CHECK(event.at("ts").get<std::int64_t>() >= 0);
    CHECK(event.at("dur").get<std::int64_t>() >= 0);
  }
  CHECK(bars == std::vector<std::string>{"data", "train", "run"});
  CHECK(lanes == std::map<std::string, int>{{"data", 1}, {"train", 2}, {"run", 0}});
  CHECK((*trace)[0].at("args").at("name") == "headway addition/wide");
  CHECK((*trace)[1].at("ph") == "C");
  CHECK((*trace)[1].at("args").at("percent") == 50.0);
  CHECK((*trace)[3].at("args").at("message") == "exit code 3");
  CHECK((*trace)[3].at("args").at("reason") == "param epochs: 30 -> 40");
  const std::optional<Json> summary_file = parse_json(folder.read("summary.json"));
  REQUIRE(summary_file);
  CHECK(summary_file->at("exit_code") == 1);
  CHECK(summary_file->at("run") == "run-1");
}

TEST_CASE("the trace of a killed run is there up to its end", "[observers]") {
  TempFolder folder;
  {
    const std::unique_ptr<Observer> observer = make_trace_observer(folder.path());
    observer->run_started(info());
    observer->stage_started({"a", "never run", 0, 1, 1});
    observer->stage_finished(report("a", Status::kDone));
  }
  std::string text(trim(folder.read("trace.json")));
  REQUIRE(text.ends_with(","));
  text.back() = ']';
  const std::optional<Json> trace = parse_json(text);
  REQUIRE(trace);
  CHECK(trace->size() == 2);
  CHECK(parse_json(folder.read("summary.json"))->at("stages") == 5);
}

TEST_CASE("a row of the trace is reused when it is free", "[observers]") {
  TempFolder folder;
  {
    const std::unique_ptr<Observer> observer = make_trace_observer(folder.path());
    observer->run_started(info());
    for (const std::string stage : {"a", "b", "c"}) {
      observer->stage_started({stage, "", 0, 1, 1});
      observer->stage_finished(report(stage, Status::kDone));
    }
    observer->run_finished(summary());
  }
  const std::string text = folder.read("trace.json");
  CHECK_THAT(text, !ContainsSubstring("\"tid\":2"));
}

TEST_CASE("a second attempt does not occupy the first one's row forever", "[observers]") {
  TempFolder folder;
  {
    const std::unique_ptr<Observer> observer = make_trace_observer(folder.path());
    observer->run_started(info());
    observer->stage_started({"a", "never run", 0, 1, 1});
    observer->stage_started({"a", "never run", 0, 1, 2});
    observer->stage_finished(report("a", Status::kDone));
    observer->stage_started({"b", "never run", 0, 1, 1});
    observer->stage_started({"c", "never run", 0, 1, 1});
    observer->stage_finished(report("b", Status::kDone));
    observer->stage_finished(report("c", Status::kDone));
    observer->run_finished(summary());
  }
  CHECK_THAT(folder.read("trace.json"), !ContainsSubstring("\"tid\":3"));
}

TEST_CASE("all observers get every event, one at a time", "[observers]") {
  std::ostringstream text;
  auto logger = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_st>(text));
  logger->set_pattern("%v");
  Observers observers;
  observers.add(make_log_observer(logger, false));
  observers.add(make_log_observer(logger, true));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { observers.warning("same"); });
  for (std::thread& thread : threads) thread.join();
  CHECK(text.str() == "same\nsame\nsame\nsame\nsame\nsame\nsame\nsame\n");
}

TEST_CASE("a terminal without colours shows none, and ends with the summary", "[observers]") {
  TempFile file;
  {
    const std::unique_ptr<Observer> observer = make_terminal_observer(file.get(), false);
    send_events(*observer);
  }
  const std::string text = file.text();
  for (const char* code : {"\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[2m", "\x1b[0m"})
    CHECK_THAT(text, !ContainsSubstring(code));
  const std::vector<std::string> lines = split(trim(text), '\n');
  CHECK_THAT(lines.back(),
             ContainsSubstring("addition/wide: 1 done, 2 fresh, 1 failed, 1 skipped in 4.2 s"));
  CHECK(lines.front() == "addition/wide: 5 stages, 2 fresh, 2 cpus");
  CHECK_THAT(text, ContainsSubstring("✓ data: done in 3.2 s  never run\n"));
  CHECK_THAT(text, ContainsSubstring("= eval: fresh\n"));
  CHECK_THAT(text, !ContainsSubstring("= fetch: fresh\n"));
  CHECK_THAT(text, ContainsSubstring("✗ stage 'train' failed: exit code 3\n"));
  CHECK_THAT(text, ContainsSubstring("- plot: skipped, because train failed\n"));
  CHECK_THAT(text, ContainsSubstring("! object x is damaged; stage 'data' makes it again\n"));
  CHECK_THAT(text, ContainsSubstring(" 50 % train "));
}

TEST_CASE("a terminal with colours shows them", "[observers]") {
  TempFile file;
  {
    const std::unique_ptr<Observer> observer = make_terminal_observer(file.get(), true);
    send_events(*observer);
  }
  CHECK_THAT(file.text(), ContainsSubstring("\x1b[32m✓ \x1b[0mdata: done in 3.2 s"));
}

TEST_CASE("a terminal observer may be called from many threads", "[observers]") {
  TempFile file;
  {
    const std::unique_ptr<Observer> terminal = make_terminal_observer(file.get(), true);
    terminal->run_started(info());
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        const std::string stage = "s" + std::to_string(i);
        for (int j = 0; j < 50; ++j) {
          terminal->stage_started({stage, "", 1, 1, 1});
          terminal->stage_progress(stage, j / 50.0, "words");
          terminal->stage_finished(report(stage, Status::kDone));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    terminal->run_finished(summary());
  }
  CHECK_THAT(file.text(), ContainsSubstring("in 4.2 s"));
}

TEST_CASE("a terminal observer without events ends quietly", "[observers]") {
  TempFile file;
  { const std::unique_ptr<Observer> observer = make_terminal_observer(file.get(), true); }
  CHECK(file.text().empty());
}

}  // namespace headway::testing
