#include "lib/run/inspection.h"

#include "lib/cli/output.h"
#include "lib/run/metrics.h"

namespace headway {

Judged::Judged(PipelineSpec spec, const Path& outputs, FileSystem& files)
    : pipeline(std::move(spec)),
      graph(build_graph(pipeline)),
      store(files, outputs),
      facts(pipeline, store),
      state(files, store.layout(), pipeline.name, pipeline.variant) {
  facts.keep_lists(false);
  plan = make_plan(pipeline, graph, store, state, facts, std::vector<bool>(graph.size(), true),
                   std::vector<bool>(graph.stages, false));
  for (const std::string& damage : {state.damage(), store.digests().damage()}) {
    if (!damage.empty()) complain("headway: {}\n", damage);
  }
}

bool Judged::has_failed(std::size_t stage) const {
  const LastState last = state.find(pipeline.stages[stage].name);
  return last && last->status == StageStatus::kFailed &&
         plan.stages[stage].verdict != StagePlan::Verdict::kWaits &&
         last->key == plan.stages[stage].key;
}

Json Judged::metrics_of(std::size_t stage) {
  return plan.finished[stage] ? read_metrics(store, *plan.finished[stage]) : Json();
}

std::map<std::string, Json> Judged::metrics() {
  std::map<std::string, Json> metrics;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    Json found = metrics_of(i);
    if (!found.is_null()) metrics[pipeline.stages[i].name] = std::move(found);
  }
  return metrics;
}

}  // namespace headway
