#include "lib/observers/trace_observer.h"

#include "lib/base/json.h"

namespace headway {

TraceObserver::TraceObserver(const Path& folder) : folder_(folder), out_(folder / "trace.json") {
  out_ << "[\n";
}

std::int64_t TraceObserver::now_us() const {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin_).count();
}

void TraceObserver::write(const std::string& event) {
  out_ << event << ",\n";
  if (Clock::now() - flushed_ < std::chrono::milliseconds(200)) return;
  out_.flush();
  flushed_ = Clock::now();
}

void TraceObserver::run_started(const RunInfo& info) {
  info_ = info;
  write(to_line({{"name", "process_name"},
                 {"ph", "M"},
                 {"pid", 1},
                 {"args", {{"name", "headway " + info.pipeline}}}}));
  std::ofstream(folder_ / "summary.json")
      << to_line({{"pipeline", info.pipeline}, {"run", info.id}, {"stages", info.selected}})
      << "\n";
}

void TraceObserver::stage_started(const StageStart& start) {
  if (const auto again = running_.find(start.stage); again != running_.end())
    lanes_.erase(again->second.lane);  // another attempt
  int lane = 1;
  while (lanes_.contains(lane)) ++lane;
  lanes_.insert(lane);
  running_[start.stage] = {now_us(), lane, start.reason};
}

void TraceObserver::stage_progress(const std::string& stage, double fraction, const std::string&) {
  write(to_line({{"name", stage + " progress"},
                 {"ph", "C"},
                 {"pid", 1},
                 {"ts", now_us()},
                 {"args", {{"percent", 100 * fraction}}}}));
}

void TraceObserver::stage_finished(const StageReport& report) {
  const auto found = running_.find(report.stage);
  if (found == running_.end()) return;  // fresh or skipped: it took no time
  const Running& running = found->second;
  write(to_line({{"name", report.stage},
                 {"cat", status_name(report.status)},
                 {"ph", "X"},
                 {"pid", 1},
                 {"tid", running.lane},
                 {"ts", running.start_us},
                 {"dur", now_us() - running.start_us},
                 {"args",
                  {{"status", status_name(report.status)},
                   {"reason", running.reason},
                   {"key", report.key},
                   {"cpu_seconds", report.cpu_seconds},
                   {"peak_memory_bytes", report.peak_memory},
                   {"message", report.message}}}}));
  lanes_.erase(running.lane);
  running_.erase(found);
}

void TraceObserver::run_finished(const RunSummary& summary) {
  out_ << to_line({{"name", "run"},
                   {"ph", "X"},
                   {"pid", 1},
                   {"tid", 0},
                   {"ts", 0},
                   {"dur", now_us()},
                   {"args", {{"exit_code", summary.exit_code}, {"fresh", summary.fresh}}}})
       << "\n]\n";
  out_.flush();
  std::ofstream(folder_ / "summary.json") << to_line({{"pipeline", info_.pipeline},
                                                      {"run", info_.id},
                                                      {"stages", info_.selected},
                                                      {"seconds", summary.seconds},
                                                      {"done", summary.done},
                                                      {"fresh", summary.fresh},
                                                      {"failed", summary.failed},
                                                      {"interrupted", summary.cancelled},
                                                      {"skipped", summary.skipped},
                                                      {"not_started", summary.not_started},
                                                      {"exit_code", summary.exit_code}})
                                          << "\n";
}

}  // namespace headway
