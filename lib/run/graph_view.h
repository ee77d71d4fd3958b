// Shows a pipeline's graph as a tree, as DOT and as Mermaid.
#pragma once

#include <string>
#include <vector>

#include "lib/spec/pipeline_spec.h"

namespace headway {

struct GraphView {
  struct Node {
    std::string name;  // "ablate", "ablate@zero", "ablate@*" for a fan-in, "./rows.csv" for a file
    std::string detail;  // "shell", "shell, 12 items", "file"
    bool is_fan_in = false;
    bool is_file = false;
  };
  std::vector<Node> nodes;
  std::vector<std::vector<std::size_t>> leads_to;  // for each node, its readers
};

// One node for each matrix or, if `full`, one for each item and fan-in.
GraphView view_of(const PipelineSpec& pipeline, bool full);

// One line for each node, below a node that it reads. A repeated node shows only its name, and "…"
// if it has children.
std::string to_tree(const GraphView& view);
std::string to_dot(const GraphView& view, const std::string& title);
std::string to_mermaid(const GraphView& view);

}  // namespace headway
