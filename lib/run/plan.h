// What a run would do: which stages are fresh, which must run and why, and which wait for another.
// Runs nothing. Both runs and inspections start here.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "lib/run/explain.h"
#include "lib/run/facts.h"
#include "lib/spec/graph.h"
#include "lib/stage/stage_status.h"
#include "lib/store/pipeline_state.h"

namespace headway {

// Part of a pipeline.
struct Selection {
  NodeSet nodes = {};    // empty: all
  StageSet forced = {};  // run even if the store has a result; empty: none
  StageSet only = {};    // may run; all others must be fresh; empty: all may run

  bool has(NodeId node) const { return nodes.empty() || nodes[node]; }
  bool forces(StageId stage) const { return !forced.empty() && forced[stage]; }
  bool allows(StageId stage) const { return only.empty() || only[stage]; }
  // All of the pipeline, and as it is: no stage is forced.
  bool is_everything() const {
    return std::ranges::find(nodes, false) == nodes.end() &&
           std::ranges::find(forced, true) == forced.end();
  }
};

struct StagePlan {
  StageStatus status = StageStatus::kWaiting;  // or kReady or kFresh
  Digest key;                                  // unless kWaiting
  std::vector<SourcedFact> facts;              // unless kWaiting
  std::string damage;  // if kReady: what is wrong with the stored record; "": nothing
  StageId waits_on;    // if kWaiting: the first upstream stage that must run
};

struct Plan {
  IndexedVector<StageId, StagePlan> stages;
  Finished finished;  // records of fresh stages; see Store::find_remembered()
};

Plan make_plan(const PipelineSpec& pipeline, const Graph& graph, Store& store,
               const PipelineState& state, FactMaker& facts, const Selection& selection);

// Explains briefly why a stage is not fresh, compared with its last result.
std::string reason(const PipelineSpec& pipeline, const StageSpec& stage, const StagePlan& plan,
                   const LastState& last, Store& store);

// The record of the last good result; nullopt if there is none.
std::optional<Record> last_record(const LastState& last, Store& store);

// Two pipeline files of the same name cannot share outputs: each would replace the other's, and gc
// would confuse their results. Throws UsageError if another file has run under the pipeline's name,
// still exists and still has that name. `state` is the pipeline's own.
void refuse_taken_name(const PipelineSpec& pipeline, const PipelineState& state, Store& store);

// Throws UsageError if a stage must run that the selection does not allow to (--only).
void refuse_others(const PipelineSpec& pipeline, const Graph& graph, const Selection& selection,
                   const Plan& plan, const PipelineState& state, Store& store);

// Throws PipelineError if a stage that is not fresh asks for more gpus than there are; -1: there is
// no limit. All such stages are named, since none of them would ever start.
void refuse_missing_gpus(const PipelineSpec& pipeline, const Graph& graph,
                         const Selection& selection, const Plan& plan, int gpus);

}  // namespace headway
