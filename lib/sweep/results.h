// What trials and variants have reached, from the store: what `compare` and the end of a sweep
// show, and what successive halving decides by.
#pragma once

#include <string>
#include <vector>

#include "lib/cli/verbs.h"
#include "lib/sweep/comparison.h"
#include "lib/sweep/trial_table.h"

namespace headway {

// Each trial with the metrics of those of its stages that are fresh.
std::vector<TrialResult> results_of(const SweepPipeline& sweep_pipeline, const Path& outputs,
                                    FileSystem& files);

// All trials of a sweep; of halving those of the rungs that its results lead to.
SweepPipeline sweep_so_far(const SweepLoader& loader, const Path& outputs, FileSystem& files);

// What the sweep says of good and bad, and what is known of its trials.
ComparisonOptions comparison_options(const SweepPipeline& sweep_pipeline,
                                     const std::vector<TrialResult>& results);

// As many metrics as fit a line; those that the options name are left out on a terminal alone,
// where they would be broken anyway.
std::string fitting_text(const Table& table, ComparisonOptions options);

// Of variants of a file ("": as it stands), told apart by the parameters in which they differ, and
// with `each` by their names.
std::vector<TrialResult> results_of_variants(const PipelineArguments& arguments,
                                             const std::vector<std::string>& variants, bool each,
                                             CommandLine& line);

// A parameter of a pipeline, or one that was changed inside a stage: "model.d_model", "train.lr".
using Leaf = std::pair<std::string, std::string>;  // path, value
std::vector<Leaf> leaves_of(const Value& map);

}  // namespace headway
