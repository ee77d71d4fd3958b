// What a run would do, found without running anything: which stages are fresh, which must run and
// why, and which wait for one that must. `run`, `status`, `why` and `gc` all ask here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/run/explain.h"
#include "lib/run/facts.h"
#include "lib/spec/graph.h"
#include "lib/store/pipeline_state.h"

namespace headway {

struct StagePlan {
  enum class Verdict {
    kFresh,    // its record is there and whole
    kMustRun,  // its key is known and has no record
    kWaits,    // an upstream stage must run first; it may turn out fresh (early cutoff)
  };
  Verdict verdict = Verdict::kWaits;
  Digest key;                      // not of kWaits
  std::vector<SourcedFact> facts;  // not of kWaits
  std::string damage;              // of kMustRun: the record was there, but damaged
  int waits_on = -1;               // of kWaits: the first upstream stage that must run
};

struct Plan {
  std::vector<StagePlan> stages;
  Finished finished;  // records of the fresh ones, perhaps only remembered
};

// Looks at the `selected` stages and fan-ins only. `forced` stages must run whatever is there.
Plan make_plan(const PipelineSpec& pipeline, const Graph& graph, Store& store,
               const PipelineState& state, FactMaker& facts, const std::vector<bool>& selected,
               const std::vector<bool>& forced);

// Why a stage that is not fresh is not: a few words, from what it did last.
std::string reason(const PipelineSpec& pipeline, const StageSpec& stage, const StagePlan& plan,
                   const LastState& last, Store& store);

// The facts of the last good result; nothing where there is none.
std::optional<Record> last_record(const LastState& last, Store& store);

}  // namespace headway
