// `headway compare`.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/spec/variation.h"
#include "lib/sweep/saved_sweep.h"
#include "lib/sweep/trial_results.h"

namespace headway {
namespace {

struct CompareArguments : PipelineArguments {
  std::string variants;
  std::string maximize;
  std::string minimize;
  std::string metrics;
  bool each = false;
  bool csv = false;
  bool json = false;
  bool markdown = false;

  // Variants that were named are rows, even if they differ only in their seeds.
  bool shows_each() const { return each || !variants.empty(); }
};

// The runs, who has them ("sweep 's' has"), and how to make what is missing.
struct Compared {
  ComparedRuns runs;
  std::string who_has;
  std::string command;
  std::vector<std::string> notes = {};
};

Compared compare_sweep(const CompareArguments& arguments, PipelineFile file,
                       const std::string& name, CommandLine& line) {
  const Layout layout(arguments.outputs_path());
  const SweepLoader loader = load_saved_sweep(std::move(file), name, arguments.variant,
                                              arguments.sets, layout, line.stages, line.files);
  const SweepPipeline sweep = sweep_so_far(loader, layout.outputs(), line.files);
  const std::string changes = quote_for_shell(sweep.pipeline.arguments);
  Compared compared{
      compare_trials_of(sweep, layout.outputs(), line.files),
      fmt::format("sweep '{}' has", sweep.pipeline.variant),
      fmt::format("headway sweep {} {}{}{}", arguments.file, sweep.pipeline.own_command.back(),
                  changes.empty() ? "" : " ", changes)};
  if (!changes.empty()) compared.notes.push_back("with " + changes);
  for (const std::string& axis : sweep.unused_axes)
    compared.notes.push_back(fmt::format("no stage depends on '{}'", axis));
  return compared;
}

Compared compare_variants(const CompareArguments& arguments, const PipelineFile& file,
                          const std::vector<LoadOptions>& variations, CommandLine& line) {
  return {compare_variations_of(file, variations, arguments.shows_each(), arguments.outputs_path(),
                                line.stages, line.files),
          "these variants have", fmt::format("headway run {} --variant …", arguments.file)};
}

struct NamedVariation {
  std::string name;
  LoadOptions options;
};

// The file as it is, its variants, and what has run with --set.
std::vector<NamedVariation> all_variations(const PipelineFile& file,
                                           const CompareArguments& arguments, CommandLine& line) {
  std::vector<NamedVariation> variations{{file.name, {"", arguments.sets, {}}}};
  for (const std::string& variant : keys_of(file.variants))
    variations.push_back({variant, {variant, arguments.sets, {}}});
  const Layout layout(arguments.outputs_path());
  for (const KnownPipeline& known : known_pipelines(line.files, layout)) {
    if (known.name != file.name || !arguments.sets.empty() ||
        find_saved_sweep(line.files, layout, known.name, known.variant))
      continue;
    const PipelineState state(line.files, layout, known.name, known.variant);
    LoadOptions options = options_from(state.arguments());
    // With the file as it is now, it may be another variation, or none.
    if (!options.sets.empty() && variation_name(file, options).text == known.variant)
      variations.push_back({known.variant, std::move(options)});
  }
  return variations;
}

// The first of the names in `text`, which are separated by commas. A name may itself contain some
// ("a=5,seed=3"), so the longest that is known counts.
std::string first_name(const std::string& text, const std::vector<NamedVariation>& known) {
  std::string found;
  for (const auto& [name, options] : known) {
    if (name.size() > found.size() && (text == name || text.starts_with(name + ","))) found = name;
  }
  return found.empty() ? text.substr(0, text.find(',')) : found;
}

// Those that --variants names.
std::vector<LoadOptions> named_variations(const std::string& text,
                                          const std::vector<NamedVariation>& known) {
  std::vector<LoadOptions> variations;
  std::set<std::string> seen;
  for (std::size_t at = 0; at <= text.size();) {
    const std::string name = first_name(text.substr(at), known);
    // The last: a variant may have the pipeline's name, and then it is meant.
    const auto found = std::find_if(known.rbegin(), known.rend(),
                                    [&](const NamedVariation& one) { return one.name == name; });
    if (found == known.rend())
      throw UsageError("--variants: unknown variant '{}'; there are {}", printable(name),
                       printable(first_of(texts_of(known, &NamedVariation::name))));
    if (!seen.insert(name).second) throw UsageError("--variants: '{}' is named twice", name);
    variations.push_back(found->options);
    at += name.size() + 1;
  }
  return variations;
}

// If neither is named: the only sweep there is, else the plain pipeline and its variants.
Compared compare(const CompareArguments& arguments, CommandLine& line) {
  if (!arguments.sweep.empty() && !arguments.variants.empty())
    throw UsageError("either --sweep or --variants, not both");
  PipelineFile file = read_file_with_sweeps(arguments.file, line.files);
  if (!arguments.sweep.empty())
    return compare_sweep(arguments, std::move(file), arguments.sweep, line);
  const std::vector<NamedVariation> known = all_variations(file, arguments, line);
  if (!arguments.variants.empty())
    return compare_variants(arguments, file, named_variations(arguments.variants, known), line);
  const std::vector<std::string> sweeps =
      sweeps_known_for(file, Layout(arguments.outputs_path()), line.files);
  if (sweeps.size() > 1) throw UsageError("which sweep? --sweep {}", join(sweeps, " or --sweep "));
  if (sweeps.size() == 1) return compare_sweep(arguments, std::move(file), sweeps[0], line);
  if (known.size() == 1)
    throw UsageError("{} has neither sweeps nor variants to compare", arguments.file);
  std::vector<LoadOptions> variations;
  for (const NamedVariation& one : known) variations.push_back(one.options);
  return compare_variants(arguments, file, variations, line);
}

// Applies the options, and returns the metrics that they name.
std::vector<std::string> choose_columns(const CompareArguments& arguments, ComparedRuns& runs) {
  ComparisonOptions& options = runs.options;
  if (!arguments.maximize.empty() && !arguments.minimize.empty())
    throw UsageError("either --maximize or --minimize, not both");
  std::vector<std::string> named;
  if (!arguments.maximize.empty() || !arguments.minimize.empty()) {
    options.maximise = !arguments.maximize.empty();
    options.objective = options.maximise ? arguments.maximize : arguments.minimize;
    named.push_back(options.objective);
  }
  if (arguments.metrics == "all") {
    options.metrics = metrics_of(trial_table(runs.results, {}));
  } else if (!arguments.metrics.empty()) {
    options.metrics = split(arguments.metrics, ',');
    named.insert(named.begin(), options.metrics.begin(), options.metrics.end());
  }
  options.each = arguments.shows_each();
  return named;
}

int run_compare(const CompareArguments& arguments, CommandLine& line) {
  Compared compared = compare(arguments, line);
  ComparedRuns& runs = compared.runs;
  const std::vector<std::string> named = choose_columns(arguments, runs);
  std::map<std::string, std::size_t> missing;
  std::size_t have_results = 0;
  for (const TrialResult& result : runs.results) {
    have_results += !result.metrics.empty();
    if (!result.status.empty() && result.status != kTrialDone) ++missing[result.status];
  }
  if (have_results == 0)
    throw UsageError("{} no results with the file as it is now; run: {}", compared.who_has,
                     compared.command);
  runs.check_metrics(named);
  const Table table = trial_table(runs.results, {}, runs.options.metrics);
  const Comparison comparison = compare_trials(table, runs.options);
  if (arguments.csv) {
    print_exactly(to_table(comparison).to_csv());
  } else if (arguments.json) {
    print_document(to_json(comparison));
  } else if (arguments.markdown) {
    print_exactly(to_markdown(comparison));
  } else {
    const PrintedWidth width = printed_width();
    say("{}", fitting_text(table, runs.options, width.columns, width.is_terminal));
    for (const std::string& note : compared.notes) say("{}\n", note);
  }
  for (const auto& [status, count] : missing)
    complain("{} of {} trials: {}\n", count, runs.results.size(), status);
  return 0;
}

}  // namespace

void add_compare(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] = add_verb(
      app, line, "compare", "trials or variants side by side: what differs, and what came of it",
      "  headway compare p.yaml                     its sweep, or all its variants\n"
      "  headway compare p.yaml --sweep heads --maximize evaluate.greedy\n"
      "  headway compare p.yaml --variants seed-642,seed-643\n"
      "  headway compare p.yaml --metrics evaluate.greedy,prune.tolerances --md\n"
      "Means over seeds have their 95 % interval behind ±, or in [low, high] where it ends at "
      "what\n"
      "the metric can be (shares: 0 to 1; counts, losses and times: from 0). --each shows every "
      "trial.\n",
      run_compare);
  arguments.add_file(verb, true);
  arguments.add_sweep(verb);
  verb.add_option("--variants", arguments.variants,
                  "variants of the file, or what ran with --set (lr=0.1), a row for each; the "
                  "pipeline's name means: as it stands")
      ->type_name("A,B");
  verb.add_option("--maximize", arguments.maximize, "sort by this metric: STAGE.METRIC")
      ->type_name("METRIC");
  verb.add_option("--minimize", arguments.minimize, "the same, the smallest first")
      ->type_name("METRIC");
  verb.add_option("--metrics", arguments.metrics, "the columns to show; all: every one")
      ->type_name("A,B");
  verb.add_flag("--each", arguments.each, "a row for each trial, no means over seeds");
  CLI::Option* csv = verb.add_flag("--csv", arguments.csv, "as CSV");
  CLI::Option* json = verb.add_flag("--json", arguments.json, kJsonHelp)->excludes(csv);
  verb.add_flag("--md", arguments.markdown, "as a Markdown table")->excludes(csv)->excludes(json);
  arguments.add_changes(verb);
  arguments.add_outputs(verb);
}

}  // namespace headway
