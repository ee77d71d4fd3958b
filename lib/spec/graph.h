// Which stage waits for which. The nodes are the pipeline's stages and, after them, its fan-ins, so
// that a thousand stages that each read a thousand take two thousand edges and not a million. Knows
// nothing of keys or processes.
#pragma once

#include <utility>
#include <vector>

#include "lib/spec/pipeline_spec.h"

namespace headway {

using NodeId = Index<struct Graph>;
using NodeSet = IndexedVector<NodeId, bool>;
using StageSet = IndexedVector<StageId, bool>;

struct Graph {
  std::size_t stages = 0;                                // how many of the nodes are stages
  IndexedVector<NodeId, std::vector<NodeId>> waits_for;  // no repeats
  IndexedVector<NodeId, std::vector<NodeId>> leads_to;
  NodeSet tolerant;  // see is_tolerant; empty: none is
  // Every node after what it waits for; otherwise as in the file. Without nodes on a circle and
  // those that wait for them.
  std::vector<NodeId> order;

  std::size_t size() const { return waits_for.size(); }
  NodeSet all_nodes() const { return NodeSet(size(), true); }
  // Goes on without those that it waits for and that failed.
  bool is_tolerant(NodeId node) const { return !tolerant.empty() && tolerant[node]; }

  bool is_stage(NodeId node) const { return node.value() < stages; }
  StageId stage_of(NodeId node) const { return StageId(node.value()); }  // of a node that is one
  NodeId node_of(StageId stage) const { return NodeId(stage.value()); }
  FanInId fan_in_of(NodeId node) const { return FanInId(node.value() - stages); }
  NodeId node_of(FanInId fan_in) const { return NodeId(stages + fan_in.value()); }
};

Graph build_graph(const PipelineSpec& pipeline);

// Adds one mistake for every circle met, with its path: "stages wait for each other: a -> b -> a".
void find_cycles(const PipelineSpec& pipeline, Diagnostics& diagnostics);

// The stages given, and all they need / all that needs them.
NodeSet with_ancestors(const Graph& graph, const std::vector<StageId>& stages);
NodeSet with_descendants(const Graph& graph, const std::vector<StageId>& stages);
// What cannot be made where this stage has failed, and itself.
NodeSet lost_without(const Graph& graph, StageId stage);

// Depth first from each root in turn: every stage once, after all that `next` gives for it. `next`
// maps a stage to others, in the order in which they are visited. With a stack of its own, as long
// chains would overflow the program's.
template <class Next>
std::vector<StageId> post_order(const PipelineSpec& pipeline, const std::vector<StageId>& roots,
                                const Next& next) {
  StageSet seen(pipeline.stages.size(), false);
  std::vector<StageId> order;
  std::vector<std::pair<StageId, bool>> open;  // a stage, and whether all before it was taken
  const auto add = [&](const std::vector<StageId>& stages) {
    for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage)
      open.emplace_back(*stage, false);
  };
  add(roots);
  while (!open.empty()) {
    const auto [stage, complete] = open.back();
    open.pop_back();
    if (complete) order.push_back(stage);
    if (complete || seen[stage]) continue;
    seen[stage] = true;
    open.emplace_back(stage, true);
    add(next(stage));
  }
  return order;
}

}  // namespace headway
