// The verbs of the command line, and how they load pipelines. Functions that load throw UsageError
// or PipelineError.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Option.hpp>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/spec/graph.h"
#include "lib/spec/load.h"
#include "lib/stage/stage_type.h"
#include "lib/store/pipeline_state.h"
#include "lib/store/store.h"
#include "lib/sweep/sweep_file.h"
#include "lib/sweep/sweep_pipeline.h"

namespace headway {

// What verbs share.
struct CommandLine {
  const StageRegistry& stages;
  RealFileSystem files;
  int exit_code = 0;  // of the verb that ran
};

// The absolute path of --outputs. Throws UsageError if it is empty.
Path absolute_folder(const std::string& outputs);

// The arguments of most verbs: a pipeline, changes to it, and the folder of its outputs.
struct PipelineArguments {
  std::string file;
  std::string variant;
  std::vector<std::string> sets;
  std::string sweep;
  std::string outputs = "outputs";

  // Each adds options to a verb, which set the fields above.
  void add_file(CLI::App& verb, bool required);  // PIPELINE
  void add_changes(CLI::App& verb);              // --variant and --set
  void add_sweep(CLI::App& verb);                // --sweep
  void add_outputs(CLI::App& verb);              // --outputs
  void add_all(CLI::App& verb, bool file_is_required);

  Path outputs_path() const { return absolute_folder(outputs); }
};

// A pipeline from its file, which may declare sweeps.
PipelineSpec load_file(const Path& file, const LoadOptions& options, CommandLine& line);

// The pipeline that the arguments name; without a file, the one that ran last with these outputs.
PipelineSpec load(const PipelineArguments& arguments, CommandLine& line);

// A pipeline, variant or sweep that has run, from its file as it is now.
PipelineSpec load_known(const KnownPipeline& known, const Path& file, const Layout& layout,
                        CommandLine& line, const std::vector<std::string>& sets = {});

// The arguments' sweep as it last ran; if it never ran, as the file declares it.
SweepLoader load_sweep(const PipelineArguments& arguments, CommandLine& line);

// Adds a verb with a description, examples below its help, and a body that returns the exit code.
CLI::App& add_verb(CLI::App& app, CommandLine& line, const std::string& name,
                   const std::string& description, const std::string& examples,
                   std::function<int()> body);

void add_run(CLI::App& app, CommandLine& line);
void add_sweep(CLI::App& app, CommandLine& line);
void add_compare(CLI::App& app, CommandLine& line);
void add_diff(CLI::App& app, CommandLine& line);
void add_report(CLI::App& app, CommandLine& line);
void add_status(CLI::App& app, CommandLine& line);
void add_why(CLI::App& app, CommandLine& line);
void add_graph(CLI::App& app, CommandLine& line);
void add_logs(CLI::App& app, CommandLine& line);
void add_show(CLI::App& app, CommandLine& line);
void add_gc(CLI::App& app, CommandLine& line);
void add_verify(CLI::App& app, CommandLine& line);
void add_export(CLI::App& app, CommandLine& line);
void add_validate(CLI::App& app, CommandLine& line);
void add_stages(CLI::App& app, CommandLine& line);
void add_completion(CLI::App& app, CommandLine& line);

}  // namespace headway
