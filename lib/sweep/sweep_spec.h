// `sweeps:` of a pipeline, or axes on the command line -> SweepSpec: which parameters are varied,
// how values are chosen, and what counts as good. Knows nothing of running.
//
//   sweeps:
//     heads:
//       axes: {model.n_heads: [1, 2, 4, 8], train.lr: "log:1e-4..1e-2:5", seed: [1, 2, 3]}
//       maximize: evaluate.greedy
#pragma once

#include <string>
#include <vector>

#include "lib/spec/document.h"
#include "lib/stage/stage_type.h"
#include "lib/sweep/axis.h"

namespace headway {

// The stage that collects the trials' metrics; its name is reserved.
inline constexpr const char* kTrialsStage = "trials";

// Reports a mistake if the file declares a stage with that name.
void refuse_trials_stage(const PipelineFile& file, Diagnostics& diagnostics);

// The section `sweeps`, for read_pipeline_file().
const std::vector<FileSection>& sweep_sections();

// Like read_pipeline_file(): throws PipelineError if the file is not a pipeline.
PipelineFile read_file_with_sweeps(const Path& file, FileSystem& files);

// Sweep declarations by name. The file must come from read_file_with_sweeps().
const Value& sweeps_of(const PipelineFile& file);

struct SweepSpec {
  enum class Method { kGrid, kRandom, kHalving };

  std::string name;
  SourceLocation location;
  Method method = Method::kGrid;
  std::vector<Axis> axes;
  std::size_t trials = 0;    // configurations to draw; 0: the whole grid
  std::uint64_t seed = 641;  // for the draws
  std::string objective;     // "evaluate.greedy": stage and metric; empty: none
  bool maximise = true;
  SourceLocation objective_location;
  std::vector<std::string> metrics;  // columns of the table; empty: all
  SourceLocation metrics_location;
  std::vector<Value> until;  // last stages of the trials; empty: all
  // For halving: the parameter whose amount rises from `least` (0: chosen by the number of trials)
  // to `most` (0: the pipeline's value).
  std::string resource;
  SourceLocation resource_location;
  std::int64_t least = 0;
  std::int64_t most = 0;
  double eta = 3;
  Value stages;  // run once, over all trials; null: none

  bool is_halving() const { return method == Method::kHalving; }
};

// Additions and changes from the command line.
struct SweepChanges {
  std::vector<std::string> axes;  // "model.n_heads=1,2,4", "train.lr=log:1e-4..1e-2:8"
  // Settings of the sweep as text: {"method", "random"}.
  std::vector<std::pair<std::string, std::string>> settings;
  bool empty() const { return axes.empty() && settings.empty(); }
};

// Applies the changes and returns a declaration as it could be in the file. `declared` is null if
// the file does not declare the sweep.
Value change_sweep(const Value* declared, const SweepChanges& changes, Diagnostics& diagnostics);

// A name for an unnamed sweep, made from its axes: "by-seed", "by-model.n_heads-train.lr". Whole
// paths, and a digest if they do not fit: sweeps over different axes have different names.
std::string name_of_axes(const Value& declaration);

// `params` are the file's resolved parameters.
SweepSpec read_sweep(const std::string& name, const Value& declaration, const Value& params,
                     const PipelineFile& file, const StageRegistry& registry,
                     Diagnostics& diagnostics);

}  // namespace headway
