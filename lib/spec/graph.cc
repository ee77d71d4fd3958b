#include "lib/spec/graph.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace headway {
namespace {

using Edges = IndexedVector<NodeId, std::vector<NodeId>>;

// Not through nodes of `closed`, where there are any.
NodeSet reachable(const Graph& graph, const Edges& next, const std::vector<StageId>& from,
                  const NodeSet& closed = {}) {
  NodeSet seen(next.size(), false);
  std::vector<NodeId> open;
  for (const StageId stage : from) {
    open.push_back(graph.node_of(stage));
    seen[open.back()] = true;
  }
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    for (const NodeId other : next[node]) {
      if (seen[other] || (!closed.empty() && closed[other])) continue;
      seen[other] = true;
      open.push_back(other);
    }
  }
  return seen;
}

// Kahn's algorithm, always taking the node that comes first in the file: the order is the same on
// every run.
std::vector<NodeId> topological_order(const Graph& graph) {
  IndexedVector<NodeId, std::size_t> missing(graph.size());
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  for (const NodeId node : graph.waits_for.ids()) {
    missing[node] = graph.waits_for[node].size();
    if (missing[node] == 0) ready.push(node);
  }
  std::vector<NodeId> order;
  order.reserve(graph.size());
  while (!ready.empty()) {
    const NodeId node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const NodeId next : graph.leads_to[node]) {
      if (--missing[next] == 0) ready.push(next);
    }
  }
  return order;
}

}  // namespace

Graph build_graph(const PipelineSpec& pipeline) {
  Graph graph;
  graph.stages = pipeline.stages.size();
  graph.waits_for.resize(graph.stages + pipeline.fan_ins.size());
  graph.leads_to.resize(graph.waits_for.size());
  graph.tolerant.resize(graph.waits_for.size(), false);
  for (const StageId stage : pipeline.stages.ids()) {
    std::vector<NodeId>& waits_for = graph.waits_for[graph.node_of(stage)];
    const auto add = [&](const Source& source) {
      waits_for.push_back(source.is_fan_in() ? graph.node_of(source.fan_in)
                                             : graph.node_of(source.stage));
    };
    for (const InputSpec& input : pipeline.stages[stage].inputs)
      std::ranges::for_each(input.sources, add);
    std::ranges::for_each(pipeline.stages[stage].needs, add);
    std::ranges::sort(waits_for);
    waits_for.erase(std::unique(waits_for.begin(), waits_for.end()), waits_for.end());
  }
  for (const FanInId fan_in : pipeline.fan_ins.ids()) {
    const NodeId node = graph.node_of(fan_in);
    for (const StageId member : pipeline.fan_ins[fan_in].members)
      graph.waits_for[node].push_back(graph.node_of(member));
    graph.tolerant[node] = pipeline.fan_ins[fan_in].over_variations;
  }
  for (const NodeId node : graph.waits_for.ids()) {
    for (const NodeId other : graph.waits_for[node]) graph.leads_to[other].push_back(node);
  }
  graph.order = topological_order(graph);
  return graph;
}

NodeSet with_ancestors(const Graph& graph, const std::vector<StageId>& stages) {
  return reachable(graph, graph.waits_for, stages);
}

NodeSet with_descendants(const Graph& graph, const std::vector<StageId>& stages) {
  return reachable(graph, graph.leads_to, stages);
}

NodeSet lost_without(const Graph& graph, StageId stage) {
  return reachable(graph, graph.leads_to, {stage}, graph.tolerant);
}

}  // namespace headway
