// Records the events of a run, and calls back, for tests that act meanwhile.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "lib/run/observer.h"

namespace headway::testing {

class RecordingObserver final : public Observer {
 public:
  // One line for each event, in order: "start a", "done a", "warning …", "finish".
  std::vector<std::string> events();
  std::vector<std::string> warnings();
  std::vector<StageStart> starts();
  std::map<std::string, StageEnd> reports();  // the last one on each stage
  std::vector<Headline> headlines();
  std::vector<VariationEnd> variation_ends();
  RunInfo info();
  RunSummary summary();

  // Called with every event's line, without a lock, on the thread that sent it. Set it before the
  // run.
  std::function<void(const std::string& event)> when;

  void run_started(const RunInfo& info) override;
  void stage_started(const StageStart& start) override;
  void stage_progress(const std::string& stage, double fraction, const std::string& words) override;
  void stage_finished(const StageEnd& report) override;
  void headline_changed(const Headline& headline) override;
  void variation_finished(const VariationEnd& end) override;
  void warning(const std::string& text) override;
  void run_finished(const RunSummary& summary) override;

 private:
  template <class Keep>
  void note(const std::string& event, Keep keep);

  std::mutex mutex_;
  std::vector<std::string> events_;
  std::vector<std::string> warnings_;
  std::vector<StageStart> starts_;
  std::map<std::string, StageEnd> reports_;
  std::vector<Headline> headlines_;
  std::vector<VariationEnd> variation_ends_;
  RunInfo info_;
  RunSummary summary_;
};

}  // namespace headway::testing
