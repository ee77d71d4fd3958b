// `headway sweep`.
#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/engine.h"
#include "lib/cli/output.h"
#include "lib/cli/outputs_page.h"
#include "lib/cli/print_outputs.h"
#include "lib/cli/verbs.h"
#include "lib/run/taken_name.h"
#include "lib/sweep/comparison.h"
#include "lib/sweep/results.h"
#include "lib/sweep/saved_sweep.h"
#include "lib/sweep/successive_halving.h"

namespace headway {
namespace {

constexpr std::size_t kMostUnasked = 200;  // trials that need no --yes
constexpr std::size_t kMostRows = 20;      // of the table at the end

struct SweepArguments {
  PipelineArguments pipeline;
  std::string name;
  SweepChanges changes;
  bool yes = false;
  bool dry_run = false;
  RunSettings settings;

  // Options that are keys of a sweep in the file go there under their names.
  void add_setting(CLI::App& verb, const std::string& key, const std::string& type,
                   const std::string& help) {
    verb.add_option_function<std::string>(
            "--" + key,
            [this, key](const std::string& text) { changes.settings.emplace_back(key, text); },
            help)
        ->type_name(type);
  }
};

void refuse_too_many(const SweepLoader& loader, bool yes) {
  if (yes || loader.count() <= kMostUnasked) return;
  throw UsageError(fmt::format(
      "sweep '{}' has {} trials; more than {} need --yes (--dry-run shows what would run)",
      loader.sweep().name, loader.count(), kMostUnasked));
}

class Sweep {
 public:
  Sweep(const SweepArguments& arguments, CommandLine& line)
      : arguments_(arguments),
        line_(line),
        outputs_(arguments.pipeline.outputs_path()),
        store_(line.files, outputs_) {}

  int run() {
    PipelineFile file = read_file_with_sweeps(arguments_.pipeline.file, line_.files);
    const SweepRequest request = request_for(file);
    const SweepLoader loader(std::move(file), request, line_.stages, line_.files);
    if (!arguments_.dry_run) refuse_too_many(loader, arguments_.yes);
    // Also of halving: a mistake in any trial is told before the first one runs.
    SweepPipeline campaign = loader.load_all();
    if (arguments_.dry_run) return dry_run(campaign_so_far(loader, outputs_, line_.files));
    if (tells() && loader.sweep().trials > 0 && !loader.sweep().is_halving())
      tell_draws(loader, campaign);
    refuse_taken_name(campaign.pipeline,
                      PipelineState(line_.files, store_.layout(), campaign.pipeline.name,
                                    campaign.pipeline.variant),
                      store_);
    store_.prepare();
    remember_sweep(line_.files, store_.layout(), campaign.pipeline.name, campaign.pipeline.variant,
                   request);
    RunSettings settings = arguments_.settings;
    settings.keep_going = true;  // one failed trial does not end the others
    Engine engine(store_, line_.stages, settings);
    if (loader.sweep().is_halving()) {
      campaign = run_rungs(loader, engine);
    } else {
      run_campaign(campaign, engine, true);
    }
    if (!summary_.interrupted) refresh_outputs_page(line_.files, outputs_, campaign.pipeline);
    if (tells()) print_results(campaign);
    if (settings.json)
      print_exactly(to_line({{"event", "sweep-finished"},
                             {"sweep", campaign.pipeline.label()},
                             {"trials", campaign.trials.size() + campaign.failed.size()},
                             {"exit_code", summary_.exit_code}}) +
                    "\n");
    return summary_.exit_code;
  }

 private:
  // A name that the file does not declare is that of axes given before.
  SweepRequest request_for(const PipelineFile& file) {
    SweepRequest request{arguments_.name, arguments_.changes, arguments_.pipeline.variant,
                         arguments_.pipeline.sets};
    if (request.name.empty() || sweeps_of(file).find(request.name) || !request.changes.axes.empty())
      return request;
    const auto before = recall_sweep(line_.files, store_.layout(), file.name,
                                     sweep_label(request.name, request.variant));
    if (!before) return request;
    request.changes.axes = before->changes.axes;
    request.changes.settings.insert(request.changes.settings.begin(),
                                    before->changes.settings.begin(),
                                    before->changes.settings.end());
    if (request.sets.empty()) request.sets = before->sets;
    return request;
  }

