// What `headway compare` shows side by side: the trials of a sweep, or variants of a file.
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
  std::set<std::string> stages;  // those that write metrics, whether they have run or not

  // Throws UsageError if a metric is of none of the stages. A stage that has not run yet is fine.
  void check_metrics(const std::vector<std::string>& metrics) const;
};

ComparedRuns compare_trials_of(const SweepPipeline& sweep_pipeline, const Path& outputs,
                               FileSystem& files);

// Variants of a file ("": the plain pipeline), at least one. Their overrides are the parameters in
// which they differ, and with `each` also their names. Throws PipelineError.
ComparedRuns compare_variants_of(const PipelineFile& file, const std::vector<std::string>& variants,
                                 const std::vector<std::string>& sets, bool each,
                                 const Path& outputs, const StageRegistry& stages,
                                 FileSystem& files);

// The parameters in a map and their values: {"model.d_model", "128"}.
using Leaf = std::pair<std::string, std::string>;
std::vector<Leaf> leaves_of(const Value& map);

}  // namespace headway
