// `headway run`.
#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/cli/engine.h"
#include "lib/cli/output.h"
#include "lib/cli/outputs_page.h"
#include "lib/cli/print_outputs.h"
#include "lib/cli/verbs.h"

namespace headway {
namespace {

struct RunArguments {
  PipelineArguments pipeline;
  std::vector<std::string> stages;
  std::string from;
  std::string until;
  std::vector<std::string> force;  // "*": everything that was asked for
  bool only = false;
  bool dry_run = false;
  RunSettings settings;
};

// Which nodes a run looks at, which stages it was asked for, and which it must run whatever is
// there.
struct Selection {
  std::vector<int> targets;
  std::vector<bool> selected;
  std::vector<bool> forced;
  std::vector<bool> only;
};

std::vector<int> all_stages(const Graph& graph) {
  std::vector<int> stages(graph.stages);
  for (std::size_t i = 0; i < stages.size(); ++i) stages[i] = static_cast<int>(i);
  return stages;
}

Selection select(const RunArguments& arguments, PipelineSpec& pipeline, const Graph& graph) {
  Selection selection;
  const auto add = [&](std::vector<int>& to, const std::string& name) {
    for (const int stage : select_stages(pipeline, name)) to.push_back(stage);
  };
  for (const std::string& name : arguments.stages) add(selection.targets, name);
  if (!arguments.until.empty()) add(selection.targets, arguments.until);
  const bool named = !selection.targets.empty();
  if (!named) selection.targets = all_stages(graph);
  if (!arguments.from.empty()) {
    std::vector<int> start;
    add(start, arguments.from);
    const std::vector<bool> below = with_descendants(graph, start);
    const std::vector<bool> above =
        named ? with_ancestors(graph, selection.targets) : std::vector<bool>(graph.size(), true);
    selection.targets.clear();
    for (const int stage : all_stages(graph)) {
      if (below[static_cast<std::size_t>(stage)] && above[static_cast<std::size_t>(stage)])
        selection.targets.push_back(stage);
    }
    if (selection.targets.empty())
      throw UsageError(
          fmt::format("nothing lies between --from {} and {}", arguments.from,
                      arguments.until.empty() ? "the stages named" : "--until " + arguments.until));
  }
  if (arguments.only && !named && arguments.from.empty())
    throw UsageError("--only needs the name of a stage");
  selection.selected = with_ancestors(graph, selection.targets);
  selection.forced.assign(graph.stages, false);
  if (arguments.only) selection.only.assign(graph.stages, false);
  for (const int stage : selection.targets) {
    if (arguments.only) selection.only[static_cast<std::size_t>(stage)] = true;
  }
  for (const std::string& name : arguments.force) {
    std::vector<int> stages;
    if (name == "*") {
      stages = selection.targets;
    } else {
      add(stages, name);
    }
    for (const int stage : stages) {
      if (!selection.selected[static_cast<std::size_t>(stage)])
        throw UsageError(fmt::format("--force {}: that stage is not part of this run", name));
      selection.forced[static_cast<std::size_t>(stage)] = true;
    }
  }
  return selection;
}

int run(const RunArguments& arguments, CommandLine& line) {
  Store store(line.files, arguments.pipeline.outputs_path());
  PipelineSpec pipeline = load(arguments.pipeline, line);
  const Graph graph = build_graph(pipeline);
  const Selection selection = select(arguments, pipeline, graph);
  if (arguments.dry_run) {
    print_plan(pipeline, graph, store, selection.selected, selection.forced);
    return 0;
  }
  Engine engine(store, line.stages, arguments.settings);
  const RunSummary summary = engine.run(
      {pipeline, graph, selection.selected, selection.forced, selection.only, nullptr, true});
  if (!summary.interrupted) refresh_outputs_page(line.files, store.layout().outputs(), pipeline);
  if (arguments.settings.quiet || arguments.settings.json) return summary.exit_code;
  const Path folder = store.layout().results(pipeline.name, pipeline.variant);
  if (summary.exit_code == 0) {
    for (const int stage : selection.targets) {
      say("{}",
          printed_outputs(store.files(), pipeline.stages[static_cast<std::size_t>(stage)], folder));
    }
  }
  say("results: {}\n", display_path(folder));
  return summary.exit_code;
}

}  // namespace

void add_run(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App& verb = add_verb(
      app, line, "run", "run a pipeline: everything that is not fresh",
      "  headway run pipelines/quickstart.yaml\n"
      "  headway run p.yaml train plot        these stages, and what they need\n"
      "  headway run p.yaml --from train      train and all that follows from it\n"
      "  headway run p.yaml --until plot      up to plot\n"
      "  headway run p.yaml plot --only       plot alone; refuses if its inputs are not there\n"
      "  headway run p.yaml --force train     train again, though it is fresh\n"
      "  headway run p.yaml --set model.d_model=256 --set +tag=x\n"
      "  headway run p.yaml --variant wide -j 4 --keep-going\n"
      "  headway run p.yaml --dry-run         what would run, and why\n"
      "  headway run p.yaml --json            one JSON event a line\n",
      [arguments, &line] { return run(*arguments, line); });
  arguments->pipeline.add_file(verb, true);
  verb.add_option(
      "STAGE", arguments->stages,
      "stages to run, with what they need (default: all); train@* or train@small for a matrix");
  arguments->pipeline.add_changes(verb);
  arguments->pipeline.add_outputs(verb);
  verb.add_option("--from", arguments->from, "this stage and all that follows from it")
      ->type_name("STAGE");
  verb.add_option("--until", arguments->until, "this stage and all it needs")->type_name("STAGE");
  verb.add_flag("--only", arguments->only,
                "run nothing but the named stages; refuse if their inputs are not there");
  verb.add_option("--force", arguments->force,
                  "run again though fresh: STAGE, or all that was asked for")
      ->type_name("[STAGE]")
      ->allow_extra_args(false);
  arguments->settings.add_to(verb);
  verb.add_flag("-k,--keep-going", arguments->settings.keep_going,
                "after a failure, go on with what does not depend on it");
  verb.add_flag("-n,--dry-run", arguments->dry_run, "only say what would run, and why");
}

}  // namespace headway
