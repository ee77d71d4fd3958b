// What people and programs see of stages that run on a cluster.
#include <fcntl.h>
#include <spdlog/sinks/ostream_sink.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <thread>
#include <tuple>

#include "lib/base/text.h"
#include "lib/cli/pipeline_status.h"
#include "lib/cli/watch.h"
#include "lib/observers/messages.h"
#include "lib/observers/observers.h"
#include "lib/report/outputs_index.h"
#include "tests/support/memory_file_system.h"
#include "tests/support/printed_json.h"
#include "tests/support/project.h"
#include "tests/support/temporary_file.h"
#include "tests/support/temporary_folder.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using std::chrono::milliseconds;

constexpr const char* kThird = "job 17: Resources, 3rd in the queue";
constexpr const char* kSecond = "job 17: Resources, 2nd in the queue";

RunInfo cluster_run(const std::string& variations = "") {
  RunInfo info{"run-1", "p", "/headway-test/outputs", 300, 0, 2};
  info.variations = variations;
  return info;
}

StageEnd end_on(const std::string& node, StageStatus status = StageStatus::kDone) {
  StageEnd end;
  end.stage = "train";
  end.status = status;
  end.seconds = 3.25;
  end.node = node;
  return end;
}

void wait_in_line(Observer& observer, const std::string& stage, const std::string& why = kThird) {
  observer.stage_started({stage, "never run", 12, 1, 1});
  observer.stage_placed(stage, {"", why});
}

// A terminal with so many columns, and all that was written to it.
class Screen60 {
 public:
  Screen60() : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    REQUIRE((::grantpt(master_) == 0 && ::unlockpt(master_) == 0));
    out = std::fopen(::ptsname(master_), "w");
    REQUIRE(out);
    winsize size{};
    size.ws_col = 60;
    size.ws_row = 24;
    REQUIRE(::ioctl(::fileno(out), TIOCSWINSZ, &size) == 0);
    reader_ = std::thread([this] {
      char bytes[4096];
      for (ssize_t n = 0; (n = ::read(master_, bytes, sizeof bytes)) > 0;)
        text_.append(bytes, static_cast<std::size_t>(n));
    });
  }
  ~Screen60() {
    if (reader_.joinable()) text();
    ::close(master_);
  }
  Screen60(const Screen60&) = delete;
  Screen60& operator=(const Screen60&) = delete;
  std::string text() {
    std::fclose(out);  // the reader sees the end
    reader_.join();
    std::erase(text_, '\r');
    return text_;
  }
  std::FILE* out = nullptr;

 private:
  int master_;
  std::string text_;
  std::thread reader_;
};

// The live lines that a terminal shows in the end.
Names last_frame(const std::string& text) {
  std::string frame = text;
  for (const std::string before : {"\x1b[J", "! redraws\n"}) {
    const std::size_t at = frame.rfind(before);
    if (at != std::string::npos) frame.erase(0, at + before.size());
  }
  return split(trim(frame), '\n');
}

template <class Send>
Names frame_of(const Send& send) {
  const TempFile file;
  {
    const std::unique_ptr<Observer> observer = make_terminal_observer(file.get(), false);
    observer->run_started(cluster_run());
    send(*observer);
    observer->warning("redraws");
  }
  return last_frame(file.text());
}

struct ClusterLog {
  explicit ClusterLog(const std::string& variations = "") {
    logger->set_pattern("%v");
    observer->run_started(cluster_run(variations));
    take();
  }
  std::string take() { return std::exchange(text, std::ostringstream()).str(); }

  std::ostringstream text;
  std::chrono::steady_clock::time_point now;
  const std::shared_ptr<spdlog::logger> logger = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
  const std::unique_ptr<Observer> observer = make_log_observer(logger, false, [&] { return now; });
};

