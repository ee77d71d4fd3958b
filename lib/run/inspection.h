// A pipeline judged without running it: what `status`, `why`, `compare` and `diff` look at.
#pragma once

#include <map>
#include <string>

#include "lib/cli/verbs.h"
#include "lib/run/plan.h"
#include "lib/store/pipeline_state.h"

namespace headway {

struct Judged {
  PipelineSpec pipeline;
  Graph graph;
  Store store;
  FactMaker facts;
  PipelineState state;
  Plan plan;

  Judged(PipelineSpec spec, const Path& outputs, FileSystem& files);

  bool is_fresh(std::size_t stage) const { return plan.finished[stage] != nullptr; }
  bool has_failed(std::size_t stage) const;  // when it was last tried with what it is now
  Json metrics_of(std::size_t stage);        // null where it has none, or no fresh result
  std::map<std::string, Json> metrics();     // of all stages that have some, by name
};

}  // namespace headway
