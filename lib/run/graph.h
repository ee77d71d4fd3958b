// Who waits for whom. Nodes 0..stages-1 are the pipeline's stages; the fan-ins follow, so that a
// thousand stages that each read a thousand take two thousand edges and not a million. Knows
// nothing of keys or processes.
#pragma once

#include <vector>

#include "lib/spec/pipeline_spec.h"

namespace headway {

struct Graph {
  std::size_t stages = 0;                   // how many of the nodes are stages
  std::vector<std::vector<int>> waits_for;  // per node, no repeats
  std::vector<std::vector<int>> leads_to;
  std::vector<bool> tolerant;  // see is_tolerant; empty: none is
  std::vector<int> order;      // every node after what it waits for; otherwise as in the file

  std::size_t size() const { return waits_for.size(); }
  // Goes on without what failed before it: a fan-in over several variations.
  bool is_tolerant(int node) const {
    return !tolerant.empty() && tolerant[static_cast<std::size_t>(node)];
  }
  bool is_stage(int node) const { return static_cast<std::size_t>(node) < stages; }
};

// The pipeline must be free of circles, as every loaded one is.
Graph build_graph(const PipelineSpec& pipeline);

// The nodes given, and all they need / all that needs them.
std::vector<bool> with_ancestors(const Graph& graph, const std::vector<int>& nodes);
std::vector<bool> with_descendants(const Graph& graph, const std::vector<int>& nodes);
// What cannot be made where this node has failed.
std::vector<bool> lost_without(const Graph& graph, int node);

}  // namespace headway
