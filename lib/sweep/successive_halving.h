// Successive halving over a sweep's campaigns: rung after rung, each a prefix of the next, until
// the best have the full amount. Decides only when a rung is complete, so the result does not
// depend on how many run at once. Replayed on results that are there, it says what was decided.
#pragma once

#include <functional>
#include <vector>

#include "lib/sweep/halving.h"
#include "lib/sweep/sweep_pipeline.h"
#include "lib/sweep/trial_table.h"

namespace headway {

struct RungDecisions {
  std::size_t rung = 0;  // from 1
  std::size_t rungs = 0;
  std::int64_t amount = 0;
  std::vector<Decision> decisions;
};

struct HalvingSteps {
  // Runs a sweep_pipeline, or does not, where results are only looked at. `last`: with the sweep's own
  // stages. False where it is not complete: then nothing is decided.
  std::function<bool(const SweepPipeline& sweep_pipeline, bool last)> run;
  std::function<std::vector<TrialResult>(const SweepPipeline& sweep_pipeline)> results;
  std::function<void(const RungDecisions& decisions)> decided;
};

// The rungs: how much each gets, and how many configurations may enter it.
HalvingPlan plan_of(const SweepLoader& loader);

// The last sweep_pipeline: every rung's trials that have results, and the sweep's own stages.
SweepPipeline run_halving(const SweepLoader& loader, const HalvingSteps& steps);

}  // namespace headway