// A pipeline of which a run has `train` on a node and `eval` in the queue.
struct ClusterProject {
  ClusterProject() {
    project.write(R"(
stages:
  train: {uses: shell, outs: {o: o}, with: {run: "a {out.o}"}}
  eval: {uses: shell, outs: {o: o}, with: {run: "b {out.o}"}}
  left: {uses: shell, outs: {o: o}, with: {run: "c {out.o}"}}
)");
    project.disk.make_directories(project.layout.states());
    PipelineState state(project.disk, project.layout, "p", "");
    state.note_file(project.folder / "p.yaml");
    for (const char* stage : {"train", "eval", "left"}) {
      StageState running;
      running.status = StageStatus::kRunning;
      running.key = project.key_of(stage);
      state.note(stage, running);
    }
    const std::int64_t since = std::time(nullptr) - 65;
    const LiveRun run{"1",
                      "p",
                      since,
                      "",
                      {{"train", {since, 1, 0.42, "epoch 3", "n2"}},
                       {"eval", {.since = since, .attempt = 2, .waiting = kThird}}}};
    project.disk.put(project.layout.live_run("1"), to_line(run.to_json()));
    project.disk.put(project.layout.works() / "1.lock", "");
    lock = project.disk.try_lock(project.layout.works() / "1.lock", LockMode::kExclusive);
  }
  PipelineStatus status(std::vector<DetachedStage> detached = {}) {
    Store store(project.disk, project.outputs);
    return status_of(project.load(), store, std::move(detached));
  }
  DetachedStage left() { return {project.key_of("left"), "on n3 (job 9)", std::time(nullptr) - 5}; }

  Project project;
  decltype(project.disk.try_lock("", LockMode::kExclusive)) lock;
};

Json stage_of(const PipelineStatus& status, const std::string& name) {
  const Json json = status.to_json();
  for (const Json& stage : json.at("stages")) {
    if (stage.at("stage") == name) return stage;
  }
  return {};
}

}  // namespace

TEST_CASE("the end of a stage names its node", "[messages]") {
  CHECK(finished_text(end_on("n2")) == "train: done in 3.2 s on n2");
  CHECK(finished_text(end_on("")) == "train: done in 3.2 s");
}

TEST_CASE("a failure on a cluster names the node, and the memory that was used and asked for",
          "[messages]") {
  StageEnd failed = end_on("n2", StageStatus::kFailed);
  failed.message = "exit code 3";
  failed.memory_asked = 2'000'000'000;
  failed.peak_memory = 1'500'000'000;
  CHECK(failure_text(failed) ==
        "stage 'train' failed: exit code 3\n  on n2; memory 1.5 GB of 2.0 GB asked\n");
  failed.peak_memory = 1'900'000'000;
  CHECK(failure_text(failed) ==
        "stage 'train' failed: exit code 3\n  on n2; memory 1.9 GB of 2.0 GB asked\n");
  failed.peak_memory = 100'000'000;
  failed.message = "out of memory";
  CHECK_THAT(failure_text(failed), ContainsSubstring("memory 100.0 MB of 2.0 GB asked\n"));
  failed.peak_memory = 0;
  CHECK_THAT(failure_text(failed), ContainsSubstring("  on n2\n"));
  failed.peak_memory = 1'900'000'000;
  failed.node = "";
  CHECK(failure_text(failed) == "stage 'train' failed: out of memory\n");
}

TEST_CASE("a terminal shows the node of a stage that runs, and why another waits", "[observers]") {
  const Names frame = frame_of([](Observer& observer) {
    wait_in_line(observer, "eval");
    wait_in_line(observer, "train");
    observer.stage_placed("train", {"n2", ""});
    observer.stage_progress("train", 0.42, "epoch 3");
  });
  REQUIRE(frame.size() == 3);
  CHECK_THAT(frame[0], ContainsSubstring(" 42 % train on n2 ") && ContainsSubstring("  epoch 3"));
  CHECK(frame[1] == std::string("eval  waiting: ") + kThird);
  CHECK(frame[2] == "p: 0 of 300 ended, 1 running, 1 waiting");
}

TEST_CASE("the clock of a stage starts when it begins on a node", "[observers]") {
  const auto frame_after = [](const JobPlace& place) {
    return frame_of([&](Observer& observer) {
      wait_in_line(observer, "train");
      std::this_thread::sleep_for(milliseconds(1100));
      observer.stage_placed("train", place);
    })[0];
  };
  CHECK_THAT(frame_after({"n2", ""}),
             ContainsSubstring(" % train on n2 ") &&
                 (ContainsSubstring("about 12.0 s left") || ContainsSubstring("about 11.")));
  CHECK(frame_after({"", kSecond}) == std::string("train  waiting: ") + kSecond);
}

