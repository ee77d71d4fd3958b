#include "tests/support/project.h"

#include <algorithm>
#include <cstdlib>

#include "lib/base/error.h"
#include "lib/run/session.h"
#include "stages/shell.h"

namespace headway::testing {
namespace {

int stage_index(PipelineSpec& pipeline, const std::string& name) {
  return select_stages(pipeline, name).at(0);
}

std::vector<bool> marked(PipelineSpec& pipeline, const std::vector<std::string>& names) {
  std::vector<bool> marks(pipeline.stages.size(), false);
  for (const std::string& name : names) {
    for (const int stage : select_stages(pipeline, name))
      marks[static_cast<std::size_t>(stage)] = true;
  }
  return marks;
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
    outcome.statuses[stage] = status_name(report.status);
    outcome.messages[stage] = report.message;
  }
  return outcome;
}

// As `headway run` does it.
void Project::run_into(const RunSettings& settings, RecordingObserver& observer, Outcome& outcome) {
  PipelineSpec pipeline = load(settings);
  const Graph graph = build_graph(pipeline);
  Store store(files, outputs);
  RunSession session(store, *interrupt);
  RunOptions options;
  options.id = session.id();
  options.work = session.work();
  options.cpus = settings.cpus;
  options.memory = settings.memory;
  options.keep_going = settings.keep_going;
  std::vector<int> targets;
  for (const std::string& name : settings.targets) {
    for (const int stage : select_stages(pipeline, name)) targets.push_back(stage);
  }
  if (!targets.empty()) options.selected = with_ancestors(graph, targets);
  if (!settings.only.empty()) options.only = marked(pipeline, settings.only);
  if (!settings.force.empty()) options.forced = marked(pipeline, settings.force);
  outcome.summary = Runner(pipeline, graph, store, executor, observer, *interrupt, options).run();
}

Plan Project::plan(const RunSettings& settings) {
  const PipelineSpec pipeline = load(settings);
  const Graph graph = build_graph(pipeline);
  Store store(files, outputs);
  FactMaker facts(pipeline, store);
  facts.keep_lists(false);
  const PipelineState state(files, layout, pipeline.name, pipeline.variant);
  return make_plan(pipeline, graph, store, state, facts, std::vector<bool>(graph.size(), true),
                   std::vector<bool>(graph.stages, false));
}

std::string Project::reason_of(const std::string& stage, const RunSettings& settings) {
  PipelineSpec pipeline = load(settings);
  Store store(files, outputs);
  const PipelineState state(files, layout, pipeline.name, pipeline.variant);
  const Plan judged = plan(settings);
  const auto index = static_cast<std::size_t>(stage_index(pipeline, stage));
  return reason(pipeline, pipeline.stages.at(index), judged.stages.at(index), state.find(stage),
                store);
}

Digest Project::key_of(const std::string& stage, const RunSettings& settings) {
  PipelineSpec pipeline = load(settings);
  return plan(settings).stages.at(static_cast<std::size_t>(stage_index(pipeline, stage))).key;
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
  set(value);
}

ScopedVariable::~ScopedVariable() {
  set(nullptr);
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
