// `headway report`: runs what a report needs, makes it and prints its path.
#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/engine.h"
#include "lib/cli/open_page.h"
#include "lib/cli/output.h"
#include "lib/cli/outputs_page.h"
#include "lib/cli/verbs.h"
#include "lib/report/default_report.h"
#include "lib/sweep/saved_sweep.h"
#include "lib/sweep/sweep_report.h"
#include "lib/sweep/trial_results.h"

namespace headway {
namespace {

struct ReportArguments {
  PipelineArguments pipeline;
  bool opens = false;
  RunSettings settings;
};

constexpr std::size_t kMostTrialsUnasked = 200;  // more are only run by `headway sweep`

// A sweep as it was last requested. One that never ran is saved, or gc would take its results for
// those of a variant that the file no longer has.
PipelineSpec load_sweep_so_far(const PipelineArguments& arguments, CommandLine& line) {
  const Layout layout(arguments.outputs_path());
  const SweepLoader loader = load_sweep(arguments, line);
  PipelineSpec pipeline = sweep_so_far(loader, layout.outputs(), line.files).pipeline;
  if (find_saved_sweep(line.files, layout, pipeline.name, pipeline.variant)) return pipeline;
  if (loader.count() > kMostTrialsUnasked || loader.sweep().is_halving())
    throw UsageError(fmt::format(
        "sweep '{}' has {} trials and none has run; `headway sweep {} {}` runs them",
        loader.sweep().name, loader.count(), quote_for_shell(arguments.file), arguments.sweep));
  save_sweep(line.files, layout, pipeline.name, pipeline.variant,
             {arguments.sweep, {}, arguments.variant, arguments.sets});
  return pipeline;
}

// The pipeline, or the sweep so far, with a default report if it has none.
PipelineSpec load_with_report(const PipelineArguments& arguments, CommandLine& line) {
  const bool is_sweep_of_file = !arguments.sweep.empty() && !arguments.file.empty();
  PipelineSpec pipeline =
      is_sweep_of_file ? load_sweep_so_far(arguments, line) : load(arguments, line);
  if (report_stages(pipeline).empty())
    add_default_report(pipeline, line.stages, line.files, sweep_input_name);
  return pipeline;
}

void finish(const ReportArguments& arguments, const std::vector<Path>& pages) {
  for (const Path& page : pages) {
    if (arguments.settings.json) {
      print_exactly(to_line({{"event", "report"}, {"page", page.string()}}) + "\n");
    } else {
      say("{}\n", display_path(page));
    }
  }
  std::fflush(stdout);
  if (arguments.opens) open_page(pages.front());
}

// Whether to go on after a failure: a sweep's report does without failed trials, and one report
// without another.
bool goes_on(const PipelineSpec& pipeline, const std::vector<StageId>& reports) {
  return pipeline.is_merged || reports.size() > 1;
}

// The pages of this run. Mentions a page that is left from an earlier run as such.
std::vector<Path> pages_of(const PipelineSpec& pipeline, const std::vector<StageId>& reports,
                           const RunSummary& summary, const Path& folder, FileSystem& files) {
  const bool is_complete =
      summary.exit_code == 0 || (goes_on(pipeline, reports) && !summary.interrupted);
  std::vector<Path> pages;
  for (const StageId index : reports) {
    const std::string& name = pipeline.stages[index].name;
    const Path page = folder / name / "index.html";
    if (!files.exists(page)) continue;
    const bool is_lost =
        std::find(summary.lost.begin(), summary.lost.end(), name) != summary.lost.end();
    if (is_complete && !is_lost)
      pages.push_back(page);
    else
      complain("headway: {} is of an earlier run\n", display_path(page));
  }
  return pages;
}

int report_on_one(const ReportArguments& arguments, Store& store, CommandLine& line) {
  const PipelineSpec pipeline = load_with_report(arguments.pipeline, line);
  const Graph graph = build_graph(pipeline);
  const std::vector<StageId> reports = report_stages(pipeline);
  RunSettings settings = arguments.settings;
  settings.limits.keep_going = goes_on(pipeline, reports);
  Engine engine(store, line.stages, settings);
  const RunSummary summary = engine.run(
      {pipeline, graph, {.nodes = with_ancestors(graph, reports)}, nullptr, /*forgets=*/false});
  const Path folder = store.layout().results(pipeline.name, pipeline.variant);
  const std::vector<Path> pages = pages_of(pipeline, reports, summary, folder, line.files);
  if (!summary.interrupted) refresh_outputs_page(line.files, store.layout().outputs(), pipeline);
  if (!pages.empty()) finish(arguments, pages);
  return summary.exit_code;
}

int report(const ReportArguments& arguments, CommandLine& line) {
  const PipelineArguments& chosen = arguments.pipeline;
  const Path outputs = chosen.outputs_path();
  Store store(line.files, outputs);
  if (!chosen.file.empty() || !chosen.variant.empty() || !chosen.sweep.empty() ||
      !chosen.sets.empty())
    return report_on_one(arguments, store, line);
  if (!line.files.exists(outputs))
    throw UsageError(fmt::format("nothing has run with outputs in {}", display_path(outputs)));
  finish(arguments, {write_outputs_page(line.files, outputs)});
  return 0;
}

}  // namespace

void add_report(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App& verb = add_verb(
      app, line, "report", "make a pipeline's report and print its path",
      "  headway report pipelines/addition.yaml           runs what is missing, prints the path\n"
      "  headway report pipelines/addition.yaml --open    and opens it in the browser\n"
      "  headway report p.yaml --variant wide\n"
      "  headway report p.yaml --sweep heads              of all trials of a sweep\n"
      "  headway report                                   an overview of all results\n"
      "A file without a stage that `uses: report` gets one that shows everything.\n",
      [arguments, &line] { return report(*arguments, line); });
  verb.add_option("PIPELINE", arguments->pipeline.file,
                  "the pipeline's YAML file (default: an overview of all pipelines)");
  arguments->pipeline.add_changes(verb);
  arguments->pipeline.add_sweep(verb);
  arguments->pipeline.add_outputs(verb);
  verb.add_flag("--open", arguments->opens, "open it in the browser");
  arguments->settings.add_to(verb);
}

}  // namespace headway
