// `headway report`: runs what a report needs, makes it and prints its path.
#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/engine.h"
#include "lib/cli/output.h"
#include "lib/cli/pages.h"
#include "lib/cli/project.h"
#include "lib/cli/verbs.h"
#include "lib/report/default_report.h"
#include "lib/run/inspection.h"
#include "lib/store/outputs_tree.h"
#include "lib/sweep/saved_sweep.h"
#include "lib/sweep/sweep_report.h"
#include "lib/sweep/trial_results.h"

namespace headway {
namespace {

struct ReportArguments : PipelineArguments {
  bool opens = false;
  RunSettings settings;
};

constexpr std::size_t kMostTrialsUnasked = 200;  // more are only run by `headway sweep`

struct LoadedPipeline {
  PipelineSpec pipeline;
  bool awaits_results = false;  // its report will show more when trials have run
  bool is_default = false;      // the file has no report
};

// A sweep as it was last requested. One that never ran is saved, or gc would take its results for
// those of a variant that the file no longer has.
LoadedPipeline load_sweep_so_far(const PipelineArguments& arguments, CommandLine& line) {
  const Layout layout(arguments.outputs_path());
  const SweepLoader loader = load_sweep(arguments, line);
  SweepPipeline so_far = sweep_so_far(loader, layout.outputs(), line.files);
  const std::string name = so_far.pipeline.name, variant = so_far.pipeline.variant;
  if (!find_saved_sweep(line.files, layout, name, variant)) {
    if (loader.count() > kMostTrialsUnasked || loader.sweep().is_halving())
      throw UsageError("sweep '{}' has {} trials and none has run; `headway sweep {} {}` runs them",
                       loader.sweep().name, loader.count(), quote_for_shell(arguments.file),
                       arguments.sweep);
    save_sweep(line.files, layout, name, variant,
               {arguments.sweep, {}, arguments.variant, arguments.sets});
  }
  LoadedPipeline loaded;
  if (has_worker() && report_stages(so_far.pipeline).empty())
    loaded.awaits_results =
        add_default_figure(so_far, results_of(so_far, layout.outputs(), line.files), line.stages,
                           line.files) == DefaultFigure::kAwaitsResults;
  loaded.pipeline = std::move(so_far.pipeline);
  return loaded;
}

// The pipeline, or the sweep so far, with a default report if it has none.
LoadedPipeline load_with_report(const PipelineArguments& arguments, CommandLine& line,
                                const MissingResults& missing = {}) {
  const bool is_sweep_of_file = !arguments.sweep.empty() && !arguments.file.empty();
  LoadedPipeline loaded =
      is_sweep_of_file ? load_sweep_so_far(arguments, line) : LoadedPipeline{load(arguments, line)};
  loaded.is_default = report_stages(loaded.pipeline).empty();
  if (loaded.is_default)
    add_default_report(loaded.pipeline, line.stages, line.files, sweep_input_name, missing);
  make_figure_optional(loaded.pipeline);
  return loaded;
}

void finish(const ReportArguments& arguments, const std::vector<Path>& pages) {
  for (const Path& page : pages) {
    if (arguments.settings.json) {
      print_event({{"event", "report"}, {"page", page.string()}});
    } else {
      say("{}\n", display_path(page));
    }
  }
  std::fflush(stdout);
  if (!arguments.opens) return;
  try {
    open_page(pages.front());
  } catch (const Error& error) {  // the report is there all the same
    complain("headway: {}\n", error.what());
  }
}

// Whether to go on after a failure: a sweep's report does without failed trials, and one report
// without another.
bool goes_on(const PipelineSpec& pipeline, const std::vector<StageId>& reports) {
  return pipeline.is_merged || reports.size() > 1;
}

// Why a stage has no result that counts; "": it has one. `lost`: the stages that a run has lost.
std::string loss_of(const Inspection& inspection, StageId stage,
                    const std::vector<std::string>& lost) {
  const StageSpec& spec = inspection.pipeline.stages[stage];
  const LastState last = inspection.state.find(spec.name);
  const bool is_lost = std::ranges::find(lost, spec.name) != lost.end();
  const bool failed =
      is_lost ? last && last->status == StageStatus::kFailed : last && inspection.has_failed(stage);
  if (is_lost || !inspection.is_fresh(stage))
    return failed ? "failed: " + last->message : "did not run";
  const std::string unmet_now = unmet(spec.expectations, inspection.metrics_of(stage)).failures;
  return unmet_now.empty() ? "" : "failed: " + unmet_now;
}

// What the default report says of stages, also of those that it does not read.
MissingResults missing_of(const Inspection& inspection, const std::vector<std::string>& lost) {
  MissingResults missing;
  const std::vector<StageId> reports = report_stages(inspection.pipeline);
  for (const StageId stage : inspection.pipeline.stages.ids()) {
    if (std::ranges::find(reports, stage) != reports.end()) continue;
    const StageSpec& spec = inspection.pipeline.stages[stage];
    if (const std::string loss = loss_of(inspection, stage, lost); !loss.empty()) {
      missing.stages.push_back(spec.name);
      missing.notes.push_back(spec.name + " " + loss);
      continue;
    }
    if (spec.expectations.empty()) continue;
    const Json metrics = inspection.metrics_of(stage);
    for (const Expectation& expectation : spec.expectations) {
      const auto message = expectation.warns ? unmet(expectation, metrics) : std::nullopt;
      if (message) missing.warnings.push_back(fmt::format("{}: {}", spec.name, *message));
    }
  }
  return missing;
}

// Whether the default report may have to say more than what its own run shows: it does not run
// stages that it does not read, and only results tell which expectations they miss.
bool has_more_to_say(const PipelineSpec& pipeline) {
  const Graph graph = build_graph(pipeline);
  const NodeSet read = with_ancestors(graph, report_stages(pipeline));
  return std::ranges::any_of(pipeline.stages.ids(), [&](StageId stage) {
    return !read[graph.node_of(stage)] ||
           std::ranges::any_of(pipeline.stages[stage].expectations, &Expectation::warns);
  });
}

// The pages of this run. Mentions a page that is left from an earlier run as such.
std::vector<Path> pages_of(const PipelineSpec& pipeline, const std::vector<StageId>& reports,
                           const RunSummary& summary, const Path& folder, FileSystem& files) {
  const bool is_complete =
      summary.exit_code == 0 || (goes_on(pipeline, reports) && !summary.interrupted);
  std::vector<Path> pages;
  for (const StageId index : reports) {
    const std::string& name = pipeline.stages[index].name;
    const Path page = folder / name / "index.html",
               stale = folder / stale_name(name) / "index.html";
    const bool is_lost = std::ranges::find(summary.lost, name) != summary.lost.end();
    if (is_complete && !is_lost && files.exists(page)) pages.push_back(page);
    if (files.exists(stale)) complain("headway: {} is of an earlier run\n", display_path(stale));
  }
  return pages;
}

// The pages of reports that are current; none if one is not.
std::vector<Path> current_pages(const PipelineSpec& pipeline, Store& store) {
  const Inspection inspection(pipeline, store);
  std::vector<Path> pages;
  for (const StageId stage : report_stages(pipeline)) {
    const Path page = store.layout().results(pipeline.name, pipeline.variant) /
                      pipeline.stages[stage].name / "index.html";
    if (!inspection.is_fresh(stage) || !store.files().exists(page)) return {};
    pages.push_back(page);
  }
  return pages;
}

std::vector<StageId> stages_named(const PipelineSpec& pipeline,
                                  const std::vector<std::string>& names) {
  std::vector<StageId> found;
  for (const StageId stage : pipeline.stages.ids()) {
    if (std::find(names.begin(), names.end(), pipeline.stages[stage].name) != names.end())
      found.push_back(stage);
  }
  return found;
}

// Runs what these stages need, except for the stages that are lost already.
RunSummary run_for(Engine& engine, const PipelineSpec& pipeline, const std::vector<StageId>& stages,
                   const std::vector<std::string>& lost = {}) {
  const Graph graph = build_graph(pipeline);
  Selection selection{.nodes = with_ancestors(graph, stages)};
  for (const StageId stage : stages_named(pipeline, lost))
    selection.nodes[graph.node_of(stage)] = false;
  return engine.run({pipeline, graph, selection, nullptr, /*forgets=*/false});
}

// Makes the reports of a pipeline, and first what they need.
class ReportMaker {
 public:
  ReportMaker(const ReportArguments& arguments, Store& store, CommandLine& line)
      : arguments_(arguments), store_(store), line_(line) {}

