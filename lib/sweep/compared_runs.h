// The input of `headway compare`: the trials of a sweep, or variants of a file.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/sweep/trial_results.h"

namespace headway {

struct ComparedRuns {
  std::vector<TrialResult> results;
  ComparisonOptions options;
  std::set<std::string> stages;  // stages that write metrics, whether they have run or not

  // Throws UsageError if no stage writes the metric. The stage need not have run yet.
  void check_metrics(const std::vector<std::string>& metrics) const;
};

ComparedRuns compare_trials_of(const SweepPipeline& sweep_pipeline, const Path& outputs,
                               FileSystem& files);

// Compares at least one variant of a file ("": the plain pipeline). The overrides are the
// parameters that differ; with `each` they include the variant's name. Throws PipelineError.
ComparedRuns compare_variants_of(const PipelineFile& file, const std::vector<std::string>& variants,
                                 const std::vector<std::string>& sets, bool each,
                                 const Path& outputs, const StageRegistry& stages,
                                 FileSystem& files);

// A parameter's path and value: {"model.d_model", "128"}.
using Leaf = std::pair<std::string, std::string>;
std::vector<Leaf> leaves_of(const Value& map);

}  // namespace headway
