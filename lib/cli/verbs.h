// The verbs of the command line, and how they load pipelines. Functions that load throw UsageError
// or PipelineError.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Option.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/spec/graph.h"
#include "lib/spec/load.h"
#include "lib/stage/stage_type.h"
#include "lib/store/pipeline_state.h"
#include "lib/store/store.h"
#include "lib/sweep/sweep_pipeline.h"

namespace headway {

// What verbs share.
struct CommandLine {
  const StageRegistry& stages;
  RealFileSystem files;
  int exit_code = 0;  // of the verb that ran
};

// The arguments of most verbs: a pipeline, changes to it, and the folder of its outputs.
struct PipelineArguments {
  std::string file;
  std::string variant;
  std::vector<std::string> sets;
  std::string sweep;
  std::optional<std::string> outputs;  // nullopt: those of the project

  // Each adds options to a verb, which set the fields above.
  void add_file(CLI::App& verb, bool required);  // PIPELINE
  void add_changes(CLI::App& verb);              // --variant and --set
  void add_sweep(CLI::App& verb);                // --sweep
  void add_outputs(CLI::App& verb);              // --outputs
  void add_options(CLI::App& verb);              // all but PIPELINE

  bool names_pipeline() const;  // if not, the verb is about all pipelines
  // The absolute path of --outputs or, without it, of the project's outputs. From now on, files are
  // created with the rights that this folder asks for (lib/cli/project.h).
  Path outputs_path() const;
};

// A pipeline from its file, which may declare sweeps.
PipelineSpec load_file(const Path& file, const LoadOptions& options, CommandLine& line);

// The pipeline that the arguments name; without a file, the one that ran last with these outputs.
PipelineSpec load(const PipelineArguments& arguments, CommandLine& line);

// A pipeline, variant or sweep that has run, from its file as it is now.
PipelineSpec load_known(const KnownPipeline& known, const Path& file, const Layout& layout,
                        CommandLine& line);

// The arguments' sweep as it last ran; if it never ran, as the file declares it.
SweepLoader load_sweep(const PipelineArguments& arguments, CommandLine& line);

inline constexpr const char* kJsonHelp = "as JSON, for programs (docs/json.md)";

// Adds a verb with a description, examples below its help, and a body that returns the exit code.
CLI::App& add_verb(CLI::App& app, CommandLine& line, const std::string& name,
                   const std::string& description, const std::string& examples,
                   std::function<int()> body);

// The same for a body with arguments of its own. Returns the verb and its arguments, for options
// that set them.
template <class Arguments>
std::pair<CLI::App&, Arguments&> add_verb(CLI::App& app, CommandLine& line, const std::string& name,
                                          const std::string& description,
                                          const std::string& examples,
                                          int (*body)(const Arguments&, CommandLine&)) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb = add_verb(app, line, name, description, examples,
                            [arguments, body, &line] { return body(*arguments, line); });
  return {verb, *arguments};
}

// Each adds the verb of its name.
using AddVerb = void(CLI::App& app, CommandLine& line);
AddVerb add_run, add_sweep, add_compare, add_diff, add_report, add_status, add_why, add_graph;
AddVerb add_logs, add_show, add_gc, add_verify, add_export, add_validate, add_stages;
AddVerb add_agent, add_completion;

}  // namespace headway
