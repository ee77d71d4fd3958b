#include "lib/run/graph_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lib/spec/graph.h"

namespace headway {
namespace {

GraphView full_view(const PipelineSpec& pipeline) {
  const Graph graph = build_graph(pipeline);
  GraphView view;
  for (const StageSpec& stage : pipeline.stages)
    view.nodes.push_back({stage.name, stage.type->name, false});
  for (const FanIn& fan_in : pipeline.fan_ins)
    view.nodes.push_back(
        {fan_in.family + "@*", fmt::format("{} items", fan_in.members.size()), true});
  for (const std::vector<NodeId>& next : graph.leads_to) {
    view.leads_to.emplace_back();
    for (const NodeId node : next) view.leads_to.back().push_back(static_cast<int>(node.value()));
  }
  return view;
}

GraphView collapsed_view(const PipelineSpec& pipeline) {
  GraphView view;
  std::map<std::string, int> index;
  std::map<std::string, std::size_t> items;
  for (const StageSpec& stage : pipeline.stages) {
    ++items[stage.family];
    if (index.emplace(stage.family, static_cast<int>(view.nodes.size())).second)
      view.nodes.push_back({stage.family, stage.type->name, false});
  }
  for (GraphView::Node& node : view.nodes) {
    if (items[node.name] > 1) node.detail += fmt::format(", {} items", items[node.name]);
  }
  std::vector<std::set<int>> edges(view.nodes.size());
  for (const StageSpec& stage : pipeline.stages) {
    const auto add = [&](const Source& source) {
      const std::string& from = source.is_fan_in() ? pipeline.fan_ins[source.fan_in].family
                                                   : pipeline.stages[source.stage].family;
      if (from != stage.family)
        edges[static_cast<std::size_t>(index[from])].insert(index[stage.family]);
    };
    for (const InputSpec& input : stage.inputs)
      std::for_each(input.sources.begin(), input.sources.end(), add);
    std::for_each(stage.needs.begin(), stage.needs.end(), add);
  }
  for (const auto& next : edges) view.leads_to.emplace_back(next.begin(), next.end());
  return view;
}

class TreeWriter {
 public:
  explicit TreeWriter(const GraphView& view) : view_(view), written_(view.nodes.size(), false) {}

  std::string write() {
    std::vector<bool> has_parent(view_.nodes.size(), false);
    for (const auto& next : view_.leads_to) {
      for (const int node : next) has_parent[static_cast<std::size_t>(node)] = true;
    }
    for (std::size_t node = 0; node < view_.nodes.size(); ++node) {
      if (!has_parent[node]) add(node);
    }
    return std::move(text_);
  }

 private:
  struct Open {
    std::size_t node;
    std::size_t next = 0;
    std::string prefix;  // for its children's lines
  };

  // Not recursive: a chain may have 20,000 stages.
  void add(std::size_t root) {
    std::vector<Open> open;
    line("", "", root);
    open.push_back({root, 0, ""});
    while (!open.empty()) {
      Open& top = open.back();
      const std::vector<int>& children = view_.leads_to[top.node];
      if (top.next == children.size()) {
        open.pop_back();
        continue;
      }
      const auto child = static_cast<std::size_t>(children[top.next++]);
      const bool last = top.next == children.size();
      const std::string prefix = top.prefix;
      const bool before = written_[child];
      line(prefix, last ? "└─ " : "├─ ", child);
      if (!before) open.push_back({child, 0, prefix + (last ? "   " : "│  ")});
    }
  }

  void line(const std::string& prefix, const char* branch, std::size_t node) {
    const bool more = written_[node] && !view_.leads_to[node].empty();
    text_ += fmt::format("{}{}{} ({}){}\n", prefix, branch, view_.nodes[node].name,
                         view_.nodes[node].detail, more ? " …" : "");
    written_[node] = true;
  }

  const GraphView& view_;
  std::vector<bool> written_;
  std::string text_;
};

}  // namespace

GraphView view_of(const PipelineSpec& pipeline, bool full) {
  return full ? full_view(pipeline) : collapsed_view(pipeline);
}

std::string to_tree(const GraphView& view) {
  return TreeWriter(view).write();
}

// Names contain only letters, digits and _-@.+*, so nothing needs escaping.
std::string to_dot(const GraphView& view, const std::string& title) {
  std::string text = fmt::format(
      "digraph \"{}\" {{\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", "
      "fillcolor=\"#eef3fa\", "
      "color=\"#4477aa\", fontname=\"Helvetica\", fontsize=11];\n  edge [color=\"#667788\"];\n",
      title);
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    const GraphView::Node& node = view.nodes[i];
    text += node.is_fan_in ? fmt::format("  n{} [shape=point, xlabel=\"{}\"];\n", i, node.name)
                           : fmt::format("  n{} [label=\"{}\\n{}\"];\n", i, node.name, node.detail);
  }
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    for (const int next : view.leads_to[i]) text += fmt::format("  n{} -> n{};\n", i, next);
  }
  return text + "}\n";
}

std::string to_mermaid(const GraphView& view) {
  std::string text = "flowchart LR\n";
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    const GraphView::Node& node = view.nodes[i];
    text += node.is_fan_in
                ? fmt::format("  n{}((\"{}\"))\n", i, node.name)
                : fmt::format("  n{}[\"{}<br/><small>{}</small>\"]\n", i, node.name, node.detail);
  }
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    for (const int next : view.leads_to[i]) text += fmt::format("  n{} --> n{}\n", i, next);
  }
  return text;
}

}  // namespace headway
