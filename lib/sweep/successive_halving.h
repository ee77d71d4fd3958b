// Runs a sweep by successive halving. The trials of each rung, and of those before it, are one
// merged pipeline. Decides only when a rung is complete, so the result does not depend on how many
// stages run at once. Replayed on results in the store, it finds what was decided.
#pragma once

#include <functional>
#include <vector>

#include "lib/sweep/halving.h"
#include "lib/sweep/sweep_pipeline.h"
#include "lib/sweep/trial_table.h"

namespace headway {

struct HalvingSteps {
  // Runs a rung; a replay only checks whether it has run. `last`: with the sweep's own stages.
  // False if the rung is not complete; then halving stops there.
  std::function<bool(const SweepPipeline& rung, bool last)> run;
  std::function<std::vector<TrialResult>(const SweepPipeline& rung)> results;
  std::function<void(const RungDecisions& decisions)> decided;
};

HalvingPlan plan_of(const SweepLoader& loader);

// Returns the last merged pipeline: the trials of all rungs that have results, and the sweep's own
// stages. Throws Error if the stage of the objective does not write that metric.
SweepPipeline run_halving(const SweepLoader& loader, const HalvingSteps& steps);

}  // namespace headway
