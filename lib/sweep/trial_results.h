// What the trials of a sweep have reached so far, from the store.
#pragma once

#include <vector>

#include "lib/sweep/comparison.h"
#include "lib/sweep/sweep_pipeline.h"
#include "lib/sweep/trial_table.h"

namespace headway {

// Every trial with the metrics of its fresh stages, and then those that failed in earlier rungs.
std::vector<TrialResult> results_of(const SweepPipeline& sweep_pipeline, const Path& outputs,
                                    FileSystem& files);

// All trials of a sweep. Successive halving is replayed on the results in the store, as far as they
// lead. Throws PipelineError.
SweepPipeline sweep_so_far(const SweepLoader& loader, const Path& outputs, FileSystem& files);

// How to compare the results: the sweep's objective and metrics, and which trials failed.
ComparisonOptions comparison_options(const SweepPipeline& sweep_pipeline,
                                     const std::vector<TrialResult>& results);

}  // namespace headway
