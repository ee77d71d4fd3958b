#include "lib/spec/cycles.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/text.h"
#include "lib/spec/graph.h"

namespace headway {
namespace {

class CircleFinder {
 public:
  CircleFinder(const PipelineSpec& pipeline, const Graph& graph, Diagnostics& diagnostics)
      : pipeline_(pipeline),
        graph_(graph),
        diagnostics_(diagnostics),
        colours_(graph.size(), Colour::kWhite) {}

  void find() {
    for (const StageId stage : pipeline_.stages.ids()) {
      if (colours_[graph_.node_of(stage)] == Colour::kWhite) visit(graph_.node_of(stage));
    }
  }

 private:
  enum class Colour : char { kWhite, kOnPath, kDone };
  struct Step {
    NodeId node;
    std::size_t next = 0;  // of those it waits for
  };

  // Depth first with a stack of its own: a chain of 20,000 stages must not overflow the program's.
  void visit(NodeId start) {
    std::vector<Step> path{{start}};
    colours_[start] = Colour::kOnPath;
    while (!path.empty()) {
      Step& step = path.back();
      const std::vector<NodeId>& waits_for = graph_.waits_for[step.node];
      if (step.next == waits_for.size()) {
        colours_[step.node] = Colour::kDone;
        path.pop_back();
        continue;
      }
      const NodeId next = waits_for[step.next++];
      if (colours_[next] == Colour::kOnPath) add_circle(path, next);
      if (colours_[next] != Colour::kWhite) continue;
      colours_[next] = Colour::kOnPath;
      path.push_back({next});
    }
  }

  void add_circle(const std::vector<Step>& path, NodeId closing) {
    if (++found_ > kMostCircles) return;
    std::vector<std::string> names;
    SourceLocation location;
    for (auto step = std::ranges::find(path, closing, &Step::node); step != path.end(); ++step) {
      names.push_back(name(step->node));
      if (!location.source && graph_.is_stage(step->node))
        location = pipeline_.stages[graph_.stage_of(step->node)].location;
    }
    names.push_back(name(closing));
    if (names.size() > static_cast<std::size_t>(kLongestPath)) {  // both ends say enough
      names.erase(names.begin() + kLongestPath / 2, names.end() - kLongestPath / 2);
      names.insert(names.begin() + kLongestPath / 2, "…");
    }
    diagnostics_.add(
        location, fmt::format("stages wait for each other in a circle: {}", join(names, " -> ")));
  }

  std::string name(NodeId node) const {
    return graph_.is_stage(node) ? pipeline_.stages[graph_.stage_of(node)].name
                                 : pipeline_.fan_ins[graph_.fan_in_of(node)].family + "@*";
  }

  static constexpr int kMostCircles = 20;
  static constexpr std::ptrdiff_t kLongestPath = 20;

  const PipelineSpec& pipeline_;
  const Graph& graph_;
  Diagnostics& diagnostics_;
  IndexedVector<NodeId, Colour> colours_;
  int found_ = 0;
};

}  // namespace

void find_cycles(const PipelineSpec& pipeline, Diagnostics& diagnostics) {
  const Graph graph = build_graph(pipeline);
  if (graph.has_circle()) CircleFinder(pipeline, graph, diagnostics).find();
}

}  // namespace headway