TEST_CASE("a job that goes back to the queue loses its clock and progress", "[observers]") {
  const Names frame = frame_of([](Observer& observer) {
    wait_in_line(observer, "train");
    observer.stage_placed("train", {"n2", ""});
    observer.stage_progress("train", 0.9, "epoch 9");
    observer.stage_placed("train", {"", kThird});
    observer.stage_placed("train", {"n3", ""});
  });
  CHECK_THAT(frame[0], ContainsSubstring("train on n3") && !ContainsSubstring("90 %") &&
                           !ContainsSubstring("epoch 9"));
}

TEST_CASE("hundreds of waiting stages share a line below those that run", "[observers]") {
  for (const int running : {2, 50}) {
    const Names frame = frame_of([&](Observer& observer) {
      for (int i = 0; i < 212; ++i) wait_in_line(observer, "a" + std::to_string(i));
      for (int i = 0; i < running; ++i) {
        wait_in_line(observer, "z" + std::to_string(i));
        observer.stage_placed("z" + std::to_string(i), {"n2", ""});
      }
    });
    REQUIRE(frame.size() > 3);
    CHECK(frame.size() <= 21);
    CHECK_THAT(frame[0], ContainsSubstring("z0 on n2"));
    CHECK_THAT(frame[1], ContainsSubstring("z1 on n2"));
    CHECK(frame[frame.size() - 2] == (running == 2 ? "… and 210 waiting for the cluster"
                                                   : "… and 212 waiting for the cluster"));
    CHECK_THAT(frame.back(), ContainsSubstring(std::to_string(running) + " running, 212 waiting"));
  }
}

TEST_CASE("a narrow terminal shows nodes and the queue on lines that fit", "[observers]") {
  Screen60 screen;
  {
    const std::unique_ptr<Observer> observer = make_terminal_observer(screen.out, false);
    observer->run_started(cluster_run());
    for (const std::string stage : {"eval@seed=1,depth=12", "train@seed=1,depth=12"})
      wait_in_line(*observer, stage, "job 123456: QOSMaxCpuPerUserLimit, 112th in the queue");
    observer->stage_placed("train@seed=1,depth=12", {"node-017", ""});
    observer->stage_progress("train@seed=1,depth=12", 0.42, "epoch 3, loss 0.25");
    observer->warning("redraws");
  }
  const Names frame = last_frame(screen.text());
  REQUIRE(frame.size() == 3);
  for (const std::string& line : frame) CHECK(display_width(line) < 60);
  CHECK_THAT(frame[0], ContainsSubstring("train@seed=1,depth=12 on node-017"));
  CHECK_THAT(frame[1], ContainsSubstring("waiting: job 123456: QOS"));
}

TEST_CASE("the log has a line when a stage begins on a node, and few about waiting",
          "[observers]") {
  ClusterLog log;
  wait_in_line(*log.observer, "train");
  CHECK(log.take() == std::string("train: started (never run)\ntrain: waiting: ") + kThird + "\n");
  log.now += std::chrono::seconds(59);
  log.observer->stage_placed("train", {"", kSecond});
  CHECK(log.take().empty());
  log.now += std::chrono::seconds(1);
  log.observer->stage_placed("train", {"", kThird});  // as it was logged
  CHECK(log.take().empty());
  log.observer->stage_placed("train", {"", kSecond});
  CHECK(log.take() == std::string("train: waiting: ") + kSecond + "\n");
  log.observer->stage_placed("train", {"n2", ""});
  CHECK(log.take() == "train: began on n2\n");
}

