// Results so far, from the store: of a sweep's trials, and of a file's variants.
#pragma once

#include <string>
#include <utility>
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

// The input of `headway compare`.
struct ComparedRuns {
  std::vector<TrialResult> results;
  ComparisonOptions options;
  std::vector<MeasuredStage> stages;           // that write metrics, whether they have run or not
  std::shared_ptr<const StageRegistry> types;  // that the file declares; some of `stages` use them

  // Throws UsageError if no stage writes the metric. The stage need not have run yet.
  void check_metrics(const std::vector<std::string>& metrics) const;
};

ComparedRuns compare_trials_of(const SweepPipeline& sweep_pipeline, const Path& outputs,
                               FileSystem& files);

// Compares at least one variation of a file. The overrides are the parameters that differ; with
// `each` they include the variation's name. Without names, variations with the same parameters are
// one run: they have the same results, and would count as several seeds. Throws PipelineError.
ComparedRuns compare_variations_of(const PipelineFile& file,
                                   const std::vector<LoadOptions>& variations, bool each,
                                   const Path& outputs, const StageRegistry& stages,
                                   FileSystem& files);

// A parameter's path and value: {"model.d_model", "128"}.
using Leaf = std::pair<std::string, std::string>;
std::vector<Leaf> leaves_of(const Value& map);

}  // namespace headway
