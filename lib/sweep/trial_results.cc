#include "lib/sweep/trial_results.h"

#include <algorithm>

#include "lib/run/inspection.h"
#include "lib/sweep/successive_halving.h"

namespace headway {
namespace {

std::string status_of(Judged& judged, const SweepTrial& trial) {
  bool done = true;
  for (const StagePlace& place : trial.stages) {
    const auto stage = static_cast<std::size_t>(place.stage);
    if (judged.has_failed(stage)) return kTrialFailed;
    done = done && judged.is_fresh(stage);
  }
  return done ? kTrialDone : "not finished";
}

}  // namespace

std::vector<TrialResult> results_of(const SweepPipeline& sweep_pipeline, const Path& outputs,
                                    FileSystem& files) {
  Judged judged(sweep_pipeline.pipeline, outputs, files);
  std::vector<Json> metrics;  // by stage: many trials may share one
  for (std::size_t i = 0; i < sweep_pipeline.pipeline.stages.size(); ++i)
    metrics.push_back(judged.metrics_of(i));
  std::vector<TrialResult> results;
  for (const SweepTrial& trial : sweep_pipeline.trials) {
    TrialResult result{trial.trial.name, trial.trial.overrides, {}, status_of(judged, trial)};
    for (const StagePlace& place : trial.stages) {
      const Json& found = metrics[static_cast<std::size_t>(place.stage)];
      if (!found.is_null()) result.metrics[place.name] = found;
    }
    results.push_back(std::move(result));
  }
  for (const Trial& trial : sweep_pipeline.failed)
    results.push_back({trial.name, trial.overrides, {}, kTrialFailed});
  return results;
}

SweepPipeline sweep_so_far(const SweepLoader& loader, const Path& outputs, FileSystem& files) {
  if (!loader.sweep().is_halving()) return loader.load_all();
  HalvingSteps steps;
  steps.results = [&](const SweepPipeline& rung) { return results_of(rung, outputs, files); };
  steps.run = [&](const SweepPipeline& rung, bool) {
    const std::vector<TrialResult> results = steps.results(rung);
    return std::all_of(results.begin(), results.end(), [](const TrialResult& result) {
      return result.status == kTrialDone || result.status == kTrialFailed;
    });
  };
  steps.decided = [](const RungDecisions&) {};
  return run_halving(loader, steps);
}

ComparisonOptions comparison_options(const SweepPipeline& sweep_pipeline,
                                     const std::vector<TrialResult>& results) {
  ComparisonOptions options;
  options.objective = sweep_pipeline.sweep.objective;
  options.maximise = sweep_pipeline.sweep.maximise;
  options.metrics = sweep_pipeline.sweep.metrics;
  options.resource = sweep_pipeline.sweep.resource;
  options.without_seeds = stages_without_seeds(sweep_pipeline);
  for (const TrialResult& result : results) {
    if (result.status == kTrialFailed) options.failed.push_back(result.name);
  }
  return options;
}

}  // namespace headway