  int make() {
    LoadedPipeline loaded = load_with_report(arguments_, line_);
    const bool is_of_parts = loaded.is_default && !loaded.pipeline.is_merged;
    if (!may_write(store_.layout().outputs())) {  // somebody else's results
      if (is_of_parts) load_as_it_was(loaded);
      const std::vector<Path> current = current_pages(loaded.pipeline, store_);
      if (current.empty()) require_writable(store_.layout().outputs());
      return finish(arguments_, current), 0;
    }
    RunSettings settings = arguments_.settings.at_site(arguments_.file, line_.files, line_.stages);
    settings.limits.keep_going =
        loaded.is_default || goes_on(loaded.pipeline, report_stages(loaded.pipeline));
    Engine engine(store_, line_.stages, settings);
    RunSummary trials;
    if (loaded.awaits_results) {
      trials = run_for(engine, loaded.pipeline, stages_named(loaded.pipeline, {kTrialsStage}));
      if (trials.interrupted) return trials.exit_code;
      loaded = load_with_report(arguments_, line_);
    }
    const PipelineSpec& pipeline = loaded.pipeline;
    // The report comes in a second run, when all that it says is known.
    const bool comes_later = is_of_parts && has_more_to_say(pipeline);
    const RunSummary summary =
        run_for(engine, pipeline, report_stages(pipeline),
                comes_later ? std::vector{pipeline.stages[report_stages(pipeline).front()].name}
                            : trials.lost);
    if (is_of_parts && !summary.interrupted && (comes_later || !summary.lost.empty()))
      return std::max(summary.exit_code, make_with_notes(summary, pipeline, engine));
    show_pages(pipeline, summary);
    return std::max(trials.exit_code, summary.exit_code);
  }

