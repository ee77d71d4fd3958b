#include "lib/sweep/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "lib/base/digest.h"
#include "lib/spec/graph.h"

namespace headway {
namespace {

void append_source(std::string& text, const Source& source) {
  text +=
      fmt::format("{},{},{};", source.stage.value(), source.output.value(), source.fan_in.value());
  if (source.files) append_field(text, source.files->written);
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
  const Resources& asked = stage.resources;
  text += fmt::format("{} {} {} {} {} {}", asked.cpus, asked.memory, asked.time, asked.gpus,
                      stage.timeout, stage.retries);
  for (const Expectation& expectation : stage.expectations)
    append_field(text, (expectation.warns ? "warn " : "") + expectation.text());
  return digest_of(text).hex();  // the digest saves memory: the texts of a thousand trials are long
}

std::string value_text(const Assignment& assignment) {
  return to_line(to_json(assignment.value));
}

// Every stage after its inputs, depth first, starting with the last input.
std::vector<StageId> in_order(const PipelineSpec& pipeline, const std::vector<StageId>& targets) {
  return post_order(pipeline, targets, [&](StageId stage) {
    std::vector<StageId> needed;
    const auto add = [&](const Source& source) {
      if (source.files) return;
      if (!source.is_fan_in()) {
        needed.push_back(source.stage);
      } else {
        const std::vector<StageId>& members = pipeline.fan_ins[source.fan_in].members;
        needed.insert(needed.end(), members.begin(), members.end());
      }
    };
    const StageSpec& spec = pipeline.stages[stage];
    for (const InputSpec& input : spec.inputs) std::ranges::for_each(input.sources, add);
    std::ranges::for_each(spec.needs, add);
    std::ranges::reverse(needed);
    return needed;
  });
}

}  // namespace

Source Merger::translated(const Source& source, const PipelineSpec& pipeline,
                          const IndexedVector<StageId, StageId>& merged_index) {
  Source result = source;
  if (source.files) return result;
  if (!source.is_fan_in()) {
    result.stage = merged_index[source.stage];
    return result;
  }
  FanIn fan_in = pipeline.fan_ins[source.fan_in];
  std::string text = fmt::format("{} {}:", fan_in.family, fan_in.output.value());
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
  std::map<std::string, std::string> values;  // of the trial, by path
  Coordinates coordinates;
  for (const Assignment& change : trial.overrides) {
    values[change.path] = value_text(change);
    coordinates.push_back({change.path, change.value.plain(), value_in_name(change)});
  }
  const auto variation = std::make_shared<const Coordinates>(std::move(coordinates));
  IndexedVector<StageId, StageId> merged_index(pipeline.stages.size());
  for (const StageId index : in_order(pipeline, targets)) {
    StageSpec stage = translated(pipeline.stages[index], pipeline, merged_index);
    const auto [found, is_new] = known_.emplace(stage_identity(stage), merged_.stages.next_id());
    merged_index[index] = found->second;
    const std::string place = trial.name + "/" + stage.name;
    if (is_new) {
      stage.places = {place};
      stage.variations = {variation};
      for (const Assignment& change : trial.overrides)
        stage.arguments.insert(stage.arguments.end(),
                               {"--set", change.path + "=" + values[change.path]});
      merged_.stages.push_back(std::move(stage));
      shared_.push_back({trial, trial.overrides, 1});
      continue;
    }
    merged_.stages[found->second].places.push_back(place);
    merged_.stages[found->second].variations.push_back(variation);
    Shared& shared = shared_[found->second];
    ++shared.trials;
    std::erase_if(shared.common, [&](const Assignment& common) {
      const auto mine = values.find(common.path);
      return mine == values.end() || mine->second != value_text(common);
    });
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
      stage.variation = shared.common.size() == shared.first.overrides.size()
                            ? shared.first.name
                            : folder_name(shared.common);
    // Two groups of trials may have the same values in common; then the first trial distinguishes
    // them.
    if (taken.contains(name(stage))) stage.variation = shared.first.name;
    stage.name = name(stage);
    taken.insert(stage.name);
  }
}

bool Merger::depends_on(const std::string& path) const {
  return std::ranges::any_of(shared_, [&](const Shared& shared) {
    return std::ranges::find(shared.common, path, &Assignment::path) != shared.common.end();
  });
}

}  // namespace headway
