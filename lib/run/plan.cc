#include "lib/run/plan.h"

#include <fmt/format.h>

namespace headway {
namespace {

// The first stage upstream that is not finished; through fan-ins, which have no state of their own.
int first_unfinished(const Graph& graph, const Finished& finished, std::size_t node) {
  for (const int upstream : graph.waits_for[node]) {
    if (graph.is_stage(upstream)) {
      if (!finished[static_cast<std::size_t>(upstream)]) return upstream;
    } else if (const int inner =
                   first_unfinished(graph, finished, static_cast<std::size_t>(upstream));
               inner >= 0) {
      return inner;
    }
  }
  return -1;
}

}  // namespace

Plan make_plan(const PipelineSpec& pipeline, const Graph& graph, Store& store,
               const PipelineState& state, FactMaker& facts, const std::vector<bool>& selected,
               const std::vector<bool>& forced) {
  Plan plan;
  plan.stages.resize(pipeline.stages.size());
  plan.finished.resize(pipeline.stages.size());
  // What a fan-in waits for is the same for all who read it: looked up once, or 1,000 x 1,000 would
  // be a million look-ups.
  std::vector<int> fan_in_waits(graph.size() - graph.stages, -1);
  for (const int node : graph.order) {
    const auto index = static_cast<std::size_t>(node);
    if (!selected[index]) continue;
    if (!graph.is_stage(node)) {
      fan_in_waits[index - graph.stages] = first_unfinished(graph, plan.finished, index);
      continue;
    }
    StagePlan& stage = plan.stages[index];
    for (const int upstream : graph.waits_for[index]) {
      const auto above = static_cast<std::size_t>(upstream);
      if (graph.is_stage(upstream) ? !plan.finished[above]
                                   : fan_in_waits[above - graph.stages] >= 0) {
        stage.waits_on = graph.is_stage(upstream) ? upstream : fan_in_waits[above - graph.stages];
        break;
      }
    }
    if (stage.waits_on >= 0) continue;
    stage.facts = facts.facts_of(pipeline.stages[index], plan.finished);
    stage.key = key_of(stage.facts);
    stage.verdict = StagePlan::Verdict::kMustRun;
    if (forced[index]) continue;
    const LastState last = state.find(pipeline.stages[index].name);
    std::optional<Record> record;
    if (last && last->good_key == stage.key)
      record = store.find_remembered(stage.key, last->record_stamp, last->outputs);
    if (!record) record = store.find(stage.key, &stage.damage);
    if (record) {
      plan.finished[index] = std::make_shared<const Record>(std::move(*record));
      stage.verdict = StagePlan::Verdict::kFresh;
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
  if (plan.verdict == StagePlan::Verdict::kWaits) {
    return fmt::format("waits for {}",
                       pipeline.stages[static_cast<std::size_t>(plan.waits_on)].name);
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
