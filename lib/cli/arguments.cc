#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/cli/verbs.h"
#include "lib/run/messages.h"
#include "lib/store/pipeline_state.h"

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

void PipelineArguments::add_outputs(CLI::App& verb) {
  verb.add_option("--outputs", outputs, "where results and the store are")
      ->type_name("DIR")
      ->capture_default_str();
}

void PipelineArguments::add_all(CLI::App& verb, bool required) {
  add_file(verb, required);
  add_changes(verb);
  add_outputs(verb);
}

PipelineSpec load(const PipelineArguments& arguments, CommandLine& line) {
  const Layout layout(arguments.outputs_path());
  if (!arguments.file.empty()) {
    return load_pipeline(arguments.file, {arguments.variant, arguments.sets, layout.parsed()},
                         line.stages, line.files);
  }
  for (const KnownPipeline& known : known_pipelines(line.files, layout)) {
    if (!arguments.variant.empty() && known.variant != arguments.variant) continue;
    const std::string file = PipelineState(line.files, layout, known.name, known.variant).file();
    if (file.empty() || !line.files.exists(file)) continue;
    return load_pipeline(shown(file), {known.variant, arguments.sets, layout.parsed()}, line.stages,
                         line.files);
  }
  throw UsageError(
      fmt::format("which pipeline? none has run yet with outputs in {}", shown(layout.outputs())));
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