TEST_CASE("the log counts stages that wait if they are many", "[observers]") {
  ClusterLog log("9 runs");
  for (int i = 0; i < 200; ++i) wait_in_line(*log.observer, "a" + std::to_string(i));
  CHECK(split(trim(log.take()), '\n').size() == 3);
  const auto move_all = [&] {
    log.now += std::chrono::minutes(1);
    for (int i = 0; i < 200; ++i)
      log.observer->stage_placed("a" + std::to_string(i), {"", kSecond});
    return log.take();
  };
  CHECK(move_all() == "200 stages wait for the cluster\n");
  CHECK(move_all().empty());
  wait_in_line(*log.observer, "b");
  CHECK(log.take() == "201 stages wait for the cluster\n");
  wait_in_line(*log.observer, "c");
  CHECK(log.take().empty());
  CHECK(move_all() == "202 stages wait for the cluster\n");
  for (const char* stage : {"b", "c"}) log.observer->stage_placed(stage, {"n2", ""});
  CHECK(log.take().empty());  // a sweep would have hundreds of such lines
  for (int i = 0; i < 199; ++i) {
    StageEnd end;
    end.stage = "a" + std::to_string(i);
    log.observer->stage_finished(end);
  }
  log.take();
  log.now += std::chrono::minutes(1);
  log.observer->stage_placed("a199", {"", kThird});
  CHECK(log.take() == std::string("a199: waiting: ") + kThird + "\n");
}

