// `headway compare`.
#include <fmt/format.h>

#include <map>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/sweep/comparison.h"
#include "lib/sweep/results.h"
#include "lib/sweep/saved_sweep.h"

namespace headway {
namespace {

struct CompareArguments {
  PipelineArguments pipeline;
  std::string variants;
  std::string maximize;
  std::string minimize;
  std::string metrics;
  bool each = false;
  bool csv = false;
  bool json = false;
  bool markdown = false;
};

// What is compared, and what the sweep, where it is one, calls good.
struct Compared {
  std::vector<TrialResult> results;
  std::string what;
  std::string run;  // the command that makes what is missing
  ComparisonOptions options;
  std::vector<std::string> notes;
  std::set<std::string> stages;  // that have metrics, whether they ran or not

  void add_stage(const StageSpec& stage) {
    if (stage.has_metrics()) stages.insert(stage.name);
  }
};

Compared compare_sweep(const CompareArguments& arguments, CommandLine& line) {
  const SweepLoader loader = load_sweep(arguments.pipeline, arguments.pipeline.sweep, line);
  const SweepPipeline campaign =
      campaign_so_far(loader, arguments.pipeline.outputs_path(), line.files);
  Compared compared;
  compared.results = results_of(campaign, arguments.pipeline.outputs_path(), line.files);
  compared.what = fmt::format("sweep '{}'", campaign.pipeline.variant);
  const std::vector<std::string> label = split(loader.sweep().name, '@');
  compared.run = fmt::format("headway sweep {} {}{}", arguments.pipeline.file, label[0],
                             label.size() > 1 ? " --variant " + label[1] : "");
  compared.options = comparison_options(campaign, compared.results);
  for (const StageSpec& stage : campaign.pipeline.stages) compared.add_stage(stage);
  for (const SweepTrial& trial : campaign.trials) {
    for (const StagePlace& place : trial.stages) {
      if (compared.stages.contains(
              campaign.pipeline.stages[static_cast<std::size_t>(place.stage)].name))
        compared.stages.insert(place.name);
    }
  }
  if (!loader.sets().empty())
    compared.notes.push_back("with --set " + join(loader.sets(), " --set "));
  for (const std::string& axis : campaign.unused_axes)
    compared.notes.push_back(fmt::format("no stage depends on '{}'", axis));
  return compared;
}

Compared compare_variants(const CompareArguments& arguments, std::vector<std::string> variants,
                          CommandLine& line) {
  Compared compared;
  compared.results = results_of_variants(arguments.pipeline, variants, arguments.each, line);
  compared.what = "these variants";
  compared.run = fmt::format("headway run {} --variant …", arguments.pipeline.file);
  const PipelineSpec pipeline =
      load_file(arguments.pipeline.file, {variants.front(), arguments.pipeline.sets, {}}, line);
  for (const StageSpec& stage : pipeline.stages) compared.add_stage(stage);
  return compared;
}

// Where neither is named: the only sweep there is, else the pipeline as it stands and its variants.
Compared compare(const CompareArguments& arguments, CommandLine& line) {
  if (!arguments.pipeline.sweep.empty() && !arguments.variants.empty())
    throw UsageError("either --sweep or --variants, not both");
  if (!arguments.pipeline.sweep.empty()) return compare_sweep(arguments, line);
  const Layout layout(arguments.pipeline.outputs_path());
  const PipelineFile file = read_file_with_sweeps(arguments.pipeline.file, line.files);
  if (!arguments.variants.empty()) {
    std::vector<std::string> variants = split(arguments.variants, ',');
    if (std::set<std::string>(variants.begin(), variants.end()).size() < variants.size())
      throw UsageError("--variants: one of them is named twice");
    for (std::string& variant : variants) {
      if (variant == file.name && !file.variants.find(variant)) variant.clear();
    }
    return compare_variants(arguments, variants, line);
  }
  std::vector<std::string> sweeps = keys_of(sweeps_of(file));
  for (const KnownPipeline& known : known_pipelines(line.files, layout)) {
    const bool listed = std::find(sweeps.begin(), sweeps.end(), known.variant) != sweeps.end();
    if (known.name == file.name && !listed &&
        recall_sweep(line.files, layout, known.name, known.variant))
      sweeps.push_back(known.variant);
  }
  if (sweeps.size() > 1)
    throw UsageError(fmt::format("which sweep? --sweep {}", join(sweeps, " or --sweep ")));
  if (sweeps.size() == 1) {
    CompareArguments with_sweep = arguments;
    with_sweep.pipeline.sweep = sweeps[0];
    return compare_sweep(with_sweep, line);
  }
  std::vector<std::string> variants = keys_of(file.variants);
  if (variants.empty())
    throw UsageError(
        fmt::format("{} has neither sweeps nor variants to compare", arguments.pipeline.file));
  variants.insert(variants.begin(), "");
  return compare_variants(arguments, variants, line);
}

void choose_columns(const CompareArguments& arguments, const std::vector<std::string>& all_metrics,
                    ComparisonOptions& options) {
  if (!arguments.maximize.empty() && !arguments.minimize.empty())
    throw UsageError("either --maximize or --minimize, not both");
  if (!arguments.maximize.empty() || !arguments.minimize.empty()) {
    options.maximise = !arguments.maximize.empty();
    options.objective = options.maximise ? arguments.maximize : arguments.minimize;
  }
  if (arguments.metrics == "all") {
    options.metrics = all_metrics;
  } else if (!arguments.metrics.empty()) {
    options.metrics = split(arguments.metrics, ',');
  }
  options.each = arguments.each;
}

// A metric of a stage that is not there at all is a mistake; one of a stage that has not run yet is
// not.
void check_metrics(const CompareArguments& arguments, const Compared& compared) {
  std::vector<std::string> wanted = split(arguments.metrics, ',');
  wanted.insert(wanted.end(), {arguments.maximize, arguments.minimize});
  const std::vector<std::string> known(compared.stages.begin(), compared.stages.end());
  for (const std::string& metric : wanted) {
    if (metric.empty() || metric == "all") continue;
    for (const std::string& part : parts_of_ratio(metric)) {
      if (compared.stages.contains(part) || split_metric(part, known)) continue;
      throw UsageError(unknown_metric(part, known));
    }
  }
}

int run_compare(const CompareArguments& arguments, CommandLine& line) {
  Compared compared = compare(arguments, line);
  const std::vector<std::string> all_metrics = metrics_of(trial_table(compared.results, {}));
  choose_columns(arguments, all_metrics, compared.options);
  std::map<std::string, std::size_t> missing;
  std::size_t have_results = 0;
  for (const TrialResult& result : compared.results) {
    have_results += !result.metrics.empty();
    if (!result.status.empty() && result.status != kTrialDone) ++missing[result.status];
  }
  if (have_results == 0)
    throw UsageError(fmt::format("{} has no results with the file as it is now; run: {}",
                                 compared.what, compared.run));
  check_metrics(arguments, compared);
  const Table table = trial_table(compared.results, {}, compared.options.metrics);
  const Comparison comparison = compare_trials(table, compared.options);
  if (arguments.csv) {
    print_exactly(to_table(comparison).to_csv());
  } else if (arguments.json) {
    print_exactly(to_json(comparison).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  } else if (arguments.markdown) {
    print_exactly(to_markdown(comparison));
  } else {
    say("{}", fitting_text(table, compared.options));
    for (const std::string& note : compared.notes) say("{}\n", note);
  }
  for (const auto& [status, count] : missing)
    complain("{} of {} trials: {}\n", count, compared.results.size(), status);
  return 0;
}

}  // namespace

void add_compare(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App& verb = add_verb(
      app, line, "compare", "trials or variants side by side: what differs, and what came of it",
      "  headway compare p.yaml                     its sweep, or all its variants\n"
      "  headway compare p.yaml --sweep heads --maximize evaluate.greedy\n"
      "  headway compare p.yaml --variants seed-642,seed-643\n"
      "  headway compare p.yaml --metrics evaluate.greedy,prune.tolerances --md\n"
      "Means over seeds have their 95 % interval behind ±; --each shows every trial.\n",
      [arguments, &line] { return run_compare(*arguments, line); });
  arguments->pipeline.add_file(verb, true);
  arguments->pipeline.add_sweep(verb);
  verb.add_option("--variants", arguments->variants,
                  "variants of the file; the pipeline's name means: as it stands")
      ->type_name("A,B");
  verb.add_option("--maximize", arguments->maximize, "sort by this metric: STAGE.METRIC")
      ->type_name("METRIC");
  verb.add_option("--minimize", arguments->minimize, "the same, the smallest first")
      ->type_name("METRIC");
  verb.add_option("--metrics", arguments->metrics, "the columns to show; all: every one")
      ->type_name("A,B");
  verb.add_flag("--each", arguments->each, "a row for each trial, no means over seeds");
  CLI::Option* csv = verb.add_flag("--csv", arguments->csv, "as CSV");
  CLI::Option* json = verb.add_flag("--json", arguments->json, "as JSON")->excludes(csv);
  verb.add_flag("--md", arguments->markdown, "as a Markdown table")->excludes(csv)->excludes(json);
  arguments->pipeline.add_changes(verb);
  arguments->pipeline.add_outputs(verb);
}

}  // namespace headway
