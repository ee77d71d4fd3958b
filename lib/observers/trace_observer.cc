#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <map>
#include <vector>

#include "lib/base/json.h"
#include "lib/observers/messages.h"
#include "lib/observers/observers.h"

namespace headway {
namespace {

class TraceObserver final : public Observer {
 public:
  explicit TraceObserver(const Path& folder) : folder_(folder), out_(folder / "trace.json") {
    out_ << "[\n";
  }

  void run_started(const RunInfo& info) override {
    info_ = info;
    write_name(kHere, "headway " + info.pipeline);
    write_summary(Json::object());
  }

  void stage_started(const StageStart& start) override {
    if (const auto again = running_.find(start.stage); again != running_.end())
      end_early(start.stage, again->second, "retried", now_us());
    Running& running = running_[start.stage] = {now_us(), start.reason};
    enter_lane(kHere, running);
  }

  // On a cluster a stage has its bar on its node, from when it began there.
  void stage_placed(const std::string& stage, const JobPlace& place) override {
    const auto found = running_.find(stage);
    if (found == running_.end()) return;
    Running& running = found->second;
    if (running.is_placed && running.node == place.node) return;  // it moved up in the queue
    if (running.node.empty()) running.waited_us += now_us() - running.start_us;
    if (running.node.empty())
      leave_lane(running);  // it only waited
    else
      end_early(stage, running, "moved", now_us());
    running.is_placed = true;
    running.node = place.node;
    running.start_us = now_us();
    if (!place.node.empty()) enter_lane(process_of(place.node), running);
  }

  void stage_progress(const std::string& stage, double fraction, const std::string&) override {
    if (fraction < 0) return;  // it has no place on a curve
    const auto found = running_.find(stage);
    write({{"name", stage + " progress"},
           {"ph", "C"},
           {"pid", found == running_.end() ? kHere : found->second.process},
           {"ts", now_us()},
           {"args", {{"percent", 100 * fraction}}}});
  }

  void stage_finished(const StageEnd& end) override {
    const auto found = running_.find(end.stage);
    if (found == running_.end()) return;  // fresh or skipped: it took no time
    Running& running = found->second;
    if (!end.node.empty() && running.node != end.node) put_on_node(end, running);
    if (running.lane > 0) write_end(running, end);  // else it waited to the end
    leave_lane(running);
    running_.erase(found);
  }

  void run_finished(const RunSummary& summary) override {
    out_ << to_line({{"name", "run"},
                     {"ph", "X"},
                     {"pid", kHere},
                     {"tid", 0},
                     {"ts", 0},
                     {"dur", now_us()},
                     {"args", {{"exit_code", summary.exit_code}, {"fresh", summary.fresh}}}})
         << "\n]\n";
    out_.flush();
    write_summary(summary_json(summary));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kHere = 1;  // the viewers' number of what runs on this machine
  static constexpr std::int64_t kTaken = std::numeric_limits<std::int64_t>::max();
  struct Running {
    std::int64_t start_us = 0;
    std::string reason = {};
    int process = kHere;
    int lane = 0;            // the row in its process; 0: none
    bool is_placed = false;  // it is a job of a cluster
    std::string node = {};
    std::int64_t waited_us = 0;  // for nodes
  };

  // The first row that has been free since the stage began.
  void enter_lane(int process, Running& running) {
    std::vector<std::int64_t>& free_since = lanes_[process];
    auto row = std::ranges::find_if(free_since,
                                    [&](std::int64_t since) { return since <= running.start_us; });
    if (row == free_since.end()) row = free_since.insert(row, 0);
    *row = kTaken;
    running.process = process;
    running.lane = 1 + static_cast<int>(row - free_since.begin());
  }

  void leave_lane(Running& running) {
    if (running.lane == 0) return;
    lanes_[running.process][static_cast<std::size_t>(running.lane - 1)] = now_us();
    running.lane = 0;
  }

  // An attempt that did not end, but was started again or went to another node.
  void end_early(const std::string& stage, Running& running, const char* status,
                 std::int64_t end_us) {
    if (running.lane > 0)
      write_bar(stage, running, end_us, {{"status", status}, {"reason", running.reason}});
    leave_lane(running);
  }

  // For a stage that began on this node unnoticed: by its duration. What began before the run is
  // drawn from the start of the run, as viewers drop negative times.
  void put_on_node(const StageEnd& end, Running& running) {
    const std::int64_t now = now_us();
    const std::int64_t start =
        std::clamp<std::int64_t>(now - static_cast<std::int64_t>(end.seconds * 1e6), 0, now);
    if (running.node.empty()) {
      running.waited_us += std::max<std::int64_t>(0, start - running.start_us);
      leave_lane(running);
    } else {
      end_early(end.stage, running, "moved", std::max(start, running.start_us));
    }
    running.is_placed = true;
    running.node = end.node;
    running.start_us = start;
    enter_lane(process_of(end.node), running);
  }

  // Viewers show a node as a process, with lanes of its own.
  int process_of(const std::string& node) {
    const auto [found, is_new] =
        processes_.emplace(node, kHere + 1 + static_cast<int>(processes_.size()));
    if (is_new) write_name(found->second, node);
    return found->second;
  }

  void write_name(int process, const std::string& name) {
    write({{"name", "process_name"}, {"ph", "M"}, {"pid", process}, {"args", {{"name", name}}}});
  }

  void write_end(const Running& running, const StageEnd& end) {
    write_bar(end.stage, running, now_us(),
              {{"status", name_of(end.status)},
               {"reason", running.reason},
               {"key", end.key},
               {"cpu_seconds", end.cpu_seconds},
               {"peak_memory_bytes", end.peak_memory},
               {"message", end.message}});
  }

  void write_bar(const std::string& stage, const Running& running, std::int64_t end_us, Json args) {
    const Json status = args["status"];
    if (running.is_placed) args["waiting_seconds"] = static_cast<double>(running.waited_us) / 1e6;
    write({{"name", stage},
           {"cat", status},
           {"ph", "X"},
           {"pid", running.process},
           {"tid", running.lane},
           {"ts", running.start_us},
           {"dur", end_us - running.start_us},
           {"args", std::move(args)}});
  }

  std::int64_t now_us() const {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin_).count();
  }

  void write(const Json& event) {
    out_ << to_line(event) << ",\n";
    if (Clock::now() - flushed_ < std::chrono::milliseconds(200)) return;
    out_.flush();
    flushed_ = Clock::now();
  }

  void write_summary(Json summary) {
    summary.update({{"pipeline", info_.pipeline}, {"run", info_.id}, {"stages", info_.selected}});
    std::ofstream(folder_ / "summary.json") << to_line(summary) << "\n";
  }

  const Path folder_;
  const Clock::time_point begin_ = Clock::now();
  std::ofstream out_;
  Clock::time_point flushed_ = begin_;
  RunInfo info_;
  std::map<std::string, Running> running_;
  std::map<std::string, int> processes_;  // of nodes
  // Since when each row of a process is free; kTaken: it is not.
  std::map<int, std::vector<std::int64_t>> lanes_;
};

}  // namespace

std::unique_ptr<Observer> make_trace_observer(const Path& folder) {
  return std::make_unique<TraceObserver>(folder);
}

}  // namespace headway
