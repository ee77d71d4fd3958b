#include "tests/support/sweep_project.h"

#include "lib/run/session.h"
#include "lib/sweep/sweep_file.h"
#include "lib/sweep/trial_tracker.h"
#include "stages/collect_trials.h"

namespace headway::testing {

SweepProject::SweepProject() {
  stages.add(collect_trials_stage());
  sections = {{"sweeps", "sweep"}};
}

SweepLoader SweepProject::loader(const SweepRequest& request) {
  return SweepLoader(read_file_with_sweeps(folder / "p.yaml", files), request, stages, files);
}

Outcome SweepProject::sweep(const SweepSettings& settings) {
  return run_campaign(campaign(settings.request), settings);
}

Outcome SweepProject::run_campaign(const SweepPipeline& campaign, const SweepSettings& settings) {
  disk.advance(1);
  executor.take_ran();
  RecordingObserver observer;
  Outcome outcome;
  const Graph graph = build_graph(campaign.pipeline);
  Store store(files, outputs);
  RunSession session(store, *interrupt);
  TrialTracker tracker(campaign, store, observer);
  RunOptions options;
  options.id = session.id();
  options.work = session.work();
  options.cpus = settings.cpus;
  options.keep_going = true;  // one failed trial does not end the others
  options.forgets = settings.forgets;
  outcome.summary =
      Runner(campaign.pipeline, graph, store, executor, tracker, *interrupt, options).run();
  outcome.exit_code = outcome.summary.exit_code;
  outcome.ran = executor.ran();
  outcome.events = observer.events();
  outcome.warnings = observer.warnings();
  reports = observer.reports();
  trials = trials_in(observer.headlines());
  for (const auto& [stage, report] : reports) {
    outcome.statuses[stage] = status_name(report.status);
    outcome.messages[stage] = report.message;
  }
  return outcome;
}

Digest SweepProject::key_in_sweep(const std::string& stage, const SweepRequest& request) {
  SweepPipeline merged = campaign(request);
  const Graph graph = build_graph(merged.pipeline);
  Store store(files, outputs);
  FactMaker facts(merged.pipeline, store);
  facts.keep_lists(false);
  const PipelineState state(files, layout, merged.pipeline.name, merged.pipeline.variant);
  const Plan plan =
      make_plan(merged.pipeline, graph, store, state, facts, std::vector<bool>(graph.size(), true),
                std::vector<bool>(graph.stages, false));
  const int index = select_stages(merged.pipeline, stage).at(0);
  return plan.stages.at(static_cast<std::size_t>(index)).key;
}

Names SweepProject::shown_files(const std::string& sweep) {
  Names names;
  const std::string below = "p/" + sweep + "/";
  for (const auto& [path, what] : shown_tree()) {
    if (path.starts_with(below)) names.push_back(path.substr(below.size()));
  }
  return names;
}

}  // namespace headway::testing
