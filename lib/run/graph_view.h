// A pipeline's graph for people: as a tree, as DOT and as Mermaid.
#pragma once

#include <string>
#include <vector>

#include "lib/spec/pipeline_spec.h"

namespace headway {

struct GraphView {
  struct Node {
    std::string name;    // "ablate", "ablate@zero", or "ablate@*" for a fan-in
    std::string detail;  // "shell", "shell, 12 items"
    bool is_fan_in = false;
  };
  std::vector<Node> nodes;
  std::vector<std::vector<int>> leads_to;  // for each node, the nodes that read it
};

// With one node for each matrix or, if `full`, for each of its items and fan-ins.
GraphView view_of(const PipelineSpec& pipeline, bool full);

// One line for each node, below a node that leads to it. A node that was printed before is only
// named, with "…" if more follows from it.
std::string to_tree(const GraphView& view);
std::string to_dot(const GraphView& view, const std::string& title);
std::string to_mermaid(const GraphView& view);

}  // namespace headway