TEST_CASE("the page about JSON has what is printed on a cluster", "[observers]") {
  const TempFile file;
  {
    const std::unique_ptr<Observer> observer = make_json_observer(file.get());
    wait_in_line(*observer, "train");
    observer->stage_placed("train", {"", kThird});  // as before, so no event
    observer->stage_placed("train", {"n2", ""});
    StageEnd end = end_on("n2");
    end.memory_asked = 2'000'000'000;
    observer->stage_finished(end);
    observer->stage_finished(end_on(""));
  }
  PrintedJson printed;
  std::vector<Json> events;
  for (const std::string& line : split(trim(file.text()), '\n')) {
    events.push_back(parse_json(line).value());
    printed.add(events.back().at("event"), events.back());
    events.back().erase("time");
  }
  REQUIRE(events.size() == 5);
  CHECK(events[1] ==
        Json{{"event", "stage-placed"}, {"stage", "train"}, {"node", ""}, {"waiting", kThird}});
  CHECK(events[2] ==
        Json{{"event", "stage-placed"}, {"stage", "train"}, {"node", "n2"}, {"waiting", ""}});
  CHECK(events[3].at("node") == "n2");
  CHECK(events[3].at("memory_asked") == 2'000'000'000);
  CHECK_FALSE(events[4].contains("node"));
  CHECK_FALSE(events[4].contains("memory_asked"));
  ClusterProject cluster;
  printed.add("status", {{"schema", 1}, {"pipelines", {cluster.status().to_json()}}});
  CHECK(printed.never_seen(/*on_a_cluster=*/true) == Names{});
}

TEST_CASE("the trace has a process for each node, without the time that stages waited",
          "[observers]") {
  const TemporaryFolder folder;
  {
    const std::unique_ptr<Observer> observer = make_trace_observer(folder.path());
    observer->run_started(cluster_run());
    for (const char* stage : {"a", "b", "c", "d"}) wait_in_line(*observer, stage);
    observer->stage_started({"report", "never run", 0, 1, 1});  // the engine's own
    std::this_thread::sleep_for(milliseconds(30));
    for (const auto& [stage, node] : {std::pair("a", "n1"), {"b", "n1"}, {"c", "n2"}})
      observer->stage_placed(stage, {node, ""});
    observer->stage_progress("c", 0.5, "half");
    wait_in_line(*observer, "b");  // another attempt, so its row on n1 is free
    observer->stage_placed("b", {"n2", ""});
    observer->stage_started({"e", "never run", 0, 1, 1});
    observer->stage_placed("e", {"n1", ""});
    for (const char* stage : {"a", "b", "c", "d", "e", "report"}) {
      StageEnd end;
      end.stage = stage;
      observer->stage_finished(end);
    }
    observer->run_finished({});
  }
  const std::optional<Json> trace = parse_json(folder.read("trace.json"));
  REQUIRE(trace);
  std::map<int, std::string> processes;
  std::map<std::string, std::pair<std::string, int>> rows;
  std::map<std::string, Json> bars;
  for (const Json& event : *trace) {
    const int process = event.at("pid");
    if (event.at("ph") == "M") processes[process] = event.at("args").at("name");
    if (event.at("ph") == "C") CHECK(processes[process] == "n2");
    if (event.at("ph") != "X") continue;
    rows[event.at("name")] = {processes[process], event.at("tid")};
    bars[event.at("name")] = event;
  }
  CHECK(rows == std::map<std::string, std::pair<std::string, int>>{{"run", {"headway p", 0}},
                                                                   {"report", {"headway p", 1}},
                                                                   {"a", {"n1", 1}},
                                                                   {"b", {"n2", 2}},
                                                                   {"c", {"n2", 1}},
                                                                   {"e", {"n1", 2}}});
  CHECK(bars["a"].at("ts") >= 30'000);
  CHECK(bars["a"].at("args").at("waiting_seconds") >= 0.03);
  CHECK(bars["a"].at("args").at("waiting_seconds") < 30);
  CHECK(bars["report"].at("ts") < bars["a"].at("ts"));
  CHECK_FALSE(bars["report"].at("args").contains("waiting_seconds"));
}

TEST_CASE("the trace has a bar on each node that a stage was on, noticed or not", "[observers]") {
  const TemporaryFolder folder;
  {
    const std::unique_ptr<Observer> observer = make_trace_observer(folder.path());
    observer->run_started(cluster_run());
    wait_in_line(*observer, "unnoticed");
    observer->stage_started({"over", "never run", 0, 1, 1});  // it had ended before this run
    for (const char* stage : {"moved", "lost"}) {
      wait_in_line(*observer, stage);
      observer->stage_placed(stage, {"n1", ""});
    }
    std::this_thread::sleep_for(milliseconds(50));
    observer->stage_placed("moved", {"", kThird});
    wait_in_line(*observer, "lost");
    for (const char* stage : {"moved", "lost"}) observer->stage_placed(stage, {"n2", ""});
    for (const auto& [stage, node, seconds] : {std::tuple("unnoticed", "n3", 0.01),
                                               {"over", "n3", 3600.0},
                                               {"moved", "n2", 0.01},
                                               {"lost", "n2", 0.01}}) {
      StageEnd end = end_on(node);
      end.stage = stage;
      end.seconds = seconds;
      observer->stage_finished(end);
    }
    observer->run_finished({});
  }
  const std::optional<Json> trace = parse_json(folder.read("trace.json"));
  REQUIRE(trace);
  std::map<int, std::string> processes;
  std::map<std::string, Json> bars;
  for (const Json& event : *trace) {
    const int process = event.at("pid");
    if (event.at("ph") == "M") processes[process] = event.at("args").at("name");
    if (event.at("ph") != "X" || event.at("name") == "run") continue;
    const std::string name = event.at("name"), status = event.at("args").at("status");
    bars[name + " " + status + " on " + processes[process]] = event;
  }
  Names names;
  for (const auto& [name, unused] : bars) names.push_back(name);
  REQUIRE(names == Names{"lost done on n2", "lost retried on n1", "moved done on n2",
                         "moved moved on n1", "over done on n3", "unnoticed done on n3"});
  CHECK(bars["lost retried on n1"].at("dur") >= 50'000);
  CHECK(bars["moved moved on n1"].at("dur") >= 50'000);
  CHECK(bars["moved done on n2"].at("ts") >= 50'000);
  CHECK(bars["unnoticed done on n3"].at("ts") >= 40'000);
  CHECK(bars["unnoticed done on n3"].at("dur") >= 10'000);
  CHECK(bars["unnoticed done on n3"].at("args").at("waiting_seconds") >= 0.03);
  CHECK(bars["over done on n3"].at("ts") == 0);  // its beginning was before the trace's
  CHECK(bars["over done on n3"].at("tid") != bars["unnoticed done on n3"].at("tid"));
}

TEST_CASE("a place that is told again is not written again for other processes", "[observers]") {
  MemoryFileSystem files;
  const Path file = "/headway-test/live.json";
  files.make_directories(file.parent_path());
  const std::unique_ptr<Observer> observer = make_live_observer(files, file);
  RunInfo info = cluster_run();
  info.queued = {"train"};
  observer->run_started(info);
  wait_in_line(*observer, "train");
  const auto says = [&](const std::string& text) {
    return files.read(file).value_or("").find(text) != std::string::npos;
  };
  for (int i = 0; i < 6000 && !says(kThird); ++i) std::this_thread::sleep_for(milliseconds(10));
  REQUIRE(says(kThird));
  files.put(file, "untouched");
  observer->stage_placed("train", {"", kThird});
  std::this_thread::sleep_for(milliseconds(1300));
  CHECK(says("untouched"));
  observer->run_finished({});
}

TEST_CASE("status shows the node of a running stage and why another waits", "[status]") {
  ClusterProject cluster;
  const PipelineStatus status = cluster.status();
  CHECK(status.title() == "p (/headway-test/project/p.yaml): 1 interrupted, 1 running, 1 waiting");
  const Names lines = status.lines(false);
  REQUIRE(lines.size() == 4);
  CHECK_THAT(lines[1], ContainsSubstring("  train  running      since ") &&
                           ContainsSubstring("): on n2, 42 % epoch 3"));
  CHECK(lines[2] == std::string("  eval   waiting      ") + kThird + ", attempt 2");
  CHECK(stage_of(status, "train").at("node") == "n2");
  CHECK_FALSE(stage_of(status, "train").contains("waiting"));
  CHECK(stage_of(status, "eval").at("waiting") == kThird);
  CHECK_FALSE(stage_of(status, "eval").contains("node"));
  CHECK(stage_of(status, "eval").contains("since"));
}

TEST_CASE("status shows what a run that has ended left on a cluster", "[status]") {
  ClusterProject cluster;
  CHECK(stage_of(cluster.status(), "left").at("state") == "interrupted");
  const DetachedStage left = cluster.left();
  const PipelineStatus status = cluster.status(
      {{digest_of("other"), "on n1 (job 8)", 1}, left, {cluster.project.key_of("train"), "", 1}});
  CHECK_THAT(status.lines(false)[3],
             ContainsSubstring("  left   detached  since ") &&
                 ContainsSubstring("): on n3 (job 9); run with --on slurm to take it over"));
  CHECK(stage_of(status, "left").at("since") == iso_time(1000 * left.since));
  CHECK(stage_of(status, "train").at("state") == "running");  // a run has taken it over
  cluster.project.write(
      "stages:\n  left: {uses: shell, outs: {o: o}, with: {run: \"other {out.o}\"}}\n");
  CHECK(stage_of(cluster.status({left}), "left").at("state") != "detached");
}

TEST_CASE("a detached stage whose result came meanwhile is fresh", "[status]") {
  Project project;
  project.write("stages:\n  left: {uses: shell, outs: {o: o}, with: {run: \"c {out.o}\"}}\n");
  REQUIRE(project.run().exit_code == 0);
  Store store(project.disk, project.outputs);
  const PipelineStatus status =
      status_of(project.load(), store, {{project.key_of("left"), "on n3 (job 9)", 1}});
  CHECK(stage_of(status, "left").at("state") == "fresh");
}

TEST_CASE("the index of all outputs counts what a cluster has or will run", "[status]") {
  ClusterProject cluster;
  const Path page =
      write_outputs_index(cluster.project.disk, cluster.project.outputs, [](const KnownPipeline&) {
        IndexNotes notes;
        notes.states = {{"train", "running"}, {"eval", "waiting"}, {"left", "detached"}};
        return notes;
      });
  CHECK_THAT(cluster.project.disk.read(page).value_or(""),
             ContainsSubstring("running</strong>: 2 stages, 1 queued<"));
}

TEST_CASE("waiting stages of a matrix share a line, and give way on a small screen", "[watch]") {
  PipelineStatus status{"p", "p.yaml", true, ""};
  status.stages.push_back({"train@1", "train", "waiting", "job 1 waits: Priority"});
  status.stages.push_back({"train@2", "train", "waiting", "job 2 waits: Priority"});
  status.stages.push_back({"train@3", "train", "running", "on n2"});
  const Names lines = status.lines(false);
  CHECK(lines == Names{"p (p.yaml): 1 running, 2 waiting",
                       "  train@… (2)  waiting  job 1 waits: Priority, … (--full)",
                       "  train@3      running  on n2"});
  CHECK(fit_screen(status.lines(true), 3, 80) ==
        Names{lines[0], "  train@3  running  on n2", "… 2 more lines"});
}

}  // namespace headway::testing
