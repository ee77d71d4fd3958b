#include "lib/run/plan.h"

#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/spec/document.h"

namespace headway {
namespace {

bool has_name(const Path& file, const std::string& name, Store& store) {
  try {
    return read_pipeline_file(file, store.files()).name == name;
  } catch (const Error&) {  // a file with mistakes still owns its name
    return true;
  }
}

// The file that owns the name: that of this variant or, if it never ran, of another variant.
Path owner_of(const PipelineSpec& pipeline, const PipelineState& state, Store& store) {
  if (!state.file().empty()) return state.file();
  for (const KnownPipeline& known : known_pipelines(store.files(), store.layout())) {
    if (known.name != pipeline.name) continue;
    const PipelineState other(store.files(), store.layout(), known.name, known.variant);
    if (!other.file().empty()) return other.file();
  }
  return {};
}

bool is_same_file(const Path& a, const Path& b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error);
}

// Of a stage that never had a result.
std::string why_no_record(const LastState& last) {
  if (last && last->status == StageStatus::kFailed) return "it failed last time";
  const bool was_stopped =
      last && (last->status == StageStatus::kRunning || last->status == StageStatus::kCancelled);
  return was_stopped ? "it was interrupted" : "never run";
}

}  // namespace

Plan make_plan(const PipelineSpec& pipeline, const Graph& graph, Store& store,
               const PipelineState& state, FactMaker& facts, const Selection& selection) {
  Plan plan;
  plan.stages.resize(pipeline.stages.size());
  plan.finished.resize(pipeline.stages.size());
  // All readers of a fan-in wait for the same stage, so it is looked up once: for 1,000 readers of
  // 1,000 members this saves a million look-ups.
  IndexedVector<FanInId, StageId> fan_in_waits_on(pipeline.fan_ins.size());
  for (const NodeId node : graph.order) {
    if (!selection.has(node)) continue;
    StageId waits_on;
    for (const NodeId upstream : graph.waits_for[node]) {
      if (!graph.is_stage(upstream))
        waits_on = fan_in_waits_on[graph.fan_in_of(upstream)];
      else if (!plan.finished[graph.stage_of(upstream)])
        waits_on = graph.stage_of(upstream);
      if (waits_on.exists()) break;
    }
    if (!graph.is_stage(node)) {
      fan_in_waits_on[graph.fan_in_of(node)] = waits_on;
      continue;
    }
    const StageId id = graph.stage_of(node);
    StagePlan& stage = plan.stages[id];
    stage.waits_on = waits_on;
    if (waits_on.exists()) continue;
    stage.facts = facts.facts_of(pipeline.stages[id], plan.finished);
    stage.key = key_of(stage.facts);
    stage.status = StageStatus::kReady;
    if (selection.forces(id)) continue;
    const LastState last = state.find(pipeline.stages[id].name);
    std::optional<Record> record;
    if (last && last->good_key == stage.key)
      record = store.find_remembered(stage.key, last->record_stamp, last->outputs);
    if (!record) record = store.find(stage.key, &stage.damage);
    if (record) {
      plan.finished[id] = std::make_shared<const Record>(std::move(*record));
      stage.status = StageStatus::kFresh;
    }
  }
  return plan;
}

std::optional<Record> last_record(const LastState& last, Store& store) {
  if (!last || last->good_key.empty()) return std::nullopt;
  return store.read_record(last->good_key);
}

std::string reason(const PipelineSpec& pipeline, const StageSpec& stage, const StagePlan& plan,
                   const LastState& last, Store& store) {
  if (plan.status == StageStatus::kWaiting)
    return fmt::format("waits for {}", pipeline.stages[plan.waits_on].name);
  if (!plan.damage.empty()) return plan.damage;
  const std::optional<Record> record = last_record(last, store);
  if (!record && last && !last->good_key.empty()) return "its last record is gone";
  if (!record) return why_no_record(last);
  if (record->key == plan.key) return "forced";
  const std::vector<Change> changes = compare(*record, plan.facts, stage.references);
  if (changes.empty()) return "its last record is of another version";
  return changes.size() == 1 ? brief(changes[0])
                             : fmt::format("{} and {} more", brief(changes[0]), changes.size() - 1);
}

void refuse_others(const PipelineSpec& pipeline, const Graph& graph, const Selection& selection,
                   const Plan& plan, const PipelineState& state, Store& store) {
  for (const StageId stage : pipeline.stages.ids()) {
    if (!selection.has(graph.node_of(stage)) || selection.allows(stage) || plan.finished[stage])
      continue;
    const StageSpec& spec = pipeline.stages[stage];
    throw UsageError(
        "--only: the result of stage '{}' is needed but not there ({}); run it first, or leave out "
        "--only",
        spec.name,
        reason(pipeline, spec, plan.stages[stage], state.find_similar(spec.name), store));
  }
}

void refuse_missing_gpus(const PipelineSpec& pipeline, const Graph& graph,
                         const Selection& selection, const Plan& plan, int gpus) {
  if (gpus < 0) return;
  Diagnostics diagnostics;
  for (const StageId stage : pipeline.stages.ids()) {
    const StageSpec& spec = pipeline.stages[stage];
    if (!selection.has(graph.node_of(stage)) || plan.finished[stage] || spec.resources.gpus <= gpus)
      continue;
    diagnostics.add(spec.location,
                    "{} asks for {}, but this machine has {}; run it on a cluster (--on slurm), or "
                    "remove 'gpus' from its resources",
                    spec.subject(), count_of(static_cast<std::size_t>(spec.resources.gpus), "gpu"),
                    gpus == 0 ? "none" : std::to_string(gpus));
  }
  diagnostics.throw_if_any();
}

void refuse_taken_name(const PipelineSpec& pipeline, const PipelineState& state, Store& store) {
  const Path owner = owner_of(pipeline, state, store);
  if (owner.empty() || is_same_file(owner, std::filesystem::absolute(pipeline.file)) ||
      !store.files().exists(owner) || !has_name(owner, pipeline.name, store))
    return;
  throw UsageError(
      "{} has the name '{}' in {} already, so {} cannot have it too; give one of them another name "
      "(`name: …` at the top of the file), or other outputs (--outputs FOLDER)",
      display_path(owner), pipeline.name, display_path(store.layout().outputs()),
      display_path(pipeline.file));
}

}  // namespace headway
