// A run as a trace for the Chrome or Perfetto viewer, and as a summary for `headway show`. Written
// as it happens: what a killed run did is there too, because the viewers accept a list without its
// end.
#pragma once

#include <chrono>
#include <fstream>
#include <map>
#include <set>

#include "lib/run/observer.h"

namespace headway {

class TraceObserver final : public Observer {
 public:
  // Into runs/<id>/trace.json and summary.json.
  explicit TraceObserver(const Path& folder);

  void run_started(const RunInfo& info) override;
  void stage_started(const StageStart& start) override;
  void stage_progress(const std::string& stage, double fraction, const std::string& words) override;
  void stage_finished(const StageReport& report) override;
  void run_finished(const RunSummary& summary) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    std::int64_t start_us;
    int lane;
    std::string reason;
  };
  std::int64_t now_us() const;
  void write(const std::string& event);

  const Path folder_;
  const Clock::time_point begin_ = Clock::now();
  std::ofstream out_;
  Clock::time_point flushed_ = begin_;
  RunInfo info_;
  std::map<std::string, Running> running_;
  std::set<int> lanes_;  // rows of the picture that are taken
};

}  // namespace headway
