// `headway report`.
#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/cli/engine.h"
#include "lib/cli/open_page.h"
#include "lib/cli/outputs_index.h"
#include "lib/cli/verbs.h"
#include "lib/run/messages.h"
#include "lib/spec/default_report.h"

namespace headway {
namespace {

struct ReportArguments {
  PipelineArguments pipeline;
  bool opens = false;
  RunSettings settings;
};

// The pipeline, or the sweep so far, with a report at its end.
PipelineSpec load_with_report(const ReportArguments& arguments, CommandLine& line) {
  PipelineSpec pipeline = load(arguments.pipeline, line);
  if (report_stages(pipeline).empty()) add_default_report(pipeline, line.stages, line.files);
  return pipeline;
}

int finish(const ReportArguments& arguments, const std::vector<Path>& pages) {
  for (const Path& page : pages) {
    if (arguments.settings.json) {
      fmt::print("{}\n", to_line({{"event", "report"}, {"page", page.string()}}));
    } else {
      fmt::print("{}\n", shown(page));
    }
  }
  std::fflush(stdout);
  if (arguments.opens) open_page(pages.front());
  return 0;
}

int report(const ReportArguments& arguments, CommandLine& line) {
  const Path outputs = arguments.pipeline.outputs_path();
  Store store(line.files, outputs);
  const bool names_one = !arguments.pipeline.file.empty() || !arguments.pipeline.variant.empty() ||
                         !arguments.pipeline.sweep.empty();
  if (!names_one) {
    store.prepare();
    return finish(arguments, {write_outputs_index(line.files, outputs)});
  }
  const PipelineSpec pipeline = load_with_report(arguments, line);
  const Graph graph = build_graph(pipeline);
  const std::vector<int> reports = report_stages(pipeline);
  RunSettings settings = arguments.settings;
  settings.keep_going = pipeline.has_trials;  // a report goes on without trials that failed
  Engine engine(store, line.stages, settings);
  const RunSummary summary = engine.run(
      {pipeline, graph, with_ancestors(graph, reports), {}, {}, nullptr, /*forgets=*/false});
  const Path folder = store.layout().results(pipeline.name, pipeline.variant);
  std::vector<Path> pages;
  for (const int index : reports) {
    const Path page = folder / pipeline.stages[static_cast<std::size_t>(index)].name / "index.html";
    if (line.files.exists(page)) pages.push_back(page);
  }
  write_outputs_index(line.files, outputs);
  if (summary.exit_code == 130 || pages.empty() || (summary.exit_code != 0 && !pipeline.has_trials))
    return summary.exit_code;
  finish(arguments, pages);
  return summary.exit_code;
}

}  // namespace

void add_report(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App& verb = add_verb(
      app, line, "report", "make a pipeline's report, and say where it is",
      "  headway report pipelines/addition.yaml           runs what is missing, prints the path\n"
      "  headway report pipelines/addition.yaml --open    and opens it in the browser\n"
      "  headway report p.yaml --variant wide\n"
      "  headway report p.yaml --sweep heads              of all trials of a sweep\n"
      "  headway report                                   the page over all that ran\n"
      "A file without a stage that `uses: report` gets one that shows everything.\n",
      [arguments, &line] { return report(*arguments, line); });
  verb.add_option("PIPELINE", arguments->pipeline.file,
                  "the pipeline's YAML file (default: the page over all pipelines)");
  arguments->pipeline.add_changes(verb);
  arguments->pipeline.add_sweep(verb);
  arguments->pipeline.add_outputs(verb);
  verb.add_flag("--open", arguments->opens, "open it in the browser");
  arguments->settings.add_to(verb);
}

}  // namespace headway
