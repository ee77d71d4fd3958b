// A pipeline and its plan, without running it: for `status`, `why`, `compare`, `diff`, `gc` and
// --dry-run. Writes nothing, so it works on a read-only store.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/run/plan.h"
#include "lib/store/pipeline_state.h"

namespace headway {

struct Inspection {
  const PipelineSpec pipeline;
  const Graph graph;
  Store& store;
  const PipelineState state;
  Plan plan;

  // Throws Error if a file that a parameter names is missing.
  Inspection(PipelineSpec pipeline, Store& store, const Selection& selection = {});

  bool is_fresh(StageId stage) const { return plan.finished[stage] != nullptr; }
  bool has_failed(StageId stage) const;  // the last attempt with the same key failed
  std::string reason_of(StageId stage) const;
  Json metrics_of(StageId stage) const;         // null: no metrics, or no fresh result
  std::map<std::string, Json> metrics() const;  // by stage name; only stages with metrics
  // One sentence for each damaged journal.
  std::vector<std::string> damages() const;
};

}  // namespace headway
