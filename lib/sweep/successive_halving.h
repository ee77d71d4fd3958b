// Runs a sweep by successive halving. The trials of each rung and all earlier ones are one merged
// pipeline. Decides only when a rung is complete, so the result does not depend on parallelism. A
// replay with the results in the store gives the same decisions.
#pragma once

#include <functional>
#include <vector>

#include "lib/sweep/halving.h"
#include "lib/sweep/sweep_pipeline.h"
#include "lib/sweep/trial_table.h"

namespace headway {

struct HalvingSteps {
  // Runs a rung; in a replay, checks whether it has run. `last`: includes the sweep's own stages.
  // Returns false if the rung is incomplete; halving then stops.
  std::function<bool(const SweepPipeline& rung, bool last)> run;
  std::function<std::vector<TrialResult>(const SweepPipeline& rung)> results;
  std::function<void(const RungDecisions& decisions)> decided;
};

HalvingPlan plan_of(const SweepLoader& loader);

// Returns the last merged pipeline: the trials of all rungs with results, and the sweep's own
// stages. Throws Error if the objective's stage does not write that metric.
SweepPipeline run_halving(const SweepLoader& loader, const HalvingSteps& steps);

}  // namespace headway
