#include "lib/run/graph.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace headway {
namespace {

// Not through nodes of `closed`, where there are any.
std::vector<bool> reachable(const std::vector<std::vector<int>>& next, const std::vector<int>& from,
                            const std::vector<bool>& closed = {}) {
  std::vector<bool> seen(next.size(), false);
  std::vector<int> open(from);
  for (const int node : from) seen[static_cast<std::size_t>(node)] = true;
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    for (const int other : next[static_cast<std::size_t>(node)]) {
      if (seen[static_cast<std::size_t>(other)]) continue;
      if (!closed.empty() && closed[static_cast<std::size_t>(other)]) continue;
      seen[static_cast<std::size_t>(other)] = true;
      open.push_back(other);
    }
  }
  return seen;
}

// Kahn's algorithm, always taking the node that comes first in the file: the order is the same on
// every run.
std::vector<int> topological_order(const Graph& graph) {
  std::vector<std::size_t> missing(graph.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (std::size_t node = 0; node < graph.size(); ++node) {
    missing[node] = graph.waits_for[node].size();
    if (missing[node] == 0) ready.push(static_cast<int>(node));
  }
  std::vector<int> order;
  order.reserve(graph.size());
  while (!ready.empty()) {
    const int node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const int next : graph.leads_to[static_cast<std::size_t>(node)]) {
      if (--missing[static_cast<std::size_t>(next)] == 0) ready.push(next);
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
  for (std::size_t i = 0; i < graph.stages; ++i) {
    std::vector<int>& waits_for = graph.waits_for[i];
    const auto add = [&](const Source& source) {
      waits_for.push_back(source.fan_in >= 0 ? static_cast<int>(graph.stages) + source.fan_in
                                             : source.stage);
    };
    for (const InputSpec& input : pipeline.stages[i].inputs)
      std::for_each(input.sources.begin(), input.sources.end(), add);
    std::for_each(pipeline.stages[i].needs.begin(), pipeline.stages[i].needs.end(), add);
    std::sort(waits_for.begin(), waits_for.end());
    waits_for.erase(std::unique(waits_for.begin(), waits_for.end()), waits_for.end());
  }
  for (std::size_t i = 0; i < pipeline.fan_ins.size(); ++i) {
    graph.waits_for[graph.stages + i] = pipeline.fan_ins[i].members;
    graph.tolerant[graph.stages + i] = pipeline.fan_ins[i].over_variations;
  }
  for (std::size_t node = 0; node < graph.size(); ++node) {
    for (const int other : graph.waits_for[node])
      graph.leads_to[static_cast<std::size_t>(other)].push_back(static_cast<int>(node));
  }
  graph.order = topological_order(graph);
  return graph;
}

std::vector<bool> with_ancestors(const Graph& graph, const std::vector<int>& nodes) {
  return reachable(graph.waits_for, nodes);
}

std::vector<bool> with_descendants(const Graph& graph, const std::vector<int>& nodes) {
  return reachable(graph.leads_to, nodes);
}

std::vector<bool> lost_without(const Graph& graph, int node) {
  return reachable(graph.leads_to, {node}, graph.tolerant);
}

}  // namespace headway
