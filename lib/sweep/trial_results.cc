#include "lib/sweep/trial_results.h"

#include <algorithm>
#include <map>
#include <set>

#include "lib/base/digest.h"
#include "lib/base/error.h"
#include "lib/base/index.h"
#include "lib/run/inspection.h"
#include "lib/sweep/successive_halving.h"

namespace headway {
namespace {

std::string status_of(const Inspection& inspection, const SweepTrial& trial) {
  bool done = true;
  for (const StagePlace& place : trial.stages) {
    if (inspection.has_failed(place.stage)) return kTrialFailed;
    done = done && inspection.is_fresh(place.stage);
  }
  return done ? kTrialDone : "not finished";
}

void add_leaves(const Value& value, const std::string& path, std::vector<Leaf>& leaves) {
  if (value.map() && !value.map()->empty()) {
    for (const MapEntry& entry : *value.map())
      add_leaves(entry.value, path.empty() ? entry.key : path + "." + entry.key, leaves);
  } else if (!path.empty()) {
    leaves.emplace_back(
        path, value.is_scalar() && !value.is_null() ? value.plain() : to_line(to_json(value)));
  }
}

using StageParam = std::pair<std::string, std::string>;  // the stage's family, the path

// Stage parameters that some variation changes, in order of appearance.
std::vector<StageParam> changed_params(const std::vector<PipelineSpec>& pipelines) {
  std::vector<StageParam> changed;
  for (const PipelineSpec& pipeline : pipelines) {
    for (const StageSpec& stage : pipeline.stages) {
      for (const std::string& path : stage.changed) {
        const StageParam param(stage.family, path);
        if (std::ranges::find(changed, param) == changed.end()) changed.push_back(param);
      }
    }
  }
  return changed;
}

// Parameters of the pipeline, and these of its stages, whether it changes them itself or not: a
// variation may set a parameter to what it is anyway.
std::vector<Leaf> leaves_of(const PipelineSpec& pipeline, const std::vector<StageParam>& changed) {
  std::vector<Leaf> leaves = leaves_of(pipeline.params);
  for (const auto& [family, path] : changed) {
    const auto stage = std::ranges::find(pipeline.stages, family, &StageSpec::family);
    const Value* value = stage == pipeline.stages.end() ? nullptr : find_path(stage->params, path);
    if (value) add_leaves(*value, family + "." + path, leaves);
  }
  return leaves;
}

// Equal for pipelines in which all parameters are the same.
std::string all_params(const PipelineSpec& pipeline) {
  std::string text = to_line(to_json(pipeline.params));
  for (const StageSpec& stage : pipeline.stages) {
    append_field(text, stage.name);
    append_field(text, to_line(to_json(stage.params)));
  }
  return text;
}

// All, or if names do not matter, of those with the same parameters the first.
std::vector<PipelineSpec> load_different(const PipelineFile& file,
                                         const std::vector<LoadOptions>& variations, bool each,
                                         const StageRegistry& stages, FileSystem& files) {
  std::vector<PipelineSpec> pipelines;
  std::set<std::string> seen;
  for (const LoadOptions& variation : variations) {
    PipelineSpec pipeline = load_variation(file, variation, stages, files);
    if (seen.insert(all_params(pipeline)).second || each) pipelines.push_back(std::move(pipeline));
  }
  return pipelines;
}

using StageKeys = std::map<std::string, Digest>;  // by stage name

StageKeys fresh_keys(const Inspection& inspection) {
  StageKeys keys;
  for (const StageId stage : inspection.pipeline.stages.ids()) {
    if (inspection.is_fresh(stage))
      keys.emplace(inspection.pipeline.stages[stage].name, inspection.plan.stages[stage].key);
  }
  return keys;
}

// Stages of which runs that differ only in seeds have the same result: one measurement.
std::vector<std::string> stages_without_seeds(const std::vector<TrialResult>& runs,
                                              const std::vector<StageKeys>& keys) {
  std::map<std::string, std::map<std::string, std::set<Digest>>> found;  // stage, configuration
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::string configuration;
    for (const Assignment& assignment : runs[i].overrides) {
      if (is_replicate(assignment.path)) continue;
      append_field(configuration, assignment.path);
      append_field(configuration, assignment.value.plain());
    }
    for (const auto& [stage, key] : keys[i]) found[stage][configuration].insert(key);
  }
  std::vector<std::string> names;
  for (const auto& [name, configurations] : found) {
    if (std::ranges::all_of(configurations, [](const auto& one) { return one.second.size() == 1; }))
      names.push_back(name);
  }
  return names;
}

// Paths whose values differ, in order of appearance.
std::vector<std::string> differing(const std::vector<std::vector<Leaf>>& all) {
  std::vector<std::string> paths;
  std::map<std::string, std::multiset<std::string>> values;
  for (const std::vector<Leaf>& leaves : all) {
    for (const auto& [path, value] : leaves) {
      if (values[path].empty()) paths.push_back(path);
      values[path].insert(value);
    }
  }
  std::erase_if(paths, [&](const std::string& path) {
    const std::multiset<std::string>& found = values[path];
    return found.size() == all.size() && *found.begin() == *found.rbegin();
  });
  return paths;
}

}  // namespace

