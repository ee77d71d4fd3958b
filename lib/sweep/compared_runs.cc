#include "lib/sweep/compared_runs.h"

#include <algorithm>
#include <map>

#include "lib/base/error.h"
#include "lib/run/inspection.h"

namespace headway {
namespace {

void add_leaves(const Value& value, const std::string& path, std::vector<Leaf>& leaves) {
  if (value.map() && !value.map()->empty()) {
    for (const MapEntry& entry : *value.map())
      add_leaves(entry.value, path.empty() ? entry.key : path + "." + entry.key, leaves);
  } else if (!path.empty()) {
    leaves.emplace_back(
        path, value.is_scalar() && !value.is_null() ? value.plain() : to_line(to_json(value)));
  }
}

// Parameters of the pipeline, and stage parameters that a variant changes.
std::vector<Leaf> leaves_of(const PipelineSpec& pipeline) {
  std::vector<Leaf> leaves = leaves_of(pipeline.params);
  for (const StageSpec& stage : pipeline.stages) {
    for (const std::string& path : stage.changed) {
      if (const Value* value = find_path(stage.params, path))
        add_leaves(*value, stage.family + "." + path, leaves);
    }
  }
  return leaves;
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

void add_stages_with_metrics(const PipelineSpec& pipeline, std::set<std::string>& names) {
  for (const StageSpec& stage : pipeline.stages) {
    if (stage.has_metrics()) names.insert(stage.name);
  }
}

}  // namespace

void ComparedRuns::check_metrics(const std::vector<std::string>& metrics) const {
  const std::vector<std::string> known(stages.begin(), stages.end());
  for (const std::string& metric : metrics) {
    for (const std::string& part : parts_of_ratio(metric)) {
      if (!stages.contains(part) && !split_metric(part, known))
        throw UsageError(unknown_metric(part, known));
    }
  }
}

ComparedRuns compare_trials_of(const SweepPipeline& sweep_pipeline, const Path& outputs,
                               FileSystem& files) {
  ComparedRuns runs;
  runs.results = results_of(sweep_pipeline, outputs, files);
  runs.options = comparison_options(sweep_pipeline, runs.results);
  add_stages_with_metrics(sweep_pipeline.pipeline, runs.stages);
  for (const SweepTrial& trial : sweep_pipeline.trials) {
    for (const StagePlace& place : trial.stages) {
      if (sweep_pipeline.pipeline.stages[place.stage].has_metrics()) runs.stages.insert(place.name);
    }
  }
  return runs;
}

ComparedRuns compare_variants_of(const PipelineFile& file, const std::vector<std::string>& variants,
                                 const std::vector<std::string>& sets, bool each,
                                 const Path& outputs, const StageRegistry& stages,
                                 FileSystem& files) {
  ComparedRuns runs;
  Store store(files, outputs);
  std::vector<std::vector<Leaf>> leaves;
  for (const std::string& variant : variants) {
    const Inspection inspection(load_variation(file, {variant, sets, {}}, stages, files), store);
    if (leaves.empty()) add_stages_with_metrics(inspection.pipeline, runs.stages);
    leaves.push_back(leaves_of(inspection.pipeline));
    const std::string name = variant.empty() ? file.name : variant;
    runs.results.push_back({name, {}, inspection.metrics(), ""});
    if (each) runs.results.back().overrides.push_back({"variant", Value{name, {}}, 0});
  }
  for (const std::string& path : differing(leaves)) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const auto found = std::find_if(leaves[i].begin(), leaves[i].end(),
                                      [&](const Leaf& leaf) { return leaf.first == path; });
      if (found != leaves[i].end())
        runs.results[i].overrides.push_back({path, Value{found->second, {}}, 0});
    }
  }
  return runs;
}

std::vector<Leaf> leaves_of(const Value& map) {
  std::vector<Leaf> leaves;
  add_leaves(map, "", leaves);
  return leaves;
}

}  // namespace headway
