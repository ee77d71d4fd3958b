// What a run would do, found without running anything: which stages are fresh, which must run and
// why, and which wait for one that must. A run and an inspection both start here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/run/explain.h"
#include "lib/run/facts.h"
#include "lib/spec/graph.h"
#include "lib/stage/stage_status.h"
#include "lib/store/pipeline_state.h"

namespace headway {

// Which part of a pipeline is looked at.
struct Selection {
  NodeSet nodes = {};    // empty: all
  StageSet forced = {};  // must run whatever the store has; empty: none
  StageSet only = {};    // may run, the others must be fresh already; empty: all may

  bool has(NodeId node) const { return nodes.empty() || nodes[node]; }
  bool forces(StageId stage) const { return !forced.empty() && forced[stage]; }
  bool allows(StageId stage) const { return only.empty() || only[stage]; }
};

struct StagePlan {
  StageStatus status = StageStatus::kWaiting;  // or kReady or kFresh
  Digest key;                                  // not of kWaiting
  std::vector<SourcedFact> facts;              // not of kWaiting
  std::string damage;                          // of kReady: the record is in the store, but damaged
  StageId waits_on;  // of kWaiting: the first upstream stage that must run
};

struct Plan {
  IndexedVector<StageId, StagePlan> stages;
  Finished finished;  // records of the fresh ones, perhaps only remembered
};

Plan make_plan(const PipelineSpec& pipeline, const Graph& graph, Store& store,
               const PipelineState& state, FactMaker& facts, const Selection& selection);

// Why a stage that is not fresh is not: a few words, from what it did last.
std::string reason(const PipelineSpec& pipeline, const StageSpec& stage, const StagePlan& plan,
                   const LastState& last, Store& store);

// The record of the last good result; nothing if there is none.
std::optional<Record> last_record(const LastState& last, Store& store);

}  // namespace headway
