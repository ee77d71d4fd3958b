#include "lib/sweep/trial_results.h"

#include <algorithm>

#include "lib/run/inspection.h"
#include "lib/sweep/successive_halving.h"

namespace headway {
namespace {

std::string status_of(const Inspection& inspection, const SweepTrial& trial) {
  bool done = true;
  for (const StagePlace& place : trial.stages) {
    if (inspection.has_failed(place.stage)) return kTrialFailed;
    done = done && inspection.is_fresh(place.stage);
  }
  return done ? kTrialDone : "not finished";
}

}  // namespace

std::vector<TrialResult> results_of(const SweepPipeline& sweep_pipeline, const Path& outputs,
                                    FileSystem& files) {
  Store store(files, outputs);
  const Inspection inspection(sweep_pipeline.pipeline, store);
  IndexedVector<StageId, Json> metrics;  // read once: trials share stages
  for (const StageId stage : sweep_pipeline.pipeline.stages.ids())
    metrics.push_back(inspection.metrics_of(stage));
  std::vector<TrialResult> results;
  for (const SweepTrial& trial : sweep_pipeline.trials) {
    TrialResult result{trial.trial.name, trial.trial.overrides, {}, status_of(inspection, trial)};
    for (const StagePlace& place : trial.stages) {
      const Json& found = metrics[place.stage];
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
