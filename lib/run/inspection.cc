#include "lib/run/inspection.h"

namespace headway {

Inspection::Inspection(PipelineSpec spec, Store& used_store, const Selection& selection)
    : pipeline(std::move(spec)),
      graph(build_graph(pipeline)),
      store(used_store),
      state(store.files(), store.layout(), pipeline.name, pipeline.variant) {
  FactMaker facts(pipeline, store);
  facts.keep_lists(false);
  plan = make_plan(pipeline, graph, store, state, facts, selection);
}

bool Inspection::has_failed(StageId stage) const {
  const LastState last = state.find(pipeline.stages[stage].name);
  return last && last->status == StageStatus::kFailed &&
         plan.stages[stage].status != StageStatus::kWaiting && last->key == plan.stages[stage].key;
}

std::string Inspection::reason_of(StageId stage) const {
  return reason(pipeline, pipeline.stages[stage], plan.stages[stage],
                state.find_similar(pipeline.stages[stage].name), store);
}

Json Inspection::metrics_of(StageId stage) const {
  return plan.finished[stage] ? read_metrics(store, *plan.finished[stage]) : Json();
}

std::map<std::string, Json> Inspection::metrics() const {
  std::map<std::string, Json> metrics;
  for (const StageId stage : pipeline.stages.ids()) {
    Json found = metrics_of(stage);
    if (!found.is_null()) metrics[pipeline.stages[stage].name] = std::move(found);
  }
  return metrics;
}

std::vector<std::string> Inspection::damages() const {
  std::vector<std::string> damages = {state.damage(), store.digests().damage()};
  std::erase(damages, "");
  return damages;
}

}  // namespace headway
