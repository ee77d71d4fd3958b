#include "lib/sweep/trial_tracker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/index.h"
#include "lib/base/text.h"
#include "lib/sweep/trial_table.h"

namespace headway {

std::string trials_text(const TrialsProgress& progress) {
  std::string text = fmt::format("{} of {} trials finished", progress.finished, progress.total);
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(progress.running, "running");
  add(progress.failed, "failed");
  add(progress.left(), "left");
  if (progress.seconds_left > 0.5 && progress.finished + progress.failed < progress.total)
    text += fmt::format(", about {} left", format_seconds(progress.seconds_left));
  if (!progress.best.empty())
    text += fmt::format("; best {}: {} {:.4g}", printable(progress.best),
                        printable(progress.objective), progress.best_value);
  return text;
}

Headline headline_of(const TrialsProgress& progress) {
  Json event = {{"event", "trials"},
                {"total", progress.total},
                {"finished", progress.finished},
                {"running", progress.running},
                {"failed", progress.failed},
                {"left", progress.left()},
                {"seconds_left", progress.seconds_left}};
  if (!progress.best.empty()) {
    event["best"] = progress.best;
    event["objective"] = progress.objective;
    event["best_value"] = progress.best_value;
  }
  return {trials_text(progress), progress.finished + progress.failed, std::move(event)};
}

VariationEnd end_of_trial(const TrialResult& trial, const std::vector<std::string>& leading) {
  constexpr std::size_t kMost = 4;  // metrics, for people
  const Table table = trial_table({trial}, leading), all = trial_table({trial}, {});
  std::vector<std::string> names = metrics_of(table);
  std::erase_if(names, [&](const std::string& name) { return table.text(0, name).empty(); });
  if (names.empty()) names = metrics_of(all);
  names.resize(std::min(names.size(), kMost));
  std::vector<std::string> parts;
  for (const std::string& name : names)
    parts.push_back(
        fmt::format("{} {:.4g}", name, (table.has(name) ? table : all).number(0, name)));
  Json metrics = Json::object();
  for (const std::string& name : metrics_of(all)) metrics[name] = all.number(0, name);
  return {parts.empty() ? trial.name + " finished" : trial.name + ": " + join(parts, ", "),
          {{"event", "trial-finished"}, {"trial", trial.name}, {"metrics", std::move(metrics)}}};
}

void announce_trials(std::size_t trials, RunInfo& info) {
  info.variations = count_of(trials, "trial");
  info.fields = {{"trials", trials}};
}

TrialTracker::TrialTracker(const SweepPipeline& sweep_pipeline, Store& store, Observer& next)
    : sweep_pipeline_(sweep_pipeline),
      store_(store),
      next_(next),
      trials_(sweep_pipeline.trials.size()) {
  const PipelineSpec& pipeline = sweep_pipeline.pipeline;
  for (const StageSpec& spec : pipeline.stages) stages_[spec.name].spec = &spec;
  for (std::size_t trial = 0; trial < trials_.size(); ++trial) {
    const std::vector<StagePlace>& places = sweep_pipeline.trials[trial].stages;
    trials_[trial].left = places.size();
    std::vector<std::string> names;
    for (const StagePlace& place : places) names.push_back(place.name);
    const auto objective = split_metric(sweep_pipeline.sweep.objective, names);
    for (const StagePlace& place : places) {
      TrackedStage& stage = stages_[pipeline.stages[place.stage].name];
      stage.trials.push_back(trial);
      if (objective && place.name == objective->first) stage.objective = objective->second;
    }
  }
  if (!sweep_pipeline.sweep.objective.empty()) leading_ = {sweep_pipeline.sweep.objective};
  for (const std::string& metric : expected_metrics(sweep_pipeline)) place_of(metric, leading_);
  for (const std::string& metric : sweep_pipeline.sweep.metrics) place_of(metric, leading_);
  progress_.total = trials_.size();
  progress_.objective = sweep_pipeline.sweep.objective;
}

void TrialTracker::run_started(const RunInfo& info) {
  {
    const std::lock_guard lock(mutex_);
    cpus_ = std::max(1, info.cpus);
    for (const auto& [name, stage] : stages_) {
      if (stage.trials.empty()) continue;
      Family& family = families_[stage.spec->family];
      ++family.left;
      family.cpus_left += cpus_of(stage);
    }
  }
  RunInfo with_trials = info;
  announce_trials(trials_.size(), with_trials);
  next_.run_started(with_trials);
}

void TrialTracker::stage_started(const StageStart& start) {
  next_.stage_started(start);
  const std::lock_guard lock(mutex_);  // held while notifying, so that states arrive in order
  const auto stage = stages_.find(start.stage);
  if (stage == stages_.end()) return;
  const bool again = !running_.emplace(start.stage, 0).second;
  for (const std::size_t trial : stage->second.trials) {
    if (!again && trials_[trial].running++ == 0 && !trials_[trial].failed) ++progress_.running;
  }
  next_.headline_changed(headline_of(current()));
}

void TrialTracker::stage_progress(const std::string& stage, double fraction,
                                  const std::string& words) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = running_.find(stage);
    if (found != running_.end()) found->second = std::clamp(fraction, 0.0, 1.0);
  }
  next_.stage_progress(stage, fraction, words);
}

