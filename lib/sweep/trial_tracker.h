// An observer that forwards the runner's events and adds the progress of the trials: how many are
// finished, running and failed, the time left, and the best so far.
#pragma once

#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/run/observer.h"
#include "lib/store/store.h"
#include "lib/sweep/sweep_pipeline.h"
#include "lib/sweep/trials_progress.h"

namespace headway {

class TrialTracker final : public Observer {
 public:
  TrialTracker(const SweepPipeline& sweep_pipeline, Store& store, Observer& next);

  void run_started(const RunInfo& info) override;
  void stage_started(const StageStart& start) override;
  void stage_progress(const std::string& stage, double fraction, const std::string& words) override;
  void stage_finished(const StageEnd& report) override;
  void warning(const std::string& text) override { next_.warning(text); }
  void run_finished(const RunSummary& summary) override { next_.run_finished(summary); }

  TrialsProgress progress() const;

 private:
  struct Follow {
    std::size_t left = 0;     // stages that have not ended
    std::size_t running = 0;  // of these, running now
    bool failed = false;
    double value = std::numeric_limits<double>::quiet_NaN();  // of the objective
  };
  // Stages of the same name, in all trials.
  struct Family {
    double seconds = 0;  // total of those that ran in this run
    std::size_t done = 0;
    std::size_t left = 0;
    double cpus_left = 0;  // total cpus of those left
  };

  void end_stage(std::size_t stage, const StageEnd& report);
  // NaN where the stage is not that of the objective, or has no such number.
  double objective_in(std::size_t stage, const std::string& key) const;
  void consider(std::size_t trial);  // as the best so far
  double cpus_of(std::size_t stage) const;
  double seconds_left() const;
  TrialsProgress current() const;  // expects mutex_ to be held

  const SweepPipeline& sweep_pipeline_;
  Store& store_;
  Observer& next_;
  std::unordered_map<std::string, std::size_t> stage_of_name_;
  std::vector<std::vector<std::size_t>> trials_of_stage_;
  std::vector<std::size_t> family_of_stage_;
  std::vector<bool> has_objective_;  // by stage
  std::string objective_metric_;     // its name in those stages' metrics

  mutable std::mutex mutex_;  // guards all members below
  std::vector<Follow> trials_;
  std::vector<bool> ended_;                // by stage
  std::map<std::size_t, double> running_;  // by stage: the share done
  std::vector<Family> families_;
  int cpus_ = 1;
  TrialsProgress told_;
};

}  // namespace headway
