#include "lib/run/graph_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lib/base/text.h"
#include "lib/spec/graph.h"

namespace headway {
namespace {

std::string files_text(const InputFiles& files) {
  if (files.is_pattern) return count_of(files.files.size(), "file");
  return files.files.front().is_folder ? "folder" : "file";
}

// Adds a node for each file or pattern that a stage reads; `node_of` maps a stage to its node.
template <class NodeOf>
void add_files(const PipelineSpec& pipeline, const NodeOf& node_of, GraphView& view) {
  std::map<std::string, std::size_t> index;
  std::vector<std::set<std::size_t>> readers;
  for (const StageId stage : pipeline.stages.ids()) {
    for (const InputSpec& input : pipeline.stages[stage].inputs) {
      for (const Source& source : input.sources) {
        if (!source.files) continue;
        const auto [found, is_new] = index.emplace(source.files->written, readers.size());
        if (is_new) {
          readers.emplace_back();
          view.nodes.push_back(
              {source.files->written, files_text(*source.files), false, /*is_file=*/true});
        }
        readers[found->second].insert(node_of(stage));
      }
    }
  }
  for (const auto& stages : readers) view.leads_to.emplace_back(stages.begin(), stages.end());
}

GraphView full_view(const PipelineSpec& pipeline) {
  const Graph graph = build_graph(pipeline);
  GraphView view;
  for (const StageSpec& stage : pipeline.stages)
    view.nodes.push_back({stage.name, stage.type->name, false});
  for (const FanIn& fan_in : pipeline.fan_ins)
    view.nodes.push_back({fan_in.name(), fmt::format("{} items", fan_in.members.size()), true});
  for (const std::vector<NodeId>& next : graph.leads_to) {
    view.leads_to.emplace_back();
    for (const NodeId node : next) view.leads_to.back().push_back(node.value());
  }
  add_files(
      pipeline, [](StageId stage) { return stage.value(); }, view);
  return view;
}

GraphView collapsed_view(const PipelineSpec& pipeline) {
  GraphView view;
  std::map<std::string, std::size_t> index;
  std::map<std::string, std::size_t> items;
  for (const StageSpec& stage : pipeline.stages) {
    ++items[stage.family];
    if (index.emplace(stage.family, view.nodes.size()).second)
      view.nodes.push_back({stage.family, stage.type->name, false});
  }
  for (GraphView::Node& node : view.nodes) {
    if (items[node.name] > 1) node.detail += fmt::format(", {} items", items[node.name]);
  }
  std::vector<std::set<std::size_t>> edges(view.nodes.size());
  for (const StageSpec& stage : pipeline.stages) {
    const auto add = [&](const Source& source) {
      if (source.files) return;
      const std::string& from = source.is_fan_in() ? pipeline.fan_ins[source.fan_in].family
                                                   : pipeline.stages[source.stage].family;
      if (from != stage.family) edges[index[from]].insert(index[stage.family]);
    };
    for (const InputSpec& input : stage.inputs)
      std::for_each(input.sources.begin(), input.sources.end(), add);
    std::for_each(stage.needs.begin(), stage.needs.end(), add);
  }
  for (const auto& next : edges) view.leads_to.emplace_back(next.begin(), next.end());
  add_files(
      pipeline, [&](StageId stage) { return index[pipeline.stages[stage].family]; }, view);
  return view;
}

std::string escaped_for_dot(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return text;
}

std::string escaped_for_mermaid(const std::string& name) {
  std::string text;
  for (const char c : name)
    text += std::string_view("\"<>&#`").find(c) == std::string_view::npos
                ? std::string{c}
                : fmt::format("#{};", static_cast<int>(c));
  return text;
}

}  // namespace

GraphView view_of(const PipelineSpec& pipeline, bool full) {
  return full ? full_view(pipeline) : collapsed_view(pipeline);
}

std::string to_tree(const GraphView& view) {
  struct Line {
    std::size_t node;
    std::string start;   // of its own line
    std::string indent;  // of its children's lines
  };
  std::vector<bool> has_parent(view.nodes.size(), false);
  for (const auto& next : view.leads_to) {
    for (const std::size_t node : next) has_parent[node] = true;
  }
  std::vector<Line> open;  // the next line last. Not recursive: a chain may have 20,000 stages.
  for (std::size_t node = view.nodes.size(); node-- > 0;) {
    if (!has_parent[node]) open.push_back({node, "", ""});
  }
  std::vector<bool> written(view.nodes.size(), false);
  std::string text;
  while (!open.empty()) {
    const auto [node, start, indent] = std::move(open.back());
    open.pop_back();
    const std::vector<std::size_t>& children = view.leads_to[node];
    const bool is_repeated = written[node];
    text += fmt::format("{}{} ({}){}\n", start, view.nodes[node].name, view.nodes[node].detail,
                        is_repeated && !children.empty() ? " …" : "");
    if (is_repeated) continue;
    written[node] = true;
    for (std::size_t i = children.size(); i-- > 0;) {
      const bool is_last = i + 1 == children.size();
      open.push_back(
          {children[i], indent + (is_last ? "└─ " : "├─ "), indent + (is_last ? "   " : "│  ")});
    }
  }
  return text;
}

// Names of stages contain only letters, digits and _-@.+*=,; names of files anything.
std::string to_dot(const GraphView& view, const std::string& title) {
  std::string text = fmt::format(
      "digraph \"{}\" {{\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", "
      "fillcolor=\"#eef3fa\", "
      "color=\"#4477aa\", fontname=\"Helvetica\", fontsize=11];\n  edge [color=\"#667788\"];\n",
      title);
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    const GraphView::Node& node = view.nodes[i];
    text += node.is_fan_in ? fmt::format("  n{} [shape=point, xlabel=\"{}\"];\n", i, node.name)
                           : fmt::format("  n{} [{}label=\"{}\\n{}\"];\n", i,
                                         node.is_file ? "shape=note, style=filled, " : "",
                                         escaped_for_dot(node.name), node.detail);
  }
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    for (const std::size_t next : view.leads_to[i]) text += fmt::format("  n{} -> n{};\n", i, next);
  }
  return text + "}\n";
}

std::string to_mermaid(const GraphView& view) {
  std::string text = "flowchart LR\n";
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    const GraphView::Node& node = view.nodes[i];
    text += node.is_fan_in ? fmt::format("  n{}((\"{}\"))\n", i, node.name)
                           : fmt::format("  n{}[\"{}<br/><small>{}</small>\"]\n", i,
                                         escaped_for_mermaid(node.name), node.detail);
  }
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    for (const std::size_t next : view.leads_to[i]) text += fmt::format("  n{} --> n{}\n", i, next);
  }
  return text;
}

}  // namespace headway
