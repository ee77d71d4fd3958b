#include "lib/base/error.h"
#include "lib/cli/project.h"
#include "lib/cli/verbs.h"
#include "lib/spec/variation.h"
#include "lib/store/pipeline_state.h"
#include "lib/sweep/saved_sweep.h"
#include "lib/sweep/trial_results.h"

namespace headway {

void PipelineArguments::add_file(CLI::App& verb, bool required) {
  CLI::Option* option =
      verb.add_option("PIPELINE", file,
                      required ? "the pipeline's YAML file"
                               : "the pipeline's YAML file (default: the one that ran last)");
  if (required) option->required();
}

void PipelineArguments::add_changes(CLI::App& verb) {
  verb.add_option("--variant", variant, "a variant that the file declares")->type_name("V");
  verb.add_option("--set", sets, "change a parameter: model.d_model=256; +name=value adds one")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void PipelineArguments::add_sweep(CLI::App& verb) {
  verb.add_option("--sweep", sweep, "all trials of a sweep, as it last ran")->type_name("NAME");
}

void PipelineArguments::add_outputs(CLI::App& verb) {
  verb.add_option("--outputs", outputs,
                  "the folder of results and of the store (default: outputs/ of the project)")
      ->type_name("DIR");
}

void PipelineArguments::add_options(CLI::App& verb) {
  add_changes(verb);
  add_sweep(verb);
  add_outputs(verb);
}

bool PipelineArguments::names_pipeline() const {
  return !file.empty() || !variant.empty() || !sweep.empty() || !sets.empty();
}

Path PipelineArguments::outputs_path() const {
  if (outputs && outputs->empty())
    throw UsageError("--outputs expects the name of a folder, got none");
  const Path path = outputs ? absolute_path(*outputs) : project_outputs(file);
  share_with_group(path);
  return path;
}

PipelineSpec load_file(const Path& file, const LoadOptions& options, CommandLine& line) {
  return load_variation(read_file_with_sweeps(file, line.files), options, line.stages, line.files);
}

PipelineSpec load(const PipelineArguments& arguments, CommandLine& line) {
  const Layout layout(arguments.outputs_path());
  if (!arguments.sweep.empty() && !arguments.file.empty())
    return sweep_so_far(load_sweep(arguments, line), layout.outputs(), line.files).pipeline;
  if (!arguments.file.empty())
    return load_file(arguments.file, {arguments.variant, arguments.sets, {}}, line);
  const std::string wanted =
      arguments.sweep.empty() ? arguments.variant : sweep_label(arguments.sweep, arguments.variant);
  for (const KnownPipeline& known : known_pipelines(line.files, layout)) {
    if (arguments.sets.empty() && !wanted.empty() && known.variant != wanted) continue;
    const std::string file = PipelineState(line.files, layout, known.name, known.variant).file();
    if (file.empty() || !line.files.exists(file)) continue;
    if (arguments.sets.empty()) return load_known(known, display_path(file), layout, line);
    PipelineArguments of_file = arguments;
    of_file.file = display_path(file);
    return load(of_file, line);
  }
  throw UsageError("which pipeline? none has run yet with outputs in {}",
                   display_path(layout.outputs()));
}

PipelineSpec load_known(const KnownPipeline& known, const Path& file, const Layout& layout,
                        CommandLine& line) {
  PipelineFile read = read_file_with_sweeps(file, line.files);
  if (const auto request = find_saved_sweep(line.files, layout, known.name, known.variant))
    return sweep_so_far(SweepLoader(std::move(read), *request, line.stages, line.files),
                        layout.outputs(), line.files)
        .pipeline;
  const PipelineState state(line.files, layout, known.name, known.variant);
  return load_variation(read, options_from(state.arguments()), line.stages, line.files);
}

SweepLoader load_sweep(const PipelineArguments& arguments, CommandLine& line) {
  return load_saved_sweep(read_file_with_sweeps(arguments.file, line.files), arguments.sweep,
                          arguments.variant, arguments.sets, Layout(arguments.outputs_path()),
                          line.stages, line.files);
}

CLI::App& add_verb(CLI::App& app, CommandLine& line, const std::string& name,
                   const std::string& description, const std::string& examples,
                   std::function<int()> body) {
  CLI::App& verb = *app.add_subcommand(name, description);
  verb.footer("\nExamples:\n" + examples);
  verb.callback([&line, body = std::move(body)] { line.exit_code = body(); });
  return verb;
}

}  // namespace headway
