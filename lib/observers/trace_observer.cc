#include <chrono>
#include <fstream>
#include <map>
#include <set>

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
    write({{"name", "process_name"},
           {"ph", "M"},
           {"pid", 1},
           {"args", {{"name", "headway " + info.pipeline}}}});
    write_summary(Json::object());
  }

  void stage_started(const StageStart& start) override {
    if (const auto again = running_.find(start.stage); again != running_.end())
      lanes_.erase(again->second.lane);  // another attempt
    int lane = 1;
    while (lanes_.contains(lane)) ++lane;
    lanes_.insert(lane);
    running_[start.stage] = {now_us(), lane, start.reason};
  }

  void stage_progress(const std::string& stage, double fraction, const std::string&) override {
    if (fraction < 0) return;  // it has no place on a curve
    write({{"name", stage + " progress"},
           {"ph", "C"},
           {"pid", 1},
           {"ts", now_us()},
           {"args", {{"percent", 100 * fraction}}}});
  }

  void stage_finished(const StageEnd& end) override {
    const auto found = running_.find(end.stage);
    if (found == running_.end()) return;  // fresh or skipped: it took no time
    const Running& running = found->second;
    write({{"name", end.stage},
           {"cat", name_of(end.status)},
           {"ph", "X"},
           {"pid", 1},
           {"tid", running.lane},
           {"ts", running.start_us},
           {"dur", now_us() - running.start_us},
           {"args",
            {{"status", name_of(end.status)},
             {"reason", running.reason},
             {"key", end.key},
             {"cpu_seconds", end.cpu_seconds},
             {"peak_memory_bytes", end.peak_memory},
             {"message", end.message}}}});
    lanes_.erase(running.lane);
    running_.erase(found);
  }

  void run_finished(const RunSummary& summary) override {
    out_ << to_line({{"name", "run"},
                     {"ph", "X"},
                     {"pid", 1},
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
  struct Running {
    std::int64_t start_us;
    int lane;
    std::string reason;
  };

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
  std::set<int> lanes_;  // rows of the picture that are taken
};

}  // namespace

std::unique_ptr<Observer> make_trace_observer(const Path& folder) {
  return std::make_unique<TraceObserver>(folder);
}

}  // namespace headway
