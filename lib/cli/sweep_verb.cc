// `headway sweep`.
#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/cli/engine.h"
#include "lib/cli/output.h"
#include "lib/cli/pages.h"
#include "lib/cli/project.h"
#include "lib/cli/verbs.h"
#include "lib/run/plan.h"
#include "lib/sweep/saved_sweep.h"
#include "lib/sweep/sweep_run.h"
#include "lib/sweep/trial_results.h"

namespace headway {
namespace {

constexpr std::size_t kMostUnasked = 200;  // trials that need no --yes

struct SweepArguments : PipelineArguments {
  std::string name;
  SweepChanges changes;
  bool yes = false;
  bool dry_run = false;
  RunSettings settings;

  bool is_for_people() const { return !settings.quiet && !settings.json; }

  // An option for a key that a sweep may have in the file.
  void add_setting(CLI::App& verb, const std::string& key, const std::string& type,
                   const std::string& help) {
    verb.add_option_function<std::string>(
            "--" + key,
            [this, key](const std::string& text) { changes.settings.emplace_back(key, text); },
            help)
        ->type_name(type);
  }
};

int print_sweep_plan(const SweepPipeline& sweep_pipeline, const RunSettings& settings,
                     Store& store) {
  if (!settings.json)
    say("{}: {} trials{}\n", sweep_pipeline.pipeline.label(), sweep_pipeline.trials.size(),
        sweep_pipeline.sweep.is_halving() ? ", of the rungs so far" : "");
  print_plan(sweep_pipeline.pipeline, store, settings);
  return 0;
}

void print_results(const SweepOutcome& outcome, const std::string& file, Store& store) {
  const PipelineSpec& pipeline = outcome.sweep_pipeline.pipeline;
  const Path& outputs = store.layout().outputs();
  const PrintedWidth width = printed_width();
  say("{}", sweep_results_text(
                outcome.sweep_pipeline, results_of(outcome.sweep_pipeline, outputs, store.files()),
                width.columns, width.is_terminal,
                fmt::format("headway compare {} --sweep {}", file, pipeline.variant)));
  const Path folder = store.layout().results(pipeline.name, pipeline.variant);
  for (const StageSpec& stage : pipeline.stages) {
    if (outcome.exit_code == 0 && stage.places.empty())
      say("{}", printed_outputs(store.files(), stage, folder));
  }
  say("results: {}\n", display_path(folder));
}

int sweep(const SweepArguments& arguments, CommandLine& line) {
  Store store(line.files, arguments.outputs_path());
  const Path& outputs = store.layout().outputs();
  PipelineFile file = read_file_with_sweeps(arguments.file, line.files);
  const SweepRequest request =
      with_saved_axes({arguments.name, arguments.changes, arguments.variant, arguments.sets}, file,
                      store.layout(), line.files);
  const SweepLoader loader(std::move(file), request, line.stages, line.files);
  if (!arguments.dry_run && !arguments.yes && loader.count() > kMostUnasked)
    throw UsageError(
        "sweep '{}' has {} trials; more than {} need --yes (--dry-run shows what would run)",
        loader.sweep().name, loader.count(), kMostUnasked);
  // Also for halving: a mistake in any trial is reported before the first one runs.
  SweepPipeline all = loader.load_all();
  RunSettings settings = arguments.settings.at_site(arguments.file, line.files, line.stages);
  if (arguments.dry_run)
    return print_sweep_plan(sweep_so_far(loader, outputs, line.files), settings, store);
  if (arguments.is_for_people()) say("{}", draws_text(loader, all));
  const std::string name = all.pipeline.name, variant = all.pipeline.variant;
  refuse_taken_name(all.pipeline, PipelineState(line.files, store.layout(), name, variant), store);
  require_writable(outputs);
  store.prepare();
  save_sweep(line.files, store.layout(), name, variant, request);
  settings.limits.keep_going = true;  // one failed trial does not end the others
  Engine engine(store, line.stages, settings);
  if (arguments.is_for_people() && loader.sweep().is_halving()) say("{}", halving_text(loader));
  std::fflush(stdout);
  SweepSteps steps;
  steps.run = [&](const SweepPipeline& sweep_pipeline, bool last) {
    const Graph graph = build_graph(sweep_pipeline.pipeline);
    Engine::Task task{sweep_pipeline.pipeline, graph};
    task.sweep = &sweep_pipeline;
    task.forgets = last;
    return engine.run(task);
  };
  steps.decided = [&](const RungDecisions& rung) {
    if (settings.json) {
      for (const Json& event : decision_events(rung)) print_event(event);
    } else if (!settings.quiet) {
      say("{}", decisions_text(rung, loader.sweep().resource));
    }
    std::fflush(stdout);
  };
  const SweepOutcome outcome = run_sweep(loader, std::move(all), steps, outputs, line.files);
  const SweepPipeline& last = outcome.sweep_pipeline;
  if (!outcome.interrupted) refresh_outputs_page(outputs, last.pipeline, line);
  if (arguments.is_for_people()) print_results(outcome, arguments.file, store);
  if (settings.json)
    print_event({{"event", "sweep-finished"},
                 {"sweep", last.pipeline.label()},
                 {"trials", last.trials.size() + last.failed.size()},
                 {"exit_code", outcome.exit_code}});
  return outcome.exit_code;
}

}  // namespace

void add_sweep(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] = add_verb(
      app, line, "sweep", "run a pipeline with many values of its parameters, as one graph",
      "  headway sweep p.yaml heads                 a sweep that the file declares\n"
      "  headway sweep p.yaml --axis model.n_heads=1,2,4,8 --axis seed=1,2,3\n"
      "  headway sweep p.yaml --axis train.lr=log:1e-4..1e-2:8 --maximize evaluate.greedy\n"
      "  headway sweep p.yaml --axis train.lr=log:1e-4..1e-2 --method random --trials 20\n"
      "  headway sweep p.yaml --axis train.lr=log:1e-4..1e-2:9 --method halving\n"
      "                --resource train.epochs --max 27 --maximize train.greedy\n"
      "  headway sweep p.yaml heads --dry-run       what would run, and why\n"
      "Running it again goes on where it was; more values compute only the new trials.\n",
      sweep);
  arguments.add_file(verb, true);
  verb.add_option("NAME", arguments.name,
                  "a sweep of the file (default: its only one), or a name for these axes");
  verb.add_option("--axis", arguments.changes.axes,
                  "a parameter of `params`, or STAGE.PARAMETER, and its values: NAME=1,2,4, "
                  "NAME=log:LOW..HIGH:COUNT, lin:LOW..HIGH:COUNT or int:LOW..HIGH:STEP; besides, "
                  "or instead of, those of the file")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false);
  arguments.add_setting(verb, "method", "M", "grid (all combinations), random or halving");
  arguments.add_setting(verb, "trials", "N",
                        "draw that many configurations, instead of taking all combinations");
  arguments.add_setting(verb, "seed", "N", "of random search: the draws");
  arguments.add_setting(verb, "maximize", "METRIC", "what is best: STAGE.METRIC");
  arguments.add_setting(verb, "minimize", "METRIC", "the same, the other way round");
  arguments.add_setting(verb, "until", "STAGE", "trials run this stage and what it needs");
  arguments.add_setting(verb, "resource", "NAME", "of halving: the parameter that is given out");
  arguments.add_setting(verb, "min", "N", "of halving: what the first rung gets of it");
  arguments.add_setting(verb, "max", "N",
                        "of halving: what the last rung gets (default: the file's)");
  arguments.add_setting(verb, "eta", "N", "of halving: one in N goes on (default: 3)");
  arguments.add_changes(verb);
  arguments.add_outputs(verb);
  verb.add_flag("-y,--yes", arguments.yes, fmt::format("run more than {} trials", kMostUnasked));
  verb.add_flag("-n,--dry-run", arguments.dry_run, "only say what would run, and why");
  arguments.settings.add_to(verb);
}

}  // namespace headway
