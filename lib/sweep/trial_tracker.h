// The progress of a sweep's trials: how many are finished, running and failed, the time left, and
// the best so far.
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
#include "lib/sweep/trial_table.h"

namespace headway {

// A trial is finished when all its stages are, and failed when one has failed.
struct TrialsProgress {
  std::size_t total = 0, finished = 0, failed = 0, running = 0;
  double seconds_left = 0;  // 0: not known yet
  std::string objective;    // "evaluate.greedy"; empty: none
  std::string best;         // the best trial so far; empty: none yet
  double best_value = 0;

  std::size_t left() const { return total - finished - failed - running; }
};

// "12 of 36 trials finished, 2 running, 1 failed, 21 left, about 14 min left; best …"
std::string trials_text(const TrialsProgress& progress);

// The text, and the event "trials".
Headline headline_of(const TrialsProgress& progress);

// A finished trial: its name, then what it reached, the objective and expected metrics first.
// "n_heads=4,seed=2: evaluate.greedy 0.98, train.loss 0.031"
VariationEnd end_of_trial(const TrialResult& trial, const std::vector<std::string>& leading);

// Sets the number of trials in `info`.
void announce_trials(std::size_t trials, RunInfo& info);

// An observer that forwards the runner's events and adds the progress of the trials.
class TrialTracker final : public Observer {
 public:
  TrialTracker(const SweepPipeline& sweep_pipeline, Store& store, Observer& next);

  void run_started(const RunInfo& info) override;
  void stage_started(const StageStart& start) override;
  void stage_progress(const std::string& stage, double fraction, const std::string& words) override;
  void stage_placed(const std::string& stage, const JobPlace& place) override {
    next_.stage_placed(stage, place);
  }
  void stage_finished(const StageEnd& end) override;
  void warning(const std::string& text) override { next_.warning(text); }
  void run_finished(const RunSummary& summary) override { next_.run_finished(summary); }

  TrialsProgress progress() const;

 private:
  struct TrialState {
    std::size_t left = 0;     // stages that have not ended
    std::size_t running = 0;  // of these, running now
    bool failed = false;
    bool ran = false;                                         // some stage of it ran now
    double value = std::numeric_limits<double>::quiet_NaN();  // of the objective
  };
  struct TrackedStage {
    const StageSpec* spec = nullptr;
    std::vector<std::size_t> trials = {};  // that have it; none: one of the sweep's own stages
    std::string objective = {};            // the metric, if it is one of this stage
    bool has_ended = false;
    std::string key = {};  // of its result
  };
  // Stages of the same name, in all trials.
  struct Family {
    double seconds = 0;  // total of those that ran in this run
    std::size_t done = 0;
    std::size_t left = 0;
    double cpus_left = 0;  // total cpus of those left

    double mean_seconds() const { return seconds / static_cast<double>(done); }
  };

  // All expect mutex_ to be held.
  void end_stage(TrackedStage& stage, const StageEnd& end);
  void fail_trial(std::size_t trial);
  // NaN where the stage is not that of the objective, or has no such number.
  double objective_in(const TrackedStage& stage, const std::string& key) const;
  void finish_trial(std::size_t trial);
  void consider(std::size_t trial);  // as the best so far
  double amount_of(std::size_t trial) const;
  double cpus_of(const TrackedStage& stage) const;
  double seconds_left() const;
  TrialsProgress current() const;

  const SweepPipeline& sweep_pipeline_;
  Store& store_;
  Observer& next_;
  std::vector<std::string> leading_;  // metrics

  mutable std::mutex mutex_;  // guards all members below
  std::unordered_map<std::string, TrackedStage> stages_;
  std::vector<TrialState> trials_;
  std::map<std::string, double> running_;  // by stage: the share done
  std::map<std::string, Family> families_;
  int cpus_ = 1;
  TrialsProgress progress_;  // without seconds_left
  double best_amount_ = 0;   // of the resource, that progress_.best had
};

}  // namespace headway
