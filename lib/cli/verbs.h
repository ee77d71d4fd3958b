// The verbs of the command line. Each adds itself to the parser; the chosen one leaves its exit
// code.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Option.hpp>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/run/graph.h"
#include "lib/spec/load.h"
#include "lib/stage/stage_type.h"
#include "lib/store/pipeline_state.h"
#include "lib/store/store.h"
#include "lib/sweep/sweep_file.h"
#include "lib/sweep/sweep_pipeline.h"

namespace headway {

struct CommandLine {
  const StageRegistry& stages;
  RealFileSystem files;
  int exit_code = 0;
};

// Of --outputs, wherever we were called. UsageError where it names nothing.
Path absolute_folder(const std::string& outputs);

// What most verbs take: a pipeline, how to vary it, and where its outputs are.
struct PipelineArguments {
  std::string file;
  std::string variant;
  std::vector<std::string> sets;
  std::string sweep;
  std::string outputs = "outputs";

  void add_file(CLI::App& verb, bool required);
  void add_changes(CLI::App& verb);
  void add_sweep(CLI::App& verb);
  void add_outputs(CLI::App& verb);

  Path outputs_path() const { return absolute_folder(outputs); }
};

// One pipeline file, which may declare sweeps.
PipelineSpec load_file(const Path& file, const LoadOptions& options, CommandLine& line);

// The pipeline of the arguments; where no file was given, the one that ran last with these outputs.
PipelineSpec load(const PipelineArguments& arguments, CommandLine& line);

// A pipeline, variant or sweep that ran before, from its file.
PipelineSpec load_known(const KnownPipeline& known, const Path& file, const Layout& layout,
                        CommandLine& line, const std::vector<std::string>& sets = {});

// The sweep of a file as it was asked for last; where it never ran, as the file declares it. `name`
// empty: the only one there is.
SweepLoader load_sweep(const PipelineArguments& arguments, const std::string& name,
                       CommandLine& line);

// A verb with a description, examples below its help, and a body that gives the exit code.
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
