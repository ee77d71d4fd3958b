// `headway run`.
#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "lib/base/error.h"
#include "lib/base/interrupt.h"
#include "lib/base/text.h"
#include "lib/cli/print_outputs.h"
#include "lib/cli/verbs.h"
#include "lib/run/command_executor.h"
#include "lib/run/json_observer.h"
#include "lib/run/log_observer.h"
#include "lib/run/messages.h"
#include "lib/run/runner.h"
#include "lib/run/session.h"
#include "lib/run/terminal_observer.h"
#include "lib/run/trace_observer.h"
#include "lib/worker/worker_executor.h"

namespace headway {
namespace {

struct RunArguments {
  PipelineArguments pipeline;
  std::vector<std::string> stages;
  std::string from;
  std::string until;
  std::vector<std::string> force;  // "*": everything that was asked for
  int cpus = 0;
  bool only = false;
  bool keep_going = false;
  bool dry_run = false;
  bool quiet = false;
  bool json = false;
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

int dry_run(const PipelineSpec& pipeline, const Graph& graph, Store& store,
            const Selection& selection) {
  FactMaker facts(pipeline, store);
  facts.keep_lists(false);
  const PipelineState state(store.files(), store.layout(), pipeline.name, pipeline.variant);
  const Plan plan =
      make_plan(pipeline, graph, store, state, facts, selection.selected, selection.forced);
  std::vector<std::vector<std::string>> rows;
  std::size_t fresh = 0;
  for (const int node : graph.order) {
    const auto index = static_cast<std::size_t>(node);
    if (!graph.is_stage(node) || !selection.selected[index]) continue;
    if (plan.finished[index]) {
      ++fresh;
      continue;
    }
    const bool waits = plan.stages[index].verdict == StagePlan::Verdict::kWaits;
    rows.push_back({waits ? "may run" : "would run", pipeline.stages[index].name,
                    reason(pipeline, pipeline.stages[index], plan.stages[index],
                           state.find(pipeline.stages[index].name), store)});
  }
  fmt::print("{}{}: {} to run or look at, {} fresh\n", format_table(rows), pipeline.label(),
             rows.size(), fresh);
  return 0;
}

std::shared_ptr<spdlog::logger> plain_logger() {
  auto logger = std::make_shared<spdlog::logger>("headway",
                                                 std::make_shared<spdlog::sinks::stdout_sink_mt>());
  logger->set_pattern("%T %v");
  return logger;
}

bool is_live_terminal() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) != 0 && terminal && std::string(terminal) != "dumb";
}

std::unique_ptr<Observer> people_observer(const RunArguments& arguments) {
  if (arguments.json) return std::make_unique<JsonObserver>(stdout);
  if (is_live_terminal() && !arguments.quiet) {
    const char* no_colour = std::getenv("NO_COLOR");
    return std::make_unique<TerminalObserver>(stdout, !no_colour || !*no_colour);
  }
  return std::make_unique<LogObserver>(plain_logger(), arguments.quiet);
}

// Beside our own program, unless told otherwise.
Path worker_program() {
  if (const char* set = std::getenv("HEADWAY_WORKER")) return set;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "headway-worker";
}

std::uint64_t machine_memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

int default_cpus() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int run(const RunArguments& arguments, CommandLine& line) {
  Store store(line.files, arguments.pipeline.outputs_path());
  PipelineSpec pipeline = load(arguments.pipeline, line);
  const Graph graph = build_graph(pipeline);
  const Selection selection = select(arguments, pipeline, graph);
  if (arguments.dry_run) return dry_run(pipeline, graph, store, selection);

  Interrupt interrupt;
  const SignalGuard signals(interrupt);
  RunSession session(store, interrupt);
  Observers observers;
  observers.add(people_observer(arguments));
  observers.add(std::make_unique<TraceObserver>(session.folder()));
  CommandExecutor commands;
  WorkerExecutor workers(worker_program());
  DispatchingExecutor executor(commands, workers);
  RunOptions options;
  options.id = session.id();
  options.work = session.work();
  options.cpus = arguments.cpus > 0 ? arguments.cpus : default_cpus();
  options.memory = machine_memory();
  options.keep_going = arguments.keep_going;
  options.selected = selection.selected;
  options.forced = selection.forced;
  options.only = selection.only;
  const RunSummary summary =
      Runner(pipeline, graph, store, executor, observers, interrupt, options).run();

  OutputsTree tree(store, pipeline.name, pipeline.variant, session.work());
  tree.show_file("trace.json", session.folder() / "trace.json");
  if (arguments.quiet || arguments.json) return summary.exit_code;
  if (summary.exit_code == 0) {
    for (const int stage : selection.targets) {
      fmt::print("{}",
                 printed_outputs(store.files(), pipeline.stages[static_cast<std::size_t>(stage)],
                                 tree.folder()));
    }
  }
  fmt::print("results: {}\n", shown(tree.folder()));
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
  verb.add_option("-j,--jobs", arguments->cpus,
                  "how many cpus stages may use together (default: all)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  verb.add_flag("-k,--keep-going", arguments->keep_going,
                "after a failure, go on with what does not depend on it");
  verb.add_flag("-n,--dry-run", arguments->dry_run, "only say what would run, and why");
  verb.add_flag("-q,--quiet", arguments->quiet, "only warnings and failures");
  verb.add_flag("--json", arguments->json, "one JSON event a line on standard output");
}

}  // namespace headway