 private:
  // The default report of results that cannot be made anew, with what it says of them.
  void load_as_it_was(LoadedPipeline& loaded) {
    try {
      loaded =
          load_with_report(arguments_, line_, missing_of(Inspection(loaded.pipeline, store_), {}));
    } catch (const PipelineError&) {  // there is no result, and so no report either
    }
  }

  // The default report, of what there is. Returns the exit code.
  int make_with_notes(const RunSummary& before, const PipelineSpec& whole, Engine& engine) {
    const MissingResults missing = missing_of(Inspection(whole, store_), before.lost);
    try {
      const PipelineSpec pipeline = load_with_report(arguments_, line_, missing).pipeline;
      const RunSummary summary = run_for(engine, pipeline, report_stages(pipeline));
      show_pages(pipeline, summary);
      return summary.exit_code;
    } catch (const PipelineError&) {  // there is nothing to report, as the run has said
      return before.exit_code;
    }
  }

  void show_pages(const PipelineSpec& pipeline, const RunSummary& summary) {
    const Path folder = store_.layout().results(pipeline.name, pipeline.variant);
    const std::vector<Path> pages =
        pages_of(pipeline, report_stages(pipeline), summary, folder, line_.files);
    if (!summary.interrupted) refresh_outputs_page(store_.layout().outputs(), pipeline, line_);
    if (!pages.empty()) finish(arguments_, pages);
  }

  const ReportArguments& arguments_;
  Store& store_;
  CommandLine& line_;
};

int report(const ReportArguments& arguments, CommandLine& line) {
  const Path outputs = arguments.outputs_path();
  Store store(line.files, outputs);
  if (arguments.names_pipeline()) return ReportMaker(arguments, store, line).make();
  if (!line.files.exists(outputs))
    throw UsageError("nothing has run with outputs in {}", display_path(outputs));
  if (!may_write(outputs) && line.files.exists(outputs / "index.html")) {
    complain("headway: you may not write to {}, so the page is as its owner left it\n",
             display_path(outputs));
    return finish(arguments, {outputs / "index.html"}), 0;
  }
  require_writable(outputs);
  finish(arguments, {write_outputs_page(outputs, line)});
  return 0;
}

}  // namespace

void add_report(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] = add_verb(
      app, line, "report", "make a pipeline's report and print its path",
      "  headway report pipelines/addition.yaml           runs what is missing, prints the path\n"
      "  headway report pipelines/addition.yaml --open    and opens it in the browser\n"
      "  headway report p.yaml --variant wide\n"
      "  headway report p.yaml --sweep heads              of all trials of a sweep\n"
      "  headway report                                   an overview of all results\n"
      "A file without a stage that `uses: report` gets one that shows everything, and names the\n"
      "stages that failed.\n",
      report);
  verb.add_option("PIPELINE", arguments.file,
                  "the pipeline's YAML file (default: an overview of all pipelines)");
  arguments.add_options(verb);
  verb.add_flag("--open", arguments.opens, "open it in the browser");
  arguments.settings.add_to(verb);
}

}  // namespace headway
