#include "tests/support/project.h"

#include <algorithm>
#include <cstdlib>

#include "lib/base/error.h"
#include "lib/run/inspection.h"
#include "lib/run/session.h"
#include "stages/stages.h"

namespace headway::testing {
namespace {

StageId find_stage(PipelineSpec& pipeline, const std::string& name) {
  return select_stages(pipeline, name).at(0);
}

StageSet stage_set(PipelineSpec& pipeline, const std::vector<std::string>& names) {
  StageSet set(pipeline.stages.size(), false);
  for (const std::string& name : names) {
    for (const StageId stage : select_stages(pipeline, name)) set[stage] = true;
  }
  return set;
}

}  // namespace

Project::Project(std::shared_ptr<MemoryFileSystem> shared) : shared_disk(std::move(shared)) {
  stages.add(shell_stage());
  disk.make_directories(folder);
}

void Project::write(const std::string& yaml, const std::string& file) {
  disk.put(folder / file, yaml);
}

PipelineSpec Project::load(const RunSettings& settings) {
  return load_variation(read_pipeline_file(folder / settings.file, files, sections),
                        {settings.variant, settings.sets, {}}, stages, files);
}

Outcome Project::run(const RunSettings& settings) {
  disk.advance(1);
  executor.take_ran();
  RecordingObserver observer;
  observer.when = when;
  Outcome outcome;
  try {
    run_into(settings, observer, outcome);
    outcome.exit_code = outcome.summary.exit_code;
  } catch (const UsageError& error) {
    outcome.error = error.what();
    outcome.exit_code = 2;
  } catch (const Cancelled&) {
    outcome.exit_code = 130;
  } catch (const Error& error) {
    outcome.error = error.what();
    outcome.exit_code = 1;
  }
  outcome.ran = executor.ran();
  outcome.warnings = observer.warnings();
  outcome.events = observer.events();
  starts = observer.starts();
  reports = observer.reports();
  for (const auto& [stage, report] : reports) {
    outcome.statuses[stage] = name_of(report.status);
    outcome.messages[stage] = report.message;
  }
  return outcome;
}

// Does the same as `headway run`.
void Project::run_into(const RunSettings& settings, RecordingObserver& observer, Outcome& outcome) {
  PipelineSpec pipeline = load(settings);
  const Graph graph = build_graph(pipeline);
  Store store(files, outputs);
  RunSession session(store, *interrupt);
  RunOptions options;
  options.limits = {settings.cpus, settings.memory, settings.keep_going, settings.gpus};
  std::vector<StageId> targets;
  for (const std::string& name : settings.targets) {
    for (const StageId stage : select_stages(pipeline, name)) targets.push_back(stage);
  }
  if (!targets.empty()) options.selection.nodes = with_ancestors(graph, targets);
  if (!settings.only.empty()) options.selection.only = stage_set(pipeline, settings.only);
  if (!settings.force.empty()) options.selection.forced = stage_set(pipeline, settings.force);
  outcome.summary =
      Runner(pipeline, graph, store, session, executor, observer, *interrupt, options).run();
}

Plan Project::plan(const RunSettings& settings) {
  Store store(files, outputs);
  return Inspection(load(settings), store).plan;
}

std::string Project::reason_of(const std::string& stage, const RunSettings& settings) {
  PipelineSpec pipeline = load(settings);
  const StageId id = find_stage(pipeline, stage);
  Store store(files, outputs);
  return Inspection(std::move(pipeline), store).reason_of(id);
}

Digest Project::key_of(const std::string& stage, const RunSettings& settings) {
  PipelineSpec pipeline = load(settings);
  return plan(settings).stages[find_stage(pipeline, stage)].key;
}

std::string Project::shown(const std::string& path) {
  return disk.read(outputs / path).value_or("");
}

std::optional<Record> Project::record_of(const std::string& stage, const RunSettings& settings) {
  return Store(disk, outputs).read_record(key_of(stage, settings));
}

Path Project::object_of(const std::string& stage, const std::string& output) {
  const std::optional<Record> record = record_of(stage);
  if (!record || !record->find(output)) throw Error("no record of " + stage);
  return Store(disk, outputs).path_of(record->find(output)->object);
}

ScopedVariable::ScopedVariable(std::string name, const char* value) : name_(std::move(name)) {
  if (const char* before = std::getenv(name_.c_str())) before_ = before;
  set(value);
}

ScopedVariable::~ScopedVariable() {
  set(before_ ? before_->c_str() : nullptr);
}

void ScopedVariable::set(const char* value) {
  if (value) {
    ::setenv(name_.c_str(), value, 1);
  } else {
    ::unsetenv(name_.c_str());
  }
}

Names sorted(Names names) {
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace headway::testing