  bool tells() const { return !arguments_.settings.quiet && !arguments_.settings.json; }

  // Small ranges are drawn from again and again.
  static void tell_draws(const SweepLoader& loader, const SweepPipeline& campaign) {
    std::size_t seeds = 1;
    for (const Axis& axis : loader.sweep().axes) {
      if (is_replicate(axis.path) && !axis.values.empty()) seeds *= axis.values.size();
    }
    const std::size_t different = campaign.trials.size() / seeds;
    if (different < loader.sweep().trials)
      say("{} configurations were drawn, {} of them are different\n", loader.sweep().trials,
          different);
  }

  int dry_run(const SweepPipeline& campaign) {
    say("{}: {} trials{}\n", campaign.pipeline.label(), campaign.trials.size(),
        campaign.sweep.is_halving() ? ", of the rungs so far" : "");
    const Graph graph = build_graph(campaign.pipeline);
    print_plan(campaign.pipeline, graph, store_, std::vector<bool>(graph.size(), true),
               std::vector<bool>(graph.stages, false));
    return 0;
  }

  void run_campaign(const SweepPipeline& campaign, Engine& engine, bool last) {
    const Graph graph = build_graph(campaign.pipeline);
    Engine::Task task{campaign.pipeline, graph};
    task.campaign = &campaign;
    task.forgets = last;
    const RunSummary summary = engine.run(task);
    summary_.interrupted = summary.interrupted;
    summary_.exit_code =
        summary.interrupted ? summary.exit_code : std::max(summary_.exit_code, summary.exit_code);
  }

  SweepPipeline run_rungs(const SweepLoader& loader, Engine& engine) {
    HalvingSteps steps;
    steps.run = [&](const SweepPipeline& campaign, bool last) {
      run_campaign(campaign, engine, last);
      return !summary_.interrupted;
    };
    steps.results = [&](const SweepPipeline& campaign) {
      return results_of(campaign, outputs_, line_.files);
    };
    if (tells()) tell_rungs(loader);
    steps.decided = [&](const RungDecisions& decided) { tell(decided, loader.sweep()); };
    return run_halving(loader, steps);
  }

  static void tell_rungs(const SweepLoader& loader) {
    const SweepSpec& sweep = loader.sweep();
    const HalvingPlan plan = plan_of(loader);
    std::vector<std::string> rungs;
    for (std::size_t i = 0; i < plan.amounts.size(); ++i)
      rungs.push_back(
          fmt::format("{} with {}={}", plan.places[i], sweep.resource, plan.amounts[i]));
    say("successive halving, {} rung{}: {}\n", rungs.size(), rungs.size() == 1 ? "" : "s",
        join(rungs, ", "));
    std::fflush(stdout);
  }

  void tell(const RungDecisions& rung, const SweepSpec& sweep) const {
    if (arguments_.settings.json) {
      for (const Decision& decision : rung.decisions) {
        print_exactly(to_line({{"event", "decision"},
                               {"rung", rung.rung},
                               {"amount", rung.amount},
                               {"configuration", decision.configuration},
                               {"rank", decision.rank},
                               {"goes_on", decision.goes_on},
                               {"reason", decision.reason}}) +
                      "\n");
      }
      std::fflush(stdout);
      return;
    }
    if (!tells()) return;
    std::vector<std::vector<std::string>> rows;
    for (const Decision& decision : rung.decisions)
      rows.push_back(
          {"  " + decision.configuration, decision.goes_on ? "goes on" : "stops", decision.reason});
    say("rung {} of {}, {}={}:\n{}", rung.rung, rung.rungs, sweep.resource, rung.amount,
        format_table(rows));
    std::fflush(stdout);
  }

