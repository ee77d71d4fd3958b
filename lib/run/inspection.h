// A pipeline and its plan, without running it: for `status`, `why`, `compare`, `diff`, `gc` and
// --dry-run. Writes nothing, so that it works on a read-only store.
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

  // Throws Error where a file that a parameter names is gone.
  Inspection(PipelineSpec pipeline, Store& store, const Selection& selection = {});

  bool is_fresh(StageId stage) const { return plan.finished[stage] != nullptr; }
  bool has_failed(StageId stage) const;  // when it was last tried with the same key
  std::string reason_of(StageId stage) const;
  Json metrics_of(StageId stage) const;         // null: it has none, or no fresh result
  std::map<std::string, Json> metrics() const;  // of all stages that have some, by name
  // What is wrong with the journals, a sentence each.
  std::vector<std::string> damages() const;
};

}  // namespace headway
