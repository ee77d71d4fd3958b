// A pipeline's graph as a picture: nodes and edges, and how they are written as a tree, DOT or
// Mermaid. Pure text.
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
  std::vector<std::vector<int>> leads_to;
};

// Matrix stages as one node each, or in full.
GraphView view_of(const PipelineSpec& pipeline, bool full);

std::string to_tree(const GraphView& view);
std::string to_dot(const GraphView& view, const std::string& title);
std::string to_mermaid(const GraphView& view);

}  // namespace headway