std::vector<TrialResult> results_of(const SweepPipeline& sweep_pipeline, const Path& outputs,
                                    FileSystem& files) {
  Store store(files, outputs);
  const Inspection inspection(sweep_pipeline.pipeline, store);
  IndexedVector<StageId, Json> metrics;  // read once: trials share stages
  for (const StageId stage : sweep_pipeline.pipeline.stages.ids())
    metrics.push_back(inspection.metrics_of(stage));
  std::vector<TrialResult> results;
  for (const SweepTrial& trial : sweep_pipeline.trials) {
    TrialResult result{trial.trial.name, trial.trial.overrides, {}, status_of(inspection, trial)};
    for (const StagePlace& place : trial.stages) {
      const Json& found = metrics[place.stage];
      if (!found.is_null()) result.metrics[place.name] = found;
    }
    results.push_back(std::move(result));
  }
  for (const Trial& trial : sweep_pipeline.failed)
    results.push_back({trial.name, trial.overrides, {}, kTrialFailed});
  return results;
}

SweepPipeline sweep_so_far(const SweepLoader& loader, const Path& outputs, FileSystem& files) {
  if (!loader.sweep().is_halving()) return loader.load_all();
  HalvingSteps steps;
  steps.results = [&](const SweepPipeline& rung) { return results_of(rung, outputs, files); };
  steps.run = [&](const SweepPipeline& rung, bool) {
    const std::vector<TrialResult> results = steps.results(rung);
    return std::ranges::all_of(results, [](const TrialResult& result) {
      return result.status == kTrialDone || result.status == kTrialFailed;
    });
  };
  steps.decided = [](const RungDecisions&) {};
  return run_halving(loader, steps);
}

ComparisonOptions comparison_options(const SweepPipeline& sweep_pipeline,
                                     const std::vector<TrialResult>& results) {
  ComparisonOptions options;
  options.objective = sweep_pipeline.sweep.objective;
  options.maximise = sweep_pipeline.sweep.maximise;
  options.metrics = sweep_pipeline.sweep.metrics;
  options.resource = sweep_pipeline.sweep.resource;
  options.without_seeds = stages_without_seeds(sweep_pipeline);
  options.expected = expected_metrics(sweep_pipeline);
  for (const TrialResult& result : results) {
    if (result.status == kTrialFailed) options.failed.push_back(result.name);
  }
  return options;
}

void ComparedRuns::check_metrics(const std::vector<std::string>& metrics) const {
  for (const std::string& metric : metrics) {
    const std::string mistake = metric_mistake(metric, stages, true);
    if (!mistake.empty()) throw UsageError(mistake);
  }
}

ComparedRuns compare_trials_of(const SweepPipeline& sweep_pipeline, const Path& outputs,
                               FileSystem& files) {
  ComparedRuns runs;
  runs.results = results_of(sweep_pipeline, outputs, files);
  runs.types = sweep_pipeline.pipeline.types;
  runs.options = comparison_options(sweep_pipeline, runs.results);
  std::map<std::string, const StageType*> stages;
  for (const MeasuredStage& stage : stages_with_metrics(sweep_pipeline.pipeline))
    stages.emplace(stage.name, stage.type);
  for (const SweepTrial& trial : sweep_pipeline.trials) {
    for (const StagePlace& place : trial.stages) {
      const StageSpec& stage = sweep_pipeline.pipeline.stages[place.stage];
      if (stage.has_metrics()) stages.emplace(place.name, stage.type);
    }
  }
  for (const auto& [name, type] : stages) runs.stages.push_back({name, type});
  return runs;
}

ComparedRuns compare_variations_of(const PipelineFile& file,
                                   const std::vector<LoadOptions>& variations, bool each,
                                   const Path& outputs, const StageRegistry& stages,
                                   FileSystem& files) {
  ComparedRuns runs;
  runs.types = file.types;
  Store store(files, outputs);
  const std::vector<PipelineSpec> pipelines = load_different(file, variations, each, stages, files);
  runs.stages = stages_with_metrics(pipelines.front());
  const std::vector<StageParam> changed = changed_params(pipelines);
  std::vector<std::vector<Leaf>> leaves;
  std::vector<StageKeys> keys;
  for (const PipelineSpec& pipeline : pipelines) {
    const Inspection inspection(pipeline, store);
    leaves.push_back(leaves_of(pipeline, changed));
    keys.push_back(fresh_keys(inspection));
    for (const StageSpec& stage : pipeline.stages) {
      for (const Expectation& one : stage.expectations)
        place_of(stage.name + "." + one.metric, runs.options.expected);
    }
    const std::string name = pipeline.variant.empty() ? file.name : pipeline.variant;
    runs.results.push_back({name, {}, inspection.metrics(), ""});
    if (each) runs.results.back().overrides.push_back({"variant", Value{name, {}}, 0});
  }
  for (const std::string& path : differing(leaves)) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const auto found = std::ranges::find(leaves[i], path, &Leaf::first);
      if (found != leaves[i].end())
        runs.results[i].overrides.push_back({path, Value{found->second, {}}, 0});
    }
  }
  runs.options.without_seeds = stages_without_seeds(runs.results, keys);
  return runs;
}

std::vector<Leaf> leaves_of(const Value& map) {
  std::vector<Leaf> leaves;
  add_leaves(map, "", leaves);
  return leaves;
}

}  // namespace headway
