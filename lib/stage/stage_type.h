// A stage type: its declaration, which both programs link, so that validation needs no worker. It
// runs as a command, inside the engine, or as native code in a worker (native_stage.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/digest.h"
#include "lib/base/file_system.h"
#include "lib/stage/provenance.h"
#include "lib/stage/resources.h"
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
  SourceLocation location = {};  // where a pipeline declared it
  bool is_for_programs = false;  // pages for people leave it out
  bool is_for_pages = false;     // or show it, whatever kind of file it is
};

// An item of an input that another stage failed to make.
struct LostItem {
  std::string item;
  std::string reason;  // for a person: "exit code 3"
};

// One connected input: a single artifact, or every item of a fan-in in matrix order.
struct InputPaths {
  std::string port;
  std::vector<std::string> items;  // names of the paths; empty where the key does not know them
  std::vector<Path> paths;
  std::vector<LostItem> lost = {};  // of a fan-in over variations, which does without them
};

// Everything a stage needs to run. Plain data, the same for commands and workers.
struct StageJob {
  std::string stage;  // its name, for messages
  Digest key;         // of what it makes
  std::string type;
  Json params;
  std::vector<InputPaths> inputs;
  std::vector<std::pair<std::string, Path>> outputs;  // name -> where to write it
  Path work;     // temporary, removed after the attempt; outputs go to a folder inside it
  Path partial;  // survives an interruption, for the next attempt at the same key
  bool resume_on_other_numerics = false;  // or a state made under others is discarded
  Path log;
  Path provenance;  // of types that use it: a file; empty otherwise
  Resources resources;
  std::size_t rank = 0;  // of jobs that wait for room, those with a lower rank come first
  std::string script;    // of a command; empty: native
  Path folder;           // where commands run: that of the file that has them
  std::vector<std::string> environment;  // NAME=value: variables of ours that a command may see
};

// A stage as a pipeline declares it, for checks that a schema cannot express.
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
  int version = 1;  // part of the key: increase it when the same inputs give other bytes
  std::string summary = {};
  std::string example = {};  // YAML, shown by `headway stages TYPE`
  std::shared_ptr<const Schema> params = std::make_shared<Schema>();
  std::vector<Port> inputs = {};
  std::vector<Output> outputs = {};
  // All that the output `metrics` may hold, by dotted paths; a `*` stands for any text:
  // "accuracy.*". Empty: not known.
  std::vector<std::string> metrics = {};
  bool free_inputs = false;   // the pipeline chooses their names, under `in`
  bool free_outputs = false;  // the same, under `outs`
  // Where a user declared the type, and the folder of that file: its paths are relative to the
  // folder, and its command runs there. None: it is built in, and both are the pipeline's.
  SourceLocation declared = {};
  Path folder = {};
  std::optional<PrefixParams> prefix_params = {};  // none: every run starts from nothing
  std::optional<ProvenanceUse> provenance = {};    // none: it reads none

  // Checks beyond the schema. Null: none.
  std::function<void(const StageDeclaration&, Diagnostics&)> check = nullptr;
  // Whether the stage uses the item's name ("small" of train@small) of a single artifact at a port.
  // If so, the name is a fact; if not, the stage does not get it. (It always gets the names in a
  // list of artifacts.) Null: never.
  std::function<bool(const Value& params, const std::string& port)> uses_item_name = nullptr;
  // Words of its command that may name files. Those that do are facts, as if the pipeline listed
  // them. Null: it has no command.
  std::function<std::vector<std::string>(const Value& params)> file_words = nullptr;
  // The sh script that does the work. If neither this nor `builtin` is set, a worker runs the
  // stage.
  std::function<std::string(const StageJob&)> command = nullptr;
  // Work so small that the engine does it itself.
  std::function<void(StageContext&)> builtin = nullptr;

  bool is_declared() const { return declared.source != nullptr; }
  // Null if there is no such input.
  const Port* find_input(std::string_view port) const;
  // Whether `metrics` has the path, or is not known. `may_be_group`: or a path that begins with it.
  bool declares_metric(std::string_view path, bool may_be_group = false) const;
  // For a path that it does not declare: "no metric 'greddy'; did you mean 'greedy'?"
  std::string no_metric_text(std::string_view path) const;
};

class StageRegistry {
 public:
  // The name must be new.
  void add(StageType type);
  // Null if there is no such type. Valid as long as the registry.
  const StageType* find(std::string_view name) const;
  std::vector<std::string> names() const;  // sorted

 private:
  std::map<std::string, StageType, std::less<>> types_;
};

// The declaration for a person: `headway stages TYPE`.
std::string help_text(const StageType& type);

}  // namespace headway
