// `headway run`: runs a pipeline, or some of its stages.
#include <algorithm>
#include <iterator>

#include "lib/base/error.h"
#include "lib/cli/engine.h"
#include "lib/cli/output.h"
#include "lib/cli/pages.h"
#include "lib/cli/verbs.h"

namespace headway {
namespace {

struct RunArguments : PipelineArguments {
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

Request read_request(const RunArguments& arguments, PipelineSpec& pipeline, const Graph& graph) {
  Request request;
  std::vector<std::string> names = arguments.stages;
  if (!arguments.until.empty()) names.push_back(arguments.until);
  for (const std::string& name : names)
    std::ranges::copy(select_stages(pipeline, name), std::back_inserter(request.targets));
  const bool named = !request.targets.empty();
  if (!named) request.targets = pipeline.stages.ids();
  if (!arguments.from.empty()) {
    const NodeSet below = with_descendants(graph, select_stages(pipeline, arguments.from));
    const NodeSet above = with_ancestors(graph, request.targets);
    request.targets.clear();
    for (const StageId stage : pipeline.stages.ids()) {
      if (below[graph.node_of(stage)] && above[graph.node_of(stage)])
        request.targets.push_back(stage);
    }
    if (request.targets.empty())
      throw UsageError("nothing lies between --from {} and {}", arguments.from,
                       arguments.until.empty() ? "the stages named" : "--until " + arguments.until);
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
    for (const StageId stage : name == "*" ? request.targets : select_stages(pipeline, name)) {
      if (!selection.nodes[graph.node_of(stage)])
        throw UsageError("--force {}: that stage is not part of this run", name);
      selection.forced[stage] = true;
    }
  }
  return request;
}

int run(const RunArguments& arguments, CommandLine& line) {
  Store store(line.files, arguments.outputs_path());
  PipelineSpec pipeline = load(arguments, line);
  const Graph graph = build_graph(pipeline);
  const Request request = read_request(arguments, pipeline, graph);
  const RunSettings settings = arguments.settings.at_site(arguments.file, line.files, line.stages);
  if (arguments.dry_run) {
    print_plan(pipeline, store, settings, request.selection);
    return 0;
  }
  Engine engine(store, line.stages, settings);
  const RunSummary summary = engine.run({pipeline, graph, request.selection});
  if (!summary.interrupted) refresh_outputs_page(store.layout().outputs(), pipeline, line);
  if (settings.quiet || settings.json) return summary.exit_code;
  const Path folder = store.layout().results(pipeline.name, pipeline.variant);
  if (summary.exit_code == 0) {
    for (const StageId stage : request.targets)
      say("{}", printed_outputs(store.files(), pipeline.stages[stage], folder));
  }
  say("results: {}\n", display_path(folder));
  return summary.exit_code;
}

}  // namespace

void add_run(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] = add_verb(
      app, line, "run", "run a pipeline: everything that is not fresh",
      "  headway run pipelines/quickstart.yaml\n"
      "  headway run p.yaml train plot        these stages, and what they need\n"
      "  headway run p.yaml --from train      train and all that follows from it\n"
      "  headway run p.yaml --until plot      up to plot\n"
      "  headway run p.yaml plot --only       plot alone; refuses if its inputs are not there\n"
      "  headway run p.yaml --force train     train again from nothing, though it is fresh\n"
      "  headway run p.yaml --set model.d_model=256 --set +tag=x\n"
      "  headway run p.yaml --variant wide -j 4 --keep-going\n"
      "  headway run p.yaml --dry-run         what would run, and why\n"
      "  headway run p.yaml --json            one JSON event a line\n",
      run);
  arguments.add_file(verb, true);
  verb.add_option(
      "STAGE", arguments.stages,
      "stages to run, with what they need (default: all); train@* or train@small for a matrix");
  arguments.add_changes(verb);
  arguments.add_outputs(verb);
  verb.add_option("--from", arguments.from, "this stage and all that follows from it")
      ->type_name("STAGE");
  verb.add_option("--until", arguments.until, "this stage and all it needs")->type_name("STAGE");
  verb.add_flag("--only", arguments.only,
                "run nothing but the named stages; refuse if their inputs are not there");
  verb.add_option("--force", arguments.force,
                  "run again from nothing, though fresh or interrupted half-way: STAGE, or all "
                  "requested stages")
      ->type_name("[STAGE]")
      ->allow_extra_args(false);
  arguments.settings.add_to(verb);
  verb.add_flag("-k,--keep-going", arguments.settings.limits.keep_going,
                "after a failure, go on with what does not depend on it");
  verb.add_flag("-n,--dry-run", arguments.dry_run, "only say what would run, and why");
}

}  // namespace headway