void TrialTracker::stage_finished(const StageEnd& end) {
  next_.stage_finished(end);
  const std::lock_guard lock(mutex_);
  const auto stage = stages_.find(end.stage);
  if (stage == stages_.end()) return;
  if (!std::exchange(stage->second.has_ended, true)) end_stage(stage->second, end);
  next_.headline_changed(headline_of(current()));
}

void TrialTracker::end_stage(TrackedStage& stage, const StageEnd& end) {
  const bool ran = running_.erase(end.stage) > 0;
  Family& family = families_[stage.spec->family];
  if (!stage.trials.empty()) {
    --family.left;
    family.cpus_left -= cpus_of(stage);
  }
  if (end.status == StageStatus::kDone) {
    family.seconds += end.seconds;
    ++family.done;
  }
  const bool good = end.status == StageStatus::kDone || end.status == StageStatus::kFresh;
  const double value = objective_in(stage, good ? end.key : "");
  stage.key = end.key;
  for (const std::size_t index : stage.trials) {
    TrialState& trial = trials_[index];
    trial.ran = trial.ran || ran;
    if (ran && --trial.running == 0 && !trial.failed) --progress_.running;
    if (!std::isnan(value)) {
      trial.value = value;
      consider(index);
    }
    if (end.status == StageStatus::kCancelled) continue;
    --trial.left;
    if (trial.failed) continue;
    if (!good) fail_trial(index);
    if (good && trial.left == 0) finish_trial(index);
  }
}

// Trials that were fresh before are only counted. Of very many, only the progress is told.
void TrialTracker::finish_trial(std::size_t trial) {
  constexpr std::size_t kMostTold = 200;
  ++progress_.finished;
  if (!trials_[trial].ran || trials_.size() > kMostTold) return;
  const SweepTrial& finished = sweep_pipeline_.trials[trial];
  TrialResult result{finished.trial.name, finished.trial.overrides, {}, kTrialDone};
  for (const StagePlace& place : finished.stages) {
    const StageSpec& spec = sweep_pipeline_.pipeline.stages[place.stage];
    const std::optional<Digest> key = Digest::from_hex(stages_.at(spec.name).key);
    const std::optional<Record> record =
        key && spec.has_metrics() ? store_.read_record(*key) : std::nullopt;
    if (record) result.metrics[place.name] = read_metrics(store_, *record);
  }
  next_.variation_finished(end_of_trial(result, leading_));
}

void TrialTracker::fail_trial(std::size_t trial) {
  trials_[trial].failed = true;
  ++progress_.failed;
  if (trials_[trial].running > 0) --progress_.running;
  if (progress_.best != sweep_pipeline_.trials[trial].trial.name) return;
  progress_.best.clear();  // what fails later is not the best
  for (std::size_t other = 0; other < trials_.size(); ++other) consider(other);
}

double TrialTracker::objective_in(const TrackedStage& stage, const std::string& key) const {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const std::optional<Digest> digest = Digest::from_hex(key);
  if (!digest || stage.objective.empty()) return kNone;
  const std::optional<Record> record = store_.read_record(*digest);
  if (!record) return kNone;
  TrialResult result;
  const std::string& name = stage.spec->family;
  result.metrics[name] = read_metrics(store_, *record);
  return metric_of(result, name + "." + stage.objective).value_or(kNone);
}

// Of the resource of successive halving; 0 if there is none.
double TrialTracker::amount_of(std::size_t trial) const {
  for (const Assignment& change : sweep_pipeline_.trials[trial].trial.overrides) {
    const bool is_resource = change.path == sweep_pipeline_.sweep.resource;
    if (is_resource) return parse_number(change.value.plain()).value_or(0);
  }
  return 0;
}

void TrialTracker::consider(std::size_t trial) {
  const double value = trials_[trial].value;
  if (std::isnan(value) || trials_[trial].failed) return;
  const bool better =
      sweep_pipeline_.sweep.maximise ? value > progress_.best_value : value < progress_.best_value;
  // Of successive halving, the trials with most of the resource are the ones to compare.
  const double amount = amount_of(trial);
  const bool counts = amount == best_amount_ ? better : amount > best_amount_;
  if (!progress_.best.empty() && !counts) return;
  best_amount_ = amount;
  progress_.best = sweep_pipeline_.trials[trial].trial.name;
  progress_.best_value = value;
}

double TrialTracker::cpus_of(const TrackedStage& stage) const {
  return std::min(stage.spec->resources.cpus, cpus_);
}

// Estimated from the same stages in other trials, divided among the cpus. Unknown until every kind
// of stage has run once.
double TrialTracker::seconds_left() const {
  double work = 0;
  for (const auto& [name, family] : families_) {
    if (family.left == 0) continue;
    if (family.done == 0) return 0;
    work += family.mean_seconds() * family.cpus_left;
  }
  for (const auto& [name, share] : running_) {
    const TrackedStage& stage = stages_.at(name);
    const auto family = families_.find(stage.spec->family);
    if (family != families_.end() && family->second.done > 0)
      work -= share * family->second.mean_seconds() * cpus_of(stage);
  }
  return std::max(0.0, work) / cpus_;
}

TrialsProgress TrialTracker::progress() const {
  const std::lock_guard lock(mutex_);
  return current();
}

TrialsProgress TrialTracker::current() const {
  TrialsProgress now = progress_;
  now.seconds_left = seconds_left();
  return now;
}

}  // namespace headway
