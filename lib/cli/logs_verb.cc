// `headway logs`: what a stage printed.
#include <fmt/format.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/store/pipeline_state.h"

namespace headway {
namespace {

struct LogArguments {
  PipelineArguments pipeline;
  std::vector<std::string> words;  // [PIPELINE] STAGE
  std::size_t lines = 0;
  bool path = false;
};

// The log of the stage's last attempt in the given pipeline or, without one, in the pipeline that
// ran last and has such a stage.
Path find_log(const LogArguments& arguments, Store& store, CommandLine& line) {
  const std::string& stage = arguments.words.back();
  std::vector<std::string> names;
  if (arguments.words.size() == 2) {
    PipelineArguments pipeline = arguments.pipeline;
    pipeline.file = arguments.words[0];
    PipelineSpec spec = load(pipeline, line);
    const std::vector<int> selected = select_stages(spec, stage);
    const PipelineState state(line.files, store.layout(), spec.name, spec.variant);
    const LastState last = state.find(spec.stages[static_cast<std::size_t>(selected.front())].name);
    if (selected.size() > 1)
      throw UsageError(fmt::format("'{}' is {} stages; name one, for example {}", stage,
                                   selected.size(),
                                   spec.stages[static_cast<std::size_t>(selected.front())].name));
    if (!last) throw Error(fmt::format("stage '{}' has not run yet", stage));
    return store.layout().log(last->key);
  }
  for (const KnownPipeline& known : known_pipelines(line.files, store.layout())) {
    if (!arguments.pipeline.variant.empty() && known.variant != arguments.pipeline.variant)
      continue;
    const PipelineState state(line.files, store.layout(), known.name, known.variant);
    if (const LastState last = state.find(stage)) return store.layout().log(last->key);
    for (const auto& [name, unused] : state.all()) names.push_back(name);
  }
  throw UsageError(fmt::format("no stage '{}' has run with outputs in {}{}", printable(stage),
                               display_path(store.layout().outputs()), did_you_mean(stage, names)));
}

int logs(const LogArguments& arguments, CommandLine& line) {
  Store store(line.files, arguments.pipeline.outputs_path());
  const Path path = find_log(arguments, store, line);
  if (arguments.path) {
    say("{}\n", display_path(path));
    return 0;
  }
  std::optional<std::string> text = line.files.read(path);
  if (!text) throw Error(fmt::format("the log {} is gone", display_path(path)));
  std::string_view wanted = *text;
  if (arguments.lines > 0) {
    std::size_t at = wanted.size();
    for (std::size_t i = 0; i <= arguments.lines && at != std::string_view::npos; ++i)
      at = at == 0 ? std::string_view::npos : wanted.rfind('\n', at - 1);
    if (at != std::string_view::npos) wanted.remove_prefix(at + 1);
  }
  // A program gets the exact bytes. A terminal would obey control characters, so they are replaced.
  ::isatty(STDOUT_FILENO) != 0 ? print_for_people(wanted) : print_exactly(wanted);
  return 0;
}

}  // namespace

void add_logs(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<LogArguments>();
  CLI::App& verb = add_verb(app, line, "logs", "what a stage printed when it last ran",
                            "  headway logs train                of the pipeline that ran last\n"
                            "  headway logs p.yaml train -n 20   the last 20 lines\n"
                            "  less $(headway logs train --path)\n",
                            [arguments, &line] { return logs(*arguments, line); });
  verb.add_option("STAGE", arguments->words, "[PIPELINE] STAGE")->required()->expected(1, 2);
  arguments->pipeline.add_changes(verb);
  arguments->pipeline.add_sweep(verb);
  arguments->pipeline.add_outputs(verb);
  verb.add_option("-n,--lines", arguments->lines, "only the last N lines")->type_name("N");
  verb.add_flag("--path", arguments->path, "print the path of the log");
}

}  // namespace headway
