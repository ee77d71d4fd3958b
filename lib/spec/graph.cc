#include "lib/spec/graph.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <queue>

#include "lib/base/text.h"

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

// Reports a circle of nodes, of which each waits for the next and the last for the first.
void add_circle(const PipelineSpec& pipeline, const Graph& graph, const std::vector<NodeId>& circle,
                Diagnostics& diagnostics) {
  constexpr std::ptrdiff_t kLongest = 20;  // names
  std::vector<std::string> names;
  SourceLocation location;
  for (const NodeId node : circle) {
    if (!graph.is_stage(node)) {
      names.push_back(pipeline.fan_ins[graph.fan_in_of(node)].name());
      continue;
    }
    const StageSpec& stage = pipeline.stages[graph.stage_of(node)];
    names.push_back(stage.name);
    if (!location.source) location = stage.location;
  }
  names.push_back(names.front());
  if (std::ssize(names) > kLongest) {  // both ends say enough
    names.erase(names.begin() + kLongest / 2, names.end() - kLongest / 2);
    names.insert(names.begin() + kLongest / 2, "…");
  }
  diagnostics.add(location, "stages wait for each other in a circle: {}", join(names, " -> "));
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
      if (source.files) return;
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

// Depth first with a stack of its own: a chain of 20,000 stages must not overflow the program's.
void find_cycles(const PipelineSpec& pipeline, Diagnostics& diagnostics) {
  constexpr int kMostCircles = 20;
  const Graph graph = build_graph(pipeline);
  if (graph.order.size() == graph.size()) return;  // nodes on a circle have no place in the order
  NodeSet seen(graph.size(), false), on_path(graph.size(), false);
  IndexedVector<NodeId, std::size_t> next(graph.size(), 0);  // of those that it waits for
  int found = 0;
  for (const StageId stage : pipeline.stages.ids()) {
    std::vector<NodeId> path;
    const auto enter = [&](NodeId node) {
      if (seen[node]) return;
      seen[node] = on_path[node] = true;
      path.push_back(node);
    };
    enter(graph.node_of(stage));
    while (!path.empty()) {
      const NodeId node = path.back();
      if (next[node] == graph.waits_for[node].size()) {
        on_path[node] = false;
        path.pop_back();
        continue;
      }
      const NodeId other = graph.waits_for[node][next[node]++];
      if (on_path[other] && ++found <= kMostCircles)
        add_circle(pipeline, graph, {std::ranges::find(path, other), path.end()}, diagnostics);
      enter(other);
    }
  }
}

}  // namespace headway
