#include "lib/sweep/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "lib/base/digest.h"
#include "lib/spec/graph.h"

namespace headway {
namespace {

void append_source(std::string& text, const Source& source) {
  text += fmt::format("{},{},{};", source.stage.value(), source.output, source.fan_in.value());
}

// Text that is equal for equal stages: everything but source locations, with inputs as indices in
// the merged pipeline. Text can be hashed.
std::string stage_identity(const StageSpec& stage) {
  std::string text;
  append_field(text, stage.name);
  append_field(text, stage.type->name);
  append_field(text, to_line(to_json(stage.params)));
  for (const Output& output : stage.outputs) append_field(text, output.name + "\n" + output.file);
  for (const InputSpec& input : stage.inputs) {
    append_field(text, input.port);
    for (const Source& source : input.sources) append_source(text, source);
  }
  text += "needs ";
  for (const Source& source : stage.needs) append_source(text, source);
  text += fmt::format("{} {} {} {}", stage.resources.cpus, stage.resources.memory, stage.timeout,
                      stage.retries);
  for (const Expectation& expectation : stage.expectations) append_field(text, expectation.text());
  return digest_of(text).hex();  // the digest saves memory: the texts of a thousand trials are long
}

std::vector<std::pair<std::string, std::string>> as_text(const Trial& trial) {
  std::vector<std::pair<std::string, std::string>> text;
  for (const Assignment& assignment : trial.overrides)
    text.emplace_back(assignment.path, to_line(to_json(assignment.value)));
  return text;
}

}  // namespace

// Every stage after its inputs, depth first, starting with the last input.
std::vector<StageId> Merger::in_order(const PipelineSpec& pipeline,
                                      const std::vector<StageId>& targets) const {
  return post_order(pipeline, targets, [&](StageId stage) {
    std::vector<StageId> needed;
    const auto add = [&](const Source& source) {
      if (!source.is_fan_in()) {
        needed.push_back(source.stage);
      } else {
        const std::vector<StageId>& members = pipeline.fan_ins[source.fan_in].members;
        needed.insert(needed.end(), members.begin(), members.end());
      }
    };
    const StageSpec& spec = pipeline.stages[stage];
    for (const InputSpec& input : spec.inputs)
      std::for_each(input.sources.begin(), input.sources.end(), add);
    std::for_each(spec.needs.begin(), spec.needs.end(), add);
    std::reverse(needed.begin(), needed.end());
    return needed;
  });
}

Source Merger::translated(const Source& source, const PipelineSpec& pipeline,
                          const IndexedVector<StageId, StageId>& merged_index) {
  Source result = source;
  if (!source.is_fan_in()) {
    result.stage = merged_index[source.stage];
    return result;
  }
  FanIn fan_in = pipeline.fan_ins[source.fan_in];
  std::string text = fmt::format("{} {}:", fan_in.family, fan_in.output);
  for (StageId& member : fan_in.members) {
    member = merged_index[member];
    text += fmt::format(" {}", member.value());
  }
  const auto [found, is_new] = known_fan_ins_.emplace(std::move(text), merged_.fan_ins.next_id());
  if (is_new) merged_.fan_ins.push_back(std::move(fan_in));
  result.fan_in = found->second;
  return result;
}

StageSpec Merger::translated(const StageSpec& stage, const PipelineSpec& pipeline,
                             const IndexedVector<StageId, StageId>& merged_index) {
  StageSpec result = stage;
  for (InputSpec& input : result.inputs) {
    for (Source& source : input.sources) source = translated(source, pipeline, merged_index);
  }
  for (Source& need : result.needs) need = translated(need, pipeline, merged_index);
  return result;
}

std::vector<StagePlace> Merger::add(const Trial& trial, const PipelineSpec& pipeline,
                                    const std::vector<StageId>& targets) {
  ++trials_;
  const auto overrides = as_text(trial);
  IndexedVector<StageId, StageId> merged_index(pipeline.stages.size());
  for (const StageId index : in_order(pipeline, targets)) {
    StageSpec stage = translated(pipeline.stages[index], pipeline, merged_index);
    const auto [found, is_new] = known_.emplace(stage_identity(stage), merged_.stages.next_id());
    merged_index[index] = found->second;
    const std::string place = trial.name + "/" + stage.name;
    if (is_new) {
      stage.places = {place};
      for (const auto& [path, value] : overrides)
        stage.arguments.insert(stage.arguments.end(), {"--set", path + "=" + value});
      merged_.stages.push_back(std::move(stage));
      shared_.push_back({overrides, trial.overrides, trial.name, overrides.size(), 1});
      continue;
    }
    merged_.stages[found->second].places.push_back(place);
    Shared& shared = shared_[found->second];
    ++shared.trials;
    for (std::size_t i = shared.common.size(); i-- > 0;) {
      if (std::find(overrides.begin(), overrides.end(), shared.common[i]) != overrides.end())
        continue;
      shared.common.erase(shared.common.begin() + static_cast<std::ptrdiff_t>(i));
      shared.overrides.erase(shared.overrides.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  std::vector<StagePlace> places;
  for (const StageId id : merged_index.ids()) {
    if (merged_index[id].exists()) places.push_back({pipeline.stages[id].name, merged_index[id]});
  }
  return places;
}

void Merger::name_stages() {
  std::unordered_set<std::string> taken;
  const auto name = [](const StageSpec& stage) {
    return stage.full_item().empty() ? stage.family : stage.family + "@" + stage.full_item();
  };
  for (std::size_t i = 0; i < shared_.size(); ++i) {
    StageSpec& stage = merged_.stages[i];
    const Shared& shared = shared_[i];
    const bool all_share = trials_ > 1 && shared.trials == trials_;
    if (!shared.common.empty() && !all_share)
      stage.variation = shared.common.size() == shared.first_overrides
                            ? shared.first_trial
                            : trial_name(shared.overrides);
    // Two groups of trials may have the same values in common; then the first trial distinguishes
    // them.
    if (taken.contains(name(stage))) stage.variation = shared_[i].first_trial;
    stage.name = name(stage);
    taken.insert(stage.name);
  }
}

bool Merger::depends_on(const std::string& path) const {
  return std::any_of(shared_.begin(), shared_.end(), [&](const Shared& shared) {
    return std::any_of(shared.common.begin(), shared.common.end(),
                       [&](const auto& common) { return common.first == path; });
  });
}

}  // namespace headway
