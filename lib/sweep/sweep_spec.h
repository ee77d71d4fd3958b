// `sweeps:` of a pipeline, or axes on the command line -> SweepSpec: which parameters are varied,
// how values are chosen, and what counts as good. Knows nothing of running.
//
//   sweeps:
//     heads:
//       axes: {model.n_heads: [1, 2, 4, 8], train.lr: "log:1e-4..1e-2:5", seed: [1, 2, 3]}
//       maximize: evaluate.greedy
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/spec/document.h"
#include "lib/stage/stage_type.h"
#include "lib/sweep/axis.h"

namespace headway {

struct SweepSpec {
  enum class Method { kGrid, kRandom, kHalving };

  std::string name;
  SourceLocation location;
  Method method = Method::kGrid;
  std::vector<Axis> axes;
  std::size_t trials = 0;    // configurations to draw; 0: all of the grid
  std::uint64_t seed = 641;  // of the draws
  std::string objective;     // "evaluate.greedy": stage and metric; empty: none
  bool maximise = true;
  SourceLocation objective_location;
  std::vector<std::string> metrics;  // columns of the table; empty: all
  SourceLocation metrics_location;
  std::vector<Value> until;  // stages that trials run to; empty: all
  // Of halving: what is given out in rungs, from `least` (0: as the trials allow) to `most` (0:
  // what the pipeline says).
  std::string resource;
  SourceLocation resource_location;
  std::int64_t least = 0;
  std::int64_t most = 0;
  double eta = 3;
  Value stages;  // that run once, over all trials; null: none

  bool is_halving() const { return method == Method::kHalving; }
};

// What the command line adds to a sweep, or changes in it.
struct SweepChanges {
  std::vector<std::string> axes;  // "model.n_heads=1,2,4", "train.lr=log:1e-4..1e-2:8"
  // Keys of a sweep and their values as text: {"method", "random"}.
  std::vector<std::pair<std::string, std::string>> settings;
  bool empty() const { return axes.empty() && settings.empty(); }
};

// The declaration with the changes made, as a map that could stand in the file. `declared` is null
// where the file has no such sweep.
Value change_sweep(const Value* declared, const SweepChanges& changes, Diagnostics& diagnostics);

// A name for a sweep that was given none: its axes, "by-n_heads-lr".
std::string name_of_axes(const Value& declaration);

// `params` are those of the file as it is varied, resolved.
SweepSpec read_sweep(const std::string& name, const Value& declaration, const Value& params,
                     const PipelineFile& file, const StageRegistry& registry,
                     Diagnostics& diagnostics);

}  // namespace headway