  void print_results(const SweepPipeline& campaign) {
    const Path folder = store_.layout().results(campaign.pipeline.name, campaign.pipeline.variant);
    const std::vector<TrialResult> results = results_of(campaign, outputs_, line_.files);
    ComparisonOptions options = comparison_options(campaign, results);
    options.most_rows = kMostRows;
    const Table table = trial_table(results, {}, options.metrics);
    try {
      say("\n{}", fitting_text(table, options));
    } catch (const Error& error) {  // a metric that no trial has: the others are there all the same
      options.metrics.clear();
      options.objective.clear();
      say("\n{}\n\n{}", error.what(), fitting_text(table, options));
    }
    if (table.size() > kMostRows)
      say("`headway compare {} --sweep {}` shows all\n", arguments_.pipeline.file,
          campaign.pipeline.variant);
    for (const std::string& axis : campaign.unused_axes)
      say("no stage depends on '{}': trials that differ in it alone are the same\n", axis);
    if (summary_.exit_code == 0) {
      for (const StageSpec& stage : campaign.pipeline.stages) {
        if (stage.places.empty()) say("{}", printed_outputs(line_.files, stage, folder));
      }
    }
    say("results: {}\n", display_path(folder));
  }

  const SweepArguments& arguments_;
  CommandLine& line_;
  const Path outputs_;
  Store store_;
  RunSummary summary_;
};

}  // namespace

void add_sweep(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<SweepArguments>();
  CLI::App& verb = add_verb(
      app, line, "sweep", "run a pipeline with many values of its parameters, as one graph",
      "  headway sweep p.yaml heads                 a sweep that the file declares\n"
      "  headway sweep p.yaml --axis model.n_heads=1,2,4,8 --axis seed=1,2,3\n"
      "  headway sweep p.yaml --axis train.lr=log:1e-4..1e-2:8 --maximize evaluate.greedy\n"
      "  headway sweep p.yaml --axis train.lr=log:1e-4..1e-2 --method random --trials 20\n"
      "  headway sweep p.yaml --axis train.lr=log:1e-4..1e-2:9 --method halving\n"
      "                --resource train.epochs --max 27 --maximize train.greedy\n"
      "  headway sweep p.yaml heads --dry-run       what would run, and why\n"
      "Running it again goes on where it was; more values compute only the new trials.\n",
      [arguments, &line] { return Sweep(*arguments, line).run(); });
  arguments->pipeline.add_file(verb, true);
  verb.add_option("NAME", arguments->name,
                  "a sweep of the file (default: its only one), or a name for these axes");
  verb.add_option("--axis", arguments->changes.axes,
                  "a parameter of `params`, or STAGE.PARAMETER, and its values: NAME=1,2,4, "
                  "NAME=log:LOW..HIGH:COUNT, lin:LOW..HIGH:COUNT or int:LOW..HIGH:STEP; besides, "
                  "or instead of, those of the file")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false);
  arguments->add_setting(verb, "method", "M", "grid (all combinations), random or halving");
  arguments->add_setting(verb, "trials", "N",
                         "draw that many configurations, instead of taking all combinations");
  arguments->add_setting(verb, "seed", "N", "of random search: the draws");
  arguments->add_setting(verb, "maximize", "METRIC", "what is best: STAGE.METRIC");
  arguments->add_setting(verb, "minimize", "METRIC", "the same, the other way round");
  arguments->add_setting(verb, "until", "STAGE", "trials run this stage and what it needs");
  arguments->add_setting(verb, "resource", "NAME", "of halving: the parameter that is given out");
  arguments->add_setting(verb, "min", "N", "of halving: what the first rung gets of it");
  arguments->add_setting(verb, "max", "N",
                         "of halving: what the last rung gets (default: the file's)");
  arguments->add_setting(verb, "eta", "N", "of halving: one in N goes on (default: 3)");
  arguments->pipeline.add_changes(verb);
  arguments->pipeline.add_outputs(verb);
  verb.add_flag("-y,--yes", arguments->yes, fmt::format("run more than {} trials", kMostUnasked));
  verb.add_flag("-n,--dry-run", arguments->dry_run, "only say what would run, and why");
  arguments->settings.add_to(verb);
}

}  // namespace headway
