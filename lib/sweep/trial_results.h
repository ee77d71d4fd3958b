// Results of a sweep's trials so far, from the store.
#pragma once

#include <vector>

#include "lib/sweep/comparison.h"
#include "lib/sweep/sweep_pipeline.h"
#include "lib/sweep/trial_table.h"

namespace headway {

// All trials with the metrics of their fresh stages, then those that failed in earlier rungs.
std::vector<TrialResult> results_of(const SweepPipeline& sweep_pipeline, const Path& outputs,
                                    FileSystem& files);

// All trials of a sweep. Replays successive halving as far as there are results. Throws
// PipelineError.
SweepPipeline sweep_so_far(const SweepLoader& loader, const Path& outputs, FileSystem& files);

// The sweep's objective and metrics, and the failed trials.
ComparisonOptions comparison_options(const SweepPipeline& sweep_pipeline,
                                     const std::vector<TrialResult>& results);

}  // namespace headway
