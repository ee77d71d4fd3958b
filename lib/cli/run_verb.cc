// `headway run`: runs a pipeline, or some of its stages.
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
  std::vector<std::string> force;  // "*": all requested stages
  bool only = false;
  bool dry_run = false;
  RunSettings settings;
};

// The stages that were asked for, and what a run of them looks at.
struct Request {
  std::vector<StageId> targets;
  Selection selection;
};

std::vector<StageId> all_stages(const PipelineSpec& pipeline) {
  std::vector<StageId> stages;
  for (const StageId stage : pipeline.stages.ids()) stages.push_back(stage);
  return stages;
}

Request read_request(const RunArguments& arguments, PipelineSpec& pipeline, const Graph& graph) {
  Request request;
  const auto add = [&](std::vector<StageId>& to, const std::string& name) {
    for (const StageId stage : select_stages(pipeline, name)) to.push_back(stage);
  };
  for (const std::string& name : arguments.stages) add(request.targets, name);
  if (!arguments.until.empty()) add(request.targets, arguments.until);
  const bool named = !request.targets.empty();
  if (!named) request.targets = all_stages(pipeline);
  if (!arguments.from.empty()) {
    std::vector<StageId> start;
    add(start, arguments.from);
    const NodeSet below = with_descendants(graph, start);
    const NodeSet above = named ? with_ancestors(graph, request.targets) : graph.all_nodes();
    request.targets.clear();
    for (const StageId stage : all_stages(pipeline)) {
      if (below[graph.node_of(stage)] && above[graph.node_of(stage)])
        request.targets.push_back(stage);
    }
    if (request.targets.empty())
      throw UsageError(
          fmt::format("nothing lies between --from {} and {}", arguments.from,
                      arguments.until.empty() ? "the stages named" : "--until " + arguments.until));
  }
  if (arguments.only && !named && arguments.from.empty())
    throw UsageError("--only needs the name of a stage");
  Selection& selection = request.selection;
  selection.nodes = with_ancestors(graph, request.targets);
  selection.forced.assign(graph.stages, false);
  if (arguments.only) {
    selection.only.assign(graph.stages, false);
    for (const StageId stage : request.targets) selection.only[stage] = true;
  }
  for (const std::string& name : arguments.force) {
    std::vector<StageId> stages;
    if (name == "*") {
      stages = request.targets;
    } else {
      add(stages, name);
    }
    for (const StageId stage : stages) {
      if (!selection.nodes[graph.node_of(stage)])
        throw UsageError(fmt::format("--force {}: that stage is not part of this run", name));
      selection.forced[stage] = true;
    }
  }
  return request;
}

int run(const RunArguments& arguments, CommandLine& line) {
  Store store(line.files, arguments.pipeline.outputs_path());
  PipelineSpec pipeline = load(arguments.pipeline, line);
  const Graph graph = build_graph(pipeline);
  const Request request = read_request(arguments, pipeline, graph);
  if (arguments.dry_run) {
    print_plan(pipeline, store, request.selection);
    return 0;
  }
  Engine engine(store, line.stages, arguments.settings);
  const RunSummary summary = engine.run({pipeline, graph, request.selection});
  if (!summary.interrupted) refresh_outputs_page(line.files, store.layout().outputs(), pipeline);
  if (arguments.settings.quiet || arguments.settings.json) return summary.exit_code;
  const Path folder = store.layout().results(pipeline.name, pipeline.variant);
  if (summary.exit_code == 0) {
    for (const StageId stage : request.targets) {
      say("{}", printed_outputs(store.files(), pipeline.stages[stage], folder));
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
                  "run again though fresh: STAGE, or all requested stages")
      ->type_name("[STAGE]")
      ->allow_extra_args(false);
  arguments->settings.add_to(verb);
  verb.add_flag("-k,--keep-going", arguments->settings.limits.keep_going,
                "after a failure, go on with what does not depend on it");
  verb.add_flag("-n,--dry-run", arguments->dry_run, "only say what would run, and why");
}

}  // namespace headway
