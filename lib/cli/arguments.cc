#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/cli/verbs.h"
#include "lib/store/pipeline_state.h"
#include "lib/sweep/results.h"
#include "lib/sweep/saved_sweep.h"

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
  verb.add_option("--sweep", sweep, "all trials of a sweep, as it was asked for last")
      ->type_name("NAME");
}

void PipelineArguments::add_outputs(CLI::App& verb) {
  verb.add_option("--outputs", outputs, "where results and the store are")
      ->type_name("DIR")
      ->capture_default_str();
}

Path absolute_folder(const std::string& outputs) {
  if (outputs.empty()) throw UsageError("--outputs expects the name of a folder, got none");
  std::error_code error;
  const Path folder = std::filesystem::absolute(outputs, error);
  if (error) throw Error("the folder that headway was called in is gone");
  return folder.lexically_normal();
}

PipelineSpec load_file(const Path& file, const LoadOptions& options, CommandLine& line) {
  return load_variation(read_file_with_sweeps(file, line.files), options, line.stages, line.files);
}

PipelineSpec load(const PipelineArguments& arguments, CommandLine& line) {
  const Layout layout(arguments.outputs_path());
  if (!arguments.sweep.empty() && !arguments.file.empty())
    return campaign_so_far(load_sweep(arguments, arguments.sweep, line), layout.outputs(),
                           line.files)
        .pipeline;
  if (!arguments.file.empty()) {
    return load_file(arguments.file, {arguments.variant, arguments.sets, {}}, line);
  }
  const std::string wanted =
      arguments.sweep.empty() ? arguments.variant : sweep_label(arguments.sweep, arguments.variant);
  for (const KnownPipeline& known : known_pipelines(line.files, layout)) {
    if (!wanted.empty() && known.variant != wanted) continue;
    const std::string file = PipelineState(line.files, layout, known.name, known.variant).file();
    if (file.empty() || !line.files.exists(file)) continue;
    return load_known(known, display_path(file), layout, line, arguments.sets);
  }
  throw UsageError(fmt::format("which pipeline? none has run yet with outputs in {}",
                               display_path(layout.outputs())));
}

PipelineSpec load_known(const KnownPipeline& known, const Path& file, const Layout& layout,
                        CommandLine& line, const std::vector<std::string>& sets) {
  PipelineFile read = read_file_with_sweeps(file, line.files);
  if (auto request = recall_sweep(line.files, layout, known.name, known.variant)) {
    if (!sets.empty()) request->sets = sets;
    return campaign_so_far(SweepLoader(std::move(read), *request, line.stages, line.files),
                           layout.outputs(), line.files)
        .pipeline;
  }
  return load_variation(read, {known.variant, sets, {}}, line.stages, line.files);
}

SweepLoader load_sweep(const PipelineArguments& arguments, const std::string& name,
                       CommandLine& line) {
  const Layout layout(arguments.outputs_path());
  PipelineFile file = read_file_with_sweeps(arguments.file, line.files);
  std::string sweep = name;
  const std::vector<std::string> declared = keys_of(sweeps_of(file));
  if (sweep.empty() && declared.size() == 1) sweep = declared.front();
  const std::string label = sweep_label(sweep, arguments.variant);
  std::optional<SweepRequest> request;
  if (!sweep.empty()) request = recall_sweep(line.files, layout, file.name, label);
  if (!request) request = SweepRequest{sweep, {}, arguments.variant, {}};
  if (!arguments.sets.empty()) request->sets = arguments.sets;
  return SweepLoader(std::move(file), *request, line.stages, line.files);
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
