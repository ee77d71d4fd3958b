// What a stage type is: its declaration, which both programs link, so that validation needs no
// worker. How it runs is either a command line (here) or native code in the worker
// (native_stage.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/stage/provenance.h"
#include "lib/stage/schema.h"

namespace headway {

struct Port {
  std::string name;
  std::string help;
  bool is_required = true;
  bool takes_many = false;  // a fan-in (`stage@*`, or a list) may be connected
};

struct Output {
  std::string name;
  std::string file;  // inside the stage's folder
  std::string help;
  SourceLocation location;  // where a pipeline declared it
};

// One connected input: a single artifact, or every item of a fan-in in matrix order.
struct InputPaths {
  std::string port;
  std::vector<std::string> items;  // names of the paths; empty where the key does not know them
  std::vector<Path> paths;
};

// What a stage is given to run with. Plain data, the same for commands and workers.
struct StageJob {
  std::string stage;  // its name, for messages
  std::string type;
  Json params;
  std::vector<InputPaths> inputs;
  std::vector<std::pair<std::string, Path>> outputs;  // name -> where to write it
  Path work;     // scratch, gone after the attempt; outputs are in a folder of their own inside it
  Path partial;  // survives an interruption; the same key finds it again
  Path log;
  Path provenance;  // of types that use it: a file; empty otherwise
  int cpus = 1;
  std::string script;                  // of a command; empty: native, for a worker
  Path folder;                         // the pipeline file's: where a command runs
  std::vector<std::string> variables;  // of the environment, that a command may see
};

// A stage as declared in a pipeline, for a type's own checks beyond the schema.
struct StageDeclaration {
  std::string subject;  // "stage 'train'"
  const Value& params;
  const std::vector<std::string>& ports;
  const std::vector<Output>& outputs;
  const Path& folder;  // the pipeline file's
};

// The parameters by which a shorter run is a prefix of a longer one, bit for bit: one with less of
// `amount`, if all else is equal and both are parts of the same `whole` (0: the amount). What a run
// leaves in its partial folder at its end is where a longer one goes on.
struct PrefixParams {
  std::string amount;  // "epochs"
  std::string whole;   // "schedule_epochs"
};

// For a stage that reads its provenance (lib/stage/provenance.h): the engine writes it as a text,
// gives the stage the file (StageJob::provenance), and makes the text's digest a fact. Without
// times and machines the text depends on contents alone.
struct ProvenanceUse {
  std::string times;                                    // the boolean parameter that asks for times
  std::function<std::string(const Provenance&)> write;  // the text
};

class StageContext;

struct StageType {
  std::string name;
  int version = 1;  // enters the key: raise it when the same inputs give other bytes
  std::string summary;
  std::string example;  // YAML, shown by `headway stages TYPE`
  std::shared_ptr<const Schema> params = std::make_shared<Schema>();
  std::vector<Port> inputs;
  std::vector<Output> outputs;
  bool free_inputs = false;                   // the pipeline names them itself, under `in`
  bool free_outputs = false;                  // the same, under `outs`
  std::optional<PrefixParams> prefix_params;  // none: every run starts from nothing
  std::optional<ProvenanceUse> provenance;    // none: it reads none

  std::function<void(const StageDeclaration&, Diagnostics&)> check;
  // Whether the stage uses the item's name ("small" of train@small) of a single artifact that is
  // connected to a port. Where it does, the name is a fact; elsewhere it is not given to the stage.
  // (The names in a list of artifacts always are.) Null: it never does.
  std::function<bool(const Value& params, const std::string& port)> uses_item_name;
  // The sh script that does the work. Without one, the stage runs in a worker.
  std::function<std::string(const StageJob&)> command;
  // Or work so small that the engine does it itself.
  std::function<void(StageContext&)> builtin;

  const Port* find_input(std::string_view port) const;
};

class StageRegistry {
 public:
  void add(StageType type);
  const StageType* find(std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  std::map<std::string, StageType, std::less<>> types_;
};

// Everything the declaration says, for a person: `headway stages TYPE`.
std::string help_text(const StageType& type);

}  // namespace headway
