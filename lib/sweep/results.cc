#include "lib/sweep/results.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "lib/base/text.h"
#include "lib/observers/terminal_observer.h"
#include "lib/run/inspection.h"
#include "lib/sweep/successive_halving.h"
#include "lib/sweep/sweep_file.h"

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

std::string status_of(Judged& judged, const SweepTrial& trial) {
  bool done = true;
  for (const StagePlace& place : trial.stages) {
    const auto stage = static_cast<std::size_t>(place.stage);
    if (judged.has_failed(stage)) return kTrialFailed;
    done = done && judged.is_fresh(stage);
  }
  return done ? kTrialDone : "not finished";
}

// Paths whose values are not the same everywhere, in the order in which they appear.
std::vector<std::string> differing(const std::vector<std::vector<Leaf>>& all) {
  std::vector<std::string> paths;
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, std::size_t> counts;
  for (const std::vector<Leaf>& leaves : all) {
    for (const auto& [path, value] : leaves) {
      if (values[path].empty()) paths.push_back(path);
      values[path].insert(value);
      ++counts[path];
    }
  }
  std::erase_if(paths, [&](const std::string& path) {
    return values[path].size() == 1 && counts[path] == all.size();
  });
  return paths;
}

}  // namespace

std::vector<Leaf> leaves_of(const Value& map) {
  std::vector<Leaf> leaves;
  add_leaves(map, "", leaves);
  return leaves;
}

std::vector<TrialResult> results_of(const SweepPipeline& campaign, const Path& outputs,
                                    FileSystem& files) {
  Judged judged(campaign.pipeline, outputs, files);
  std::vector<Json> metrics(campaign.pipeline.stages.size());  // read once, however many share them
  std::vector<bool> read(metrics.size(), false);
  std::vector<TrialResult> results;
  for (const SweepTrial& trial : campaign.trials) {
    TrialResult result{trial.trial.name, trial.trial.overrides, {}, status_of(judged, trial)};
    for (const StagePlace& place : trial.stages) {
      const auto stage = static_cast<std::size_t>(place.stage);
      if (!read[stage]) metrics[stage] = judged.metrics_of(stage);
      read[stage] = true;
      if (!metrics[stage].is_null()) result.metrics[place.name] = metrics[stage];
    }
    results.push_back(std::move(result));
  }
  for (const Trial& trial : campaign.failed)
    results.push_back({trial.name, trial.overrides, {}, kTrialFailed});
  return results;
}

SweepPipeline campaign_so_far(const SweepLoader& loader, const Path& outputs, FileSystem& files) {
  if (!loader.sweep().is_halving()) return loader.load_all();
  HalvingSteps steps;
  steps.results = [&](const SweepPipeline& campaign) {
    return results_of(campaign, outputs, files);
  };
  steps.run = [&](const SweepPipeline& campaign, bool) {
    const std::vector<TrialResult> results = steps.results(campaign);
    return std::all_of(results.begin(), results.end(), [](const TrialResult& result) {
      return result.status == kTrialDone || result.status == kTrialFailed;
    });
  };
  steps.decided = [](const RungDecisions&) {};
  return run_halving(loader, steps);
}

ComparisonOptions comparison_options(const SweepPipeline& campaign,
                                     const std::vector<TrialResult>& results) {
  ComparisonOptions options;
  options.objective = campaign.sweep.objective;
  options.maximise = campaign.sweep.maximise;
  options.metrics = campaign.sweep.metrics;
  options.resource = campaign.sweep.resource;
  options.without_seeds = stages_without_seeds(campaign);
  for (const TrialResult& result : results) {
    if (result.status == kTrialFailed) options.failed.push_back(result.name);
  }
  return options;
}

std::string fitting_text(const Table& table, ComparisonOptions options) {
  constexpr std::size_t kMost = 8;
  const bool live = ::isatty(STDOUT_FILENO) != 0;
  const std::size_t width = live ? terminal_width(stdout) : 120;
  const bool chosen = options.metrics.empty();
  const std::size_t listed = options.metrics.size();
  options.most_metrics = kMost;
  for (;;) {
    const std::string text = to_text(compare_trials(table, options));
    std::size_t widest = 0;
    for (const std::string& line : split(text, '\n'))
      widest = std::max(widest, display_width(line));
    const std::size_t left = chosen ? options.most_metrics : options.metrics.size();
    if (widest <= width || left == 1 || (!chosen && !live)) {
      const std::size_t hidden = listed - options.metrics.size();
      return hidden == 0 ? text
                         : text + fmt::format("{} more column{} not fit here: --csv has all\n",
                                              hidden, hidden == 1 ? " does" : "s do");
    }
    if (chosen) {
      --options.most_metrics;
    } else {
      options.metrics.pop_back();
    }
  }
}

std::vector<TrialResult> results_of_variants(const PipelineArguments& arguments,
                                             const std::vector<std::string>& variants, bool each,
                                             CommandLine& line) {
  const Layout layout(arguments.outputs_path());
  const PipelineFile file = read_file_with_sweeps(arguments.file, line.files);
  std::vector<TrialResult> results;
  std::vector<std::vector<Leaf>> leaves;
  for (const std::string& variant : variants) {
    Judged judged(load_variation(file, {variant, arguments.sets, {}}, line.stages, line.files),
                  arguments.outputs_path(), line.files);
    std::vector<Leaf> own = leaves_of(judged.pipeline.params);
    for (const StageSpec& stage : judged.pipeline.stages) {
      for (const std::string& path : stage.changed) {  // what variants changed inside stages
        const Value* value = find_path(stage.params, path);
        if (value) add_leaves(*value, stage.family + "." + path, own);
      }
    }
    leaves.push_back(std::move(own));
    results.push_back({variant.empty() ? file.name : variant, {}, judged.metrics(), ""});
  }
  if (each) {
    for (TrialResult& result : results)
      result.overrides.push_back({"variant", Value{result.name, {}}, 0});
  }
  for (const std::string& path : differing(leaves)) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto found = std::find_if(leaves[i].begin(), leaves[i].end(),
                                      [&](const Leaf& leaf) { return leaf.first == path; });
      if (found != leaves[i].end())
        results[i].overrides.push_back({path, Value{found->second, {}}, 0});
    }
  }
  return results;
}

}  // namespace headway
