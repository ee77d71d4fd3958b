#include "tests/support/sweep_project.h"

#include "lib/run/inspection.h"
#include "lib/run/session.h"
#include "lib/sweep/sweep_spec.h"
#include "lib/sweep/trial_tracker.h"
#include "stages/stages.h"

namespace headway::testing {

SweepProject::SweepProject() {
  stages.add(collect_trials_stage());
  sections = {{"sweeps", "sweep"}};
}

SweepLoader SweepProject::loader(const SweepRequest& request) {
  return SweepLoader(read_file_with_sweeps(folder / "p.yaml", files), request, stages, files);
}

Outcome SweepProject::sweep(const SweepSettings& settings) {
  return run_sweep_pipeline(sweep_pipeline(settings.request), settings);
}

Outcome SweepProject::run_sweep_pipeline(const SweepPipeline& sweep_pipeline,
                                         const SweepSettings& settings) {
  disk.advance(1);
  executor.take_ran();
  RecordingObserver observer;
  Outcome outcome;
  const Graph graph = build_graph(sweep_pipeline.pipeline);
  Store store(files, outputs);
  RunSession session(store, *interrupt);
  TrialTracker tracker(sweep_pipeline, store, observer);
  RunOptions options;
  options.limits.cpus = settings.cpus;
  options.limits.keep_going = true;  // a failed trial does not end the others
  options.forgets = settings.forgets;
  outcome.summary =
      Runner(sweep_pipeline.pipeline, graph, store, session, executor, tracker, *interrupt, options)
          .run();
  outcome.exit_code = outcome.summary.exit_code;
  outcome.ran = executor.ran();
  outcome.events = observer.events();
  outcome.warnings = observer.warnings();
  reports = observer.reports();
  trials = trials_in(observer.headlines());
  finished = observer.variation_ends();
  for (const auto& [stage, report] : reports) {
    outcome.statuses[stage] = name_of(report.status);
    outcome.messages[stage] = report.message;
  }
  return outcome;
}

Digest SweepProject::key_in_sweep(const std::string& stage, const SweepRequest& request) {
  SweepPipeline merged = sweep_pipeline(request);
  const StageId id = select_stages(merged.pipeline, stage).at(0);
  Store store(files, outputs);
  return Inspection(merged.pipeline, store).plan.stages[id].key;
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
