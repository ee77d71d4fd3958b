#include "lib/sweep/successive_halving.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/spec/overrides.h"

namespace headway {
namespace {

// Trials that differ only in their seeds.
struct Configuration {
  std::string name;
  std::vector<Trial> trials;
};

std::vector<Configuration> configurations_of(const std::vector<Trial>& trials) {
  std::vector<Configuration> configurations;
  std::unordered_map<std::string, std::size_t> places;
  for (const Trial& trial : trials) {
    std::vector<Assignment> own;
    for (const Assignment& assignment : trial.overrides) {
      if (!is_replicate(assignment.path)) own.push_back(assignment);
    }
    const bool plain = trial.name == folder_name(trial.overrides);  // else it is ambiguous
    const std::string name = plain ? folder_name(own) : longer_folder_name(own);
    const auto [place, is_new] = places.emplace(name, configurations.size());
    if (is_new) configurations.push_back({name, {}});
    configurations[place->second].trials.push_back(trial);
  }
  return configurations;
}

// The objective by trial; failed trials have none.
using Objectives = std::unordered_map<std::string, double>;

Objectives objectives_of(const std::vector<TrialResult>& results, const std::string& objective) {
  Objectives objectives;
  for (const TrialResult& result : results) {
    const std::optional<double> value = metric_of(result, objective);
    if (value && std::isfinite(*value) && result.status != kTrialFailed)
      objectives.emplace(result.name, *value);
  }
  return objectives;
}

// If the stage never writes the metric, all trials would be dropped as failed.
void refuse_unknown(const SweepSpec& sweep, const std::vector<TrialResult>& results) {
  for (const TrialResult& result : results) {
    std::vector<std::string> stages;
    for (const auto& [stage, metrics] : result.metrics) stages.push_back(stage);
    const auto found = split_metric(sweep.objective, stages);
    if (!found) continue;
    const std::vector<std::string> there = metrics_of(trial_table({result}, {found->first}));
    throw Error("{}: stage '{}' has no metric '{}'{} (it has {})", sweep.objective_location.text(),
                found->first, printable(found->second), did_you_mean(sweep.objective, there),
                join(there, ", "));
  }
}

// Failed trials are not run again, but their results stay.
SweepPipeline with_failed(SweepPipeline sweep_pipeline, const std::vector<Trial>& failed) {
  sweep_pipeline.failed = failed;
  for (const Trial& trial : failed) sweep_pipeline.pipeline.kept_variations.push_back(trial.name);
  return sweep_pipeline;
}

}  // namespace

HalvingPlan plan_of(const SweepLoader& loader) {
  return plan_halving(configurations_of(loader.trials()).size(), loader.sweep().least,
                      loader.full_amount(), loader.sweep().eta);
}

SweepPipeline run_halving(const SweepLoader& loader, const HalvingSteps& steps) {
  const SweepSpec& sweep = loader.sweep();
  std::vector<Configuration> running = configurations_of(loader.trials());
  const HalvingPlan plan = plan_of(loader);
  std::vector<Trial> trials;  // of all complete rungs so far
  std::vector<Trial> failed;
  std::vector<RungDecisions> log;
  for (std::size_t rung = 0;; ++rung) {
    const bool last = rung + 1 == plan.amounts.size();
    const std::int64_t amount = plan.amounts[rung];
    for (const Configuration& configuration : running) {
      for (const Trial& trial : configuration.trials)
        trials.push_back(loader.with_amount(trial, amount));
    }
    const SweepPipeline sweep_pipeline = with_failed(loader.load(trials, last, log), failed);
    const bool complete = steps.run(sweep_pipeline, last);
    if (last || !complete) return sweep_pipeline;
    const std::vector<TrialResult> results = steps.results(sweep_pipeline);
    const Objectives objectives = objectives_of(results, sweep.objective);
    if (objectives.empty()) refuse_unknown(sweep, results);
    std::vector<Standing> standings;
    for (const Configuration& configuration : running) {
      Standing standing{configuration.name, {}};
      for (const Trial& trial : configuration.trials) {
        const auto found = objectives.find(loader.with_amount(trial, amount).name);
        standing.values.push_back(found == objectives.end() ? std::nan("") : found->second);
      }
      standings.push_back(std::move(standing));
    }
    const RungDecisions decided{rung + 1, plan.amounts.size(), amount,
                                decide(standings, plan.places[rung + 1], sweep.maximise)};
    steps.decided(decided);
    std::vector<Configuration> better;
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (decided.decisions[i].goes_on) better.push_back(std::move(running[i]));
    }
    log.push_back(decided);
    // A failed trial is not repeated in this run, only when the sweep is run again.
    std::erase_if(trials, [&](const Trial& trial) {
      const bool fails = !objectives.contains(trial.name);
      if (fails) failed.push_back(trial);
      return fails;
    });
    running = std::move(better);
    if (running.empty() && trials.empty()) return sweep_pipeline;
    // No trial can finish, so the sweep's own stages, which may need its results, are left out.
    if (running.empty()) return with_failed(loader.load(trials, false, log), failed);
  }
}

}  // namespace headway
