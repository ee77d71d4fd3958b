// A pipeline as plain data: everything declared, interpolated, expanded, checked and connected.
// Nothing here runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/base/value.h"
#include "lib/spec/expectation.h"
#include "lib/spec/interpolate.h"
#include "lib/spec/printing.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct Resources {
  int cpus = 1;
  std::uint64_t memory = 0;  // bytes; 0: unknown
};

// Where an input comes from: one output of one stage, or all items of a fan-in.
struct Source {
  int stage = -1;   // index into PipelineSpec::stages
  int output = -1;  // index into that stage's outputs
  int fan_in = -1;  // index into PipelineSpec::fan_ins, instead of the two
  SourceLocation location;
};

struct InputSpec {
  std::string port;
  SourceLocation location;
  std::vector<Source> sources;
};

// `stage@*.output`, shared by all stages that read it: 1,000 stages that each read 1,000 need 2,000
// edges, not a million.
struct FanIn {
  std::string family;
  int output = -1;           // -1: only order (`needs`)
  std::vector<int> members;  // stages, in matrix order
  // Members are of several variations: readers go on without those that failed, and know the others
  // by their variations (StageSpec::name_over_variations).
  bool over_variations = false;
};

struct StageSpec {
  std::string name;       // "ablate@zero"
  std::string family;     // "ablate": the name in the file
  std::string item;       // "zero"; empty outside a matrix
  std::string variation;  // of a merged pipeline: "seed=2"; empty: all variations share the stage
  SourceLocation location;
  const StageType* type = nullptr;
  Value params;  // resolved by the type's schema
  std::vector<InputSpec> inputs;
  std::vector<Source> needs;  // order only
  std::vector<Output> outputs;
  Resources resources;
  double timeout = 0;  // seconds; 0: none
  int retries = 0;
  std::vector<Expectation> expectations;
  std::vector<Printing> printings;
  std::vector<ParamReference> references;  // params that it uses

  std::vector<std::string> arguments;  // what makes its variation in a plain run: --set seed=2
  std::vector<std::string> changed;    // parameters that a variant, --set or an override changed
  // Folders that show its results, "seed=2/train"; empty: the one of its name. In a merged pipeline
  // the stages of variations have places, and those behind them have none.
  std::vector<std::string> places;

  std::string subject() const { return "stage '" + family + "'"; }
  int output_index(std::string_view output) const {  // -1: it has no such output
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].name == output) return static_cast<int>(i);
    }
    return -1;
  }
  bool has_metrics() const { return output_index("metrics") >= 0; }
  // The part after the @: "zero", "model.n_heads=4,seed=1", or both.
  std::string full_item() const {
    return item.empty() || variation.empty() ? item + variation : item + "," + variation;
  }
  // Its name in a list over several variations.
  std::string name_over_variations() const { return full_item().empty() ? family : full_item(); }
};

struct PipelineSpec {
  std::string name;
  std::string variant;                 // empty: none
  Path file;                           // as the user gave it
  std::vector<std::string> arguments;  // what made it so: --variant wide --set seed=2
  Path folder;  // absolute: what relative paths in the file mean, and where commands run
  Value params;
  std::vector<StageSpec> stages;
  std::vector<FanIn> fan_ins;
  std::vector<std::string> variants;       // that the file declares
  std::vector<std::string> other_folders;  // named in further sections of the file (FileSection)

  // Several variations of one file merged into one pipeline, and stages behind all of them.
  // `variant` is the name that the client gave it.
  bool is_merged = false;
  // What makes the stages that `headway run` cannot: the verb, then what follows the file. Empty:
  // there are none.
  std::vector<std::string> own_command;
  std::vector<std::string> kept_variations;  // not in it, but their history and folders stay

  std::string label() const { return variant.empty() ? name : name + "/" + variant; }
};

}  // namespace headway
