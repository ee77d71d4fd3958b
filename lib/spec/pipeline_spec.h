// A pipeline as plain data: everything declared, interpolated, expanded, checked and connected.
// Nothing here runs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/digest.h"
#include "lib/base/file_system.h"
#include "lib/base/index.h"
#include "lib/base/value.h"
#include "lib/spec/expectation.h"
#include "lib/spec/interpolate.h"
#include "lib/stage/stage_type.h"

namespace headway {

using StageId = Index<struct StageSpec>;
using FanInId = Index<struct FanIn>;
using OutputId = Index<struct Output>;  // in a stage's outputs

using FileDigests = std::map<std::string, Digest>;  // by path

// The user's own files that an input reads: `./data/rows.csv`, or all that match `./data/*.csv`.
struct InputFiles {
  struct File {
    std::string path;  // as written; relative to the pipeline's folder
    std::string item;  // its name in a list: "rows"; for a pattern, what it leaves open
    bool is_folder = false;
  };
  std::string written;
  bool is_pattern = false;
  std::vector<File> files;
};

// Where an input comes from: one output of one stage, all items of a fan-in, or files.
struct Source {
  StageId stage = {};
  OutputId output = {};
  FanInId fan_in = {};                           // instead of the two
  std::shared_ptr<const InputFiles> files = {};  // instead of the three
  SourceLocation location;

  bool is_fan_in() const { return fan_in.exists(); }
  // One artifact, not a list: not even a list of one.
  bool is_single() const { return files ? !files->is_pattern : !is_fan_in(); }
};

struct InputSpec {
  std::string port;
  SourceLocation location;
  std::vector<Source> sources;

  bool is_single() const { return sources.size() == 1 && sources[0].is_single(); }
};

// `stage@*.output`, shared by all stages that read it: 1,000 stages that each read 1,000 need 2,000
// edges, not a million.
struct FanIn {
  std::string family;
  std::string selection = "*";   // which members: "seed=1,*"
  OutputId output = {};          // none: only order (`needs`)
  std::vector<StageId> members;  // in matrix order
  // Members are of several variations: readers go on without those that failed, and know the others
  // by their variations (StageSpec::name_over_variations).
  bool over_variations = false;

  std::string name() const { return family + "@" + selection; }
};

// An entry of `print`: an output that a run shows at its end.
//   print: table     print: [table, failures]     print: {table: [label, drop, class]}
struct Printing {
  std::string file;                  // of the output, inside the stage's folder
  std::vector<std::string> columns;  // of a table; empty: all
};

// The value that a stage has on an axis of its matrix, or of the variations it belongs to.
struct Coordinate {
  std::string axis;
  std::string value;  // as people write it
  std::string name;   // as in names of items and folders
};
using Coordinates = std::vector<Coordinate>;

struct StageSpec {
  std::string name;       // "ablate@zero"
  std::string family;     // "ablate": the name in the file
  std::string item;       // "zero"; empty outside a matrix
  std::string variation;  // of a merged pipeline: "seed=2"; empty: all variations share the stage
  Coordinates axes;       // of its matrix
  // In a merged pipeline: those of each variation that has the stage.
  std::vector<std::shared_ptr<const Coordinates>> variations;
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
  std::vector<std::string> code;           // files that its command names (StageType::file_words)

  std::vector<std::string> arguments;  // what makes its variation in a plain run: --set seed=2
  std::vector<std::string> changed;    // parameters that a variant, --set or an override changed
  // Folders that show its results, "seed=2/train"; empty: the one of its name. In a merged pipeline
  // the stages of variations have places, and those behind them have none.
  std::vector<std::string> places;

  std::string subject() const { return "stage '" + family + "'"; }
  OutputId find_output(std::string_view output) const {  // none: it has no such output
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].name == output) return OutputId(i);
    }
    return {};
  }
  const Output& output(OutputId id) const { return outputs[id.value()]; }
  bool has_metrics() const { return find_output("metrics").exists(); }
  // The part after the @: "zero", "model.n_heads=4,seed=1", or both.
  std::string full_item() const {
    return item.empty() || variation.empty() ? item + variation : item + "," + variation;
  }
  // Its name in a list over several variations.
  std::string name_over_variations() const { return full_item().empty() ? family : full_item(); }
};

struct PipelineSpec {
  std::string name;
  std::string variant;                 // its name (variation_name); empty: the file as it is
  Path file;                           // as the user gave it
  std::vector<std::string> arguments;  // what made it so: --variant wide --set seed=2
  FileDigests digests;                 // of the file and of those it includes, as they were read
  Path folder;  // absolute: what relative paths in the file mean, and where commands run
  std::shared_ptr<const StageRegistry> types = std::make_shared<StageRegistry>();  // of the file
  Value params;
  IndexedVector<StageId, StageSpec> stages;
  IndexedVector<FanInId, FanIn> fan_ins;
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
