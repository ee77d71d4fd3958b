#include "lib/run/plan.h"

#include <fmt/format.h>

namespace headway {
namespace {

// The first unfinished upstream stage. Looks through fan-ins, which have no state of their own.
StageId first_unfinished(const Graph& graph, const Finished& finished, NodeId node) {
  for (const NodeId upstream : graph.waits_for[node]) {
    if (graph.is_stage(upstream)) {
      if (!finished[graph.stage_of(upstream)]) return graph.stage_of(upstream);
    } else if (const StageId inner = first_unfinished(graph, finished, upstream); inner.exists()) {
      return inner;
    }
  }
  return {};
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
    if (!graph.is_stage(node)) {
      fan_in_waits_on[graph.fan_in_of(node)] = first_unfinished(graph, plan.finished, node);
      continue;
    }
    const StageId id = graph.stage_of(node);
    StagePlan& stage = plan.stages[id];
    for (const NodeId upstream : graph.waits_for[node]) {
      if (!graph.is_stage(upstream))
        stage.waits_on = fan_in_waits_on[graph.fan_in_of(upstream)];
      else if (!plan.finished[graph.stage_of(upstream)])
        stage.waits_on = graph.stage_of(upstream);
      if (stage.waits_on.exists()) break;
    }
    if (stage.waits_on.exists()) continue;
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
  if (plan.status == StageStatus::kWaiting) {
    return fmt::format("waits for {}", pipeline.stages[plan.waits_on].name);
  }
  if (!plan.damage.empty()) return plan.damage;
  const std::optional<Record> record = last_record(last, store);
  if (!record) return last && !last->good_key.empty() ? "its last record is gone" : "never run";
  if (record->key == plan.key) return "forced";
  const std::vector<Change> changes = compare(*record, plan.facts, stage.references);
  if (changes.empty()) return "its last record is of another version";
  return changes.size() == 1 ? brief(changes[0])
                             : fmt::format("{} and {} more", brief(changes[0]), changes.size() - 1);
}

}  // namespace headway
