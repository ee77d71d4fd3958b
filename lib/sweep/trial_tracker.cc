#include "lib/sweep/trial_tracker.h"

#include <algorithm>
#include <cmath>

#include "lib/run/metrics.h"
#include "lib/sweep/trial_table.h"

namespace headway {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> names_in(const SweepTrial& trial) {
  std::vector<std::string> names;
  for (const StagePlace& place : trial.stages) names.push_back(place.name);
  return names;
}

}  // namespace

TrialTracker::TrialTracker(const SweepPipeline& sweep_pipeline, Store& store, Observer& next)
    : sweep_pipeline_(sweep_pipeline),
      store_(store),
      next_(next),
      trials_of_stage_(sweep_pipeline.pipeline.stages.size()),
      has_objective_(sweep_pipeline.pipeline.stages.size(), false),
      trials_(sweep_pipeline.trials.size()),
      ended_(sweep_pipeline.pipeline.stages.size(), false) {
  std::unordered_map<std::string, std::size_t> families;
  for (std::size_t i = 0; i < sweep_pipeline.pipeline.stages.size(); ++i) {
    const StageSpec& stage = sweep_pipeline.pipeline.stages[i];
    stage_of_name_[stage.name] = i;
    family_of_stage_.push_back(families.emplace(stage.family, families.size()).first->second);
  }
  families_.resize(families.size());
  for (std::size_t trial = 0; trial < sweep_pipeline.trials.size(); ++trial) {
    const SweepTrial& planned = sweep_pipeline.trials[trial];
    trials_[trial].left = planned.stages.size();
    const auto objective = split_metric(sweep_pipeline.sweep.objective, names_in(planned));
    for (const StagePlace& place : planned.stages) {
      trials_of_stage_[place.stage.value()].push_back(trial);
      if (objective && place.name == objective->first) has_objective_[place.stage.value()] = true;
    }
    if (objective) objective_metric_ = objective->second;
  }
  told_.total = sweep_pipeline.trials.size();
  told_.objective = sweep_pipeline.sweep.objective;
}

void TrialTracker::run_started(const RunInfo& info) {
  cpus_ = std::max(1, info.cpus);
  for (std::size_t stage = 0; stage < ended_.size(); ++stage) {
    if (trials_of_stage_[stage].empty()) continue;  // one of the sweep's own stages
    ++families_[family_of_stage_[stage]].left;
    families_[family_of_stage_[stage]].cpus_left += cpus_of(stage);
  }
  RunInfo with_trials = info;
  announce_trials(sweep_pipeline_.trials.size(), with_trials);
  next_.run_started(with_trials);
}

void TrialTracker::stage_started(const StageStart& start) {
  next_.stage_started(start);
  const std::lock_guard lock(mutex_);  // held while notifying, so that states arrive in order
  const auto stage = stage_of_name_.find(start.stage);
  if (stage == stage_of_name_.end()) return;
  const bool again = !running_.emplace(stage->second, 0).second;
  for (const std::size_t trial : trials_of_stage_[stage->second]) {
    if (!again && trials_[trial].running++ == 0 && !trials_[trial].failed) ++told_.running;
  }
  next_.headline_changed(headline_of(current()));
}

void TrialTracker::stage_progress(const std::string& stage, double fraction,
                                  const std::string& words) {
  {
    const std::lock_guard lock(mutex_);
    const auto index = stage_of_name_.find(stage);
    const auto found =
        index == stage_of_name_.end() ? running_.end() : running_.find(index->second);
    if (found != running_.end()) found->second = std::clamp(fraction, 0.0, 1.0);
  }
  next_.stage_progress(stage, fraction, words);
}

void TrialTracker::stage_finished(const StageEnd& report) {
  next_.stage_finished(report);
  const std::lock_guard lock(mutex_);
  const auto stage = stage_of_name_.find(report.stage);
  if (stage == stage_of_name_.end()) return;
  end_stage(stage->second, report);
  next_.headline_changed(headline_of(current()));
}

void TrialTracker::end_stage(std::size_t stage, const StageEnd& report) {
  if (ended_[stage]) return;
  ended_[stage] = true;
  const bool ran = running_.erase(stage) > 0;
  Family& family = families_[family_of_stage_[stage]];
  if (!trials_of_stage_[stage].empty()) {
    --family.left;
    family.cpus_left -= cpus_of(stage);
  }
  if (report.status == StageStatus::kDone) {
    family.seconds += report.seconds;
    ++family.done;
  }
  const bool good = report.status == StageStatus::kDone || report.status == StageStatus::kFresh;
  const bool cancelled = report.status == StageStatus::kCancelled;
  const double value = good ? objective_in(stage, report.key) : kNone;
  for (const std::size_t trial : trials_of_stage_[stage]) {
    Follow& follow = trials_[trial];
    if (ran && --follow.running == 0 && !follow.failed) --told_.running;
    if (!std::isnan(value)) {
      follow.value = value;
      consider(trial);
    }
    if (cancelled) continue;
    --follow.left;
    if (!good && !follow.failed) {
      follow.failed = true;
      ++told_.failed;
      if (told_.best ==
          sweep_pipeline_.trials[trial].trial.name) {  // what fails later is not the best
        told_.best.clear();
        for (std::size_t other = 0; other < trials_.size(); ++other) consider(other);
      }
      if (follow.running > 0) --told_.running;
    } else if (follow.left == 0 && !follow.failed) {
      ++told_.finished;
    }
  }
}

double TrialTracker::objective_in(std::size_t stage, const std::string& key) const {
  if (!has_objective_[stage]) return kNone;
  const std::optional<Digest> digest = Digest::from_hex(key);
  const std::optional<Record> record = digest ? store_.read_record(*digest) : std::nullopt;
  if (!record) return kNone;
  TrialResult result;
  const std::string& name = sweep_pipeline_.pipeline.stages[stage].family;
  result.metrics[name] = read_metrics(store_, *record);
  return metric_of(result, name + "." + objective_metric_).value_or(kNone);
}

void TrialTracker::consider(std::size_t trial) {
  const double value = trials_[trial].value;
  if (std::isnan(value) || trials_[trial].failed) return;
  const bool better =
      sweep_pipeline_.sweep.maximise ? value > told_.best_value : value < told_.best_value;
  if (!told_.best.empty() && !better) return;
  told_.best = sweep_pipeline_.trials[trial].trial.name;
  told_.best_value = value;
}

double TrialTracker::cpus_of(std::size_t stage) const {
  return std::min(sweep_pipeline_.pipeline.stages[stage].resources.cpus, cpus_);
}

// Estimated from the same stages in other trials, divided among the cpus. Unknown until every kind
// of stage has run once.
double TrialTracker::seconds_left() const {
  double work = 0;
  for (const Family& family : families_) {
    if (family.left == 0) continue;
    if (family.done == 0) return 0;
    work += family.seconds / static_cast<double>(family.done) * family.cpus_left;
  }
  for (const auto& [stage, share] : running_) {
    const Family& family = families_[family_of_stage_[stage]];
    if (family.done > 0)
      work -= share * family.seconds / static_cast<double>(family.done) * cpus_of(stage);
  }
  return std::max(0.0, work) / cpus_;
}

TrialsProgress TrialTracker::progress() const {
  const std::lock_guard lock(mutex_);
  return current();
}

TrialsProgress TrialTracker::current() const {
  TrialsProgress now = told_;
  now.seconds_left = seconds_left();
  return now;
}

}  // namespace headway
