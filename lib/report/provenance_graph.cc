// Draws the graph of stages. Graphviz computes positions; the SVG is written here, so that it needs
// no font metrics, uses the page's colours and contains no foreign markup.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/base/tool.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"
#include "lib/report/provenance_pieces.h"

namespace headway {
namespace {

constexpr double kPixels = 72;            // per inch of graphviz
constexpr std::size_t kLongestLine = 28;  // characters in a box

struct GraphNode {
  std::vector<std::string> lines;  // the name, then details
  std::string anchor;              // empty: no link
  std::string css_class;           // "made", "hit", "report"; empty without times
};

struct StageGraph {
  std::vector<GraphNode> nodes;
  std::set<std::pair<std::size_t, std::size_t>> edges;
};

GraphNode node_for(const Provenance& provenance, const StageFamily& family) {
  const StageOrigin& first = *family.members.front();
  const std::string items =
      family.members.size() > 1 ? fmt::format(" × {}", count_text(family.members.size())) : "";
  GraphNode node{{family.name, first.type + items}, family_anchor(family), ""};
  if (!provenance.has_times) return node;
  node.lines.push_back(format_seconds(seconds_of(family)));
  const bool is_cached = std::ranges::all_of(
      family.members, [&](const StageOrigin* stage) { return is_from_cache(provenance, *stage); });
  node.css_class = is_cached ? "hit" : "made";
  return node;
}

StageGraph stage_graph(const Provenance& provenance) {
  StageGraph graph;
  std::map<const StageOrigin*, std::size_t> places;
  for (const StageFamily& family : families_of(provenance)) {
    for (const StageOrigin* stage : family.members) places[stage] = graph.nodes.size();
    graph.nodes.push_back(node_for(provenance, family));
  }
  const auto connect = [&](const std::vector<StageOrigin::Input>& inputs, std::size_t to) {
    for (const StageOrigin::Input& input : inputs) {
      for (const std::string& source : input.sources) {
        const StageOrigin* maker = provenance.maker_of(source);
        if (maker && places.at(maker) != to) graph.edges.emplace(places.at(maker), to);
      }
    }
  };
  for (const StageOrigin& stage : provenance.stages) connect(stage.inputs, places.at(&stage));
  if (!provenance.stage.empty() && !provenance.find(provenance.stage)) {
    graph.nodes.push_back({{provenance.stage, "this page"}, "", "report"});
    connect(provenance.inputs, graph.nodes.size() - 1);
  }
  return graph;
}

std::string display_line(const std::string& line) {
  return fit(printable(line), kLongestLine);
}

double box_width(const GraphNode& node) {
  double width = 70;
  for (std::size_t i = 0; i < node.lines.size(); ++i) {
    const double letter = i == 0 ? 8 : 6.6;
    width = std::max(width,
                     20 + letter * static_cast<double>(display_width(display_line(node.lines[i]))));
  }
  return width;
}

double box_height(const GraphNode& node) {
  return 12 + 15 * static_cast<double>(node.lines.size());
}

// Contains only sizes and arrows: graphviz gets no text of ours.
std::string layout_request(const StageGraph& graph) {
  std::string dot =
      "digraph {\nrankdir=LR; nodesep=0.14; ranksep=0.45;\n"
      "node [shape=box, fixedsize=true, label=\"\"]; edge [arrowhead=none];\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    dot += fmt::format("{} [width={:.4f}, height={:.4f}];\n", i,
                       box_width(graph.nodes[i]) / kPixels, box_height(graph.nodes[i]) / kPixels);
  for (const auto& [from, to] : graph.edges) dot += fmt::format("{} -> {};\n", from, to);
  return dot + "}\n";
}

// `dot -Tplain` writes lines "node NAME X Y …" and "edge TAIL HEAD N X1 Y1 … XN YN …", in inches,
// then "stop".
std::string plain_problem(std::string_view text) {
  return trim(text).ends_with("\nstop") ? "" : "it ends too early";
}

std::string lay_out(const StageGraph& graph, const Path& work) {
  ToolSpec dot;
  dot.program = "dot";
  dot.package = "graphviz";
  dot.folder = work;
  dot.arguments = {"-Tplain", "-o", "graph.plain", "graph.dot"};
  dot.files = {{"graph.dot", layout_request(graph)}};
  dot.outputs = {{"graph.plain", plain_problem}};
  const ToolResult result = run_tool(dot);
  if (!result.exit.succeeded())
    throw Error("dot could not lay out the graph of stages ({}): {}", result.exit.describe(),
                result.said);
  return result.outputs[0];
}

// Draws the layout. In graphviz y points up, in SVG down.
class GraphPainter {
 public:
  explicit GraphPainter(const StageGraph& graph) : graph_(graph) {}

  std::string paint(const std::string& plain) {
    std::string arrows, boxes;
    std::istringstream lines(plain);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string kind;
      words >> kind;
      if (kind == "graph") read_size(words);
      if (kind == "node") boxes += box(words);
      if (kind == "edge") arrows += arrow(words);
    }
    return fmt::format(
        "<svg viewBox=\"-2 -2 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" role=\"group\" "
        "aria-label=\"the graph of stages\" font-size=\"11\">\n"
        "<defs><marker id=\"graph-arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
        "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
        "<path d=\"M0 0.5 8 4 0 7.5z\" fill=\"#8a8f98\"/></marker></defs>\n{}{}</svg>\n",
        width_ + 4, height_ + 4, width_ + 4, height_ + 4, arrows, boxes);
  }

 private:
  void read_size(std::istringstream& words) {
    double scale = 1;
    words >> scale >> width_ >> height_;
    width_ = std::ceil(width_ * kPixels);
    height_ = std::ceil(height_ * kPixels);
  }

  std::string point(std::istringstream& words) const {
    double x = 0, y = 0;
    words >> x >> y;
    return fmt::format("{:.1f} {:.1f}", x * kPixels, height_ - y * kPixels);
  }

  std::string arrow(std::istringstream& words) const {
    std::size_t from = 0, to = 0, points = 0;
    words >> from >> to >> points;
    std::string path = "M" + point(words) + "C";
    for (std::size_t i = 1; i < points; ++i) path += (i > 1 ? " " : "") + point(words);
    return fmt::format(
        "<path class=\"arrow\" d=\"{}\" fill=\"none\" stroke=\"#8a8f98\" "
        "marker-end=\"url(#graph-arrow)\"/>\n",
        path);
  }

  std::string box(std::istringstream& words) const {
    std::size_t index = 0;
    double x = 0, y = 0;
    words >> index >> x >> y;
    if (index >= graph_.nodes.size()) return "";
    const GraphNode& node = graph_.nodes[index];
    x *= kPixels;
    y = height_ - y * kPixels;
    const double width = box_width(node), height = box_height(node), top = y - height / 2;
    std::string text = fmt::format(
        "<title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "rx=\"6\" {}/>",
        html_escaped(printable(join(node.lines, "\n"))), x - width / 2, top, width, height,
        paint_of(node));
    for (std::size_t i = 0; i < node.lines.size(); ++i)
      text += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
          "fill=\"currentColor\"{}>{}</text>",
          x, top + 18 + 15 * static_cast<double>(i),
          i == 0 ? " font-size=\"13\" font-weight=\"600\"" : " fill-opacity=\"0.75\"",
          html_escaped(display_line(node.lines[i])));
    const std::string group = fmt::format("<g class=\"node {}\">{}</g>", node.css_class, text);
    return node.anchor.empty()
               ? group + "\n"
               : fmt::format("<a href=\"#{}\">{}</a>\n", html_escaped(node.anchor), group);
  }

  // Transparent, to suit light and dark pages.
  static std::string_view paint_of(const GraphNode& node) {
    if (node.css_class == "made")
      return "fill=\"#2f9e6e\" fill-opacity=\"0.16\" stroke=\"#2f9e6e\"";
    if (node.css_class == "report")
      return "fill=\"none\" stroke=\"#8a8f98\" stroke-dasharray=\"4 3\"";
    return "fill=\"#5b8def\" fill-opacity=\"0.1\" stroke=\"#5b8def\"";
  }

  const StageGraph& graph_;
  double width_ = 0;
  double height_ = 0;
};

// Escapes characters that could end a mermaid label or be markup.
std::string mermaid_label(const std::string& line) {
  std::string label;
  for (const char c : display_line(line)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x80 || is_letter_or_digit(c) ||
                       std::string_view(" _-.@+=,/").find(c) != std::string_view::npos;
    label += plain ? std::string(1, c) : fmt::format("#{};", static_cast<int>(byte));
  }
  return label;
}

std::string to_mermaid_block(const StageGraph& graph) {
  std::string text = "```mermaid\nflowchart LR\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::vector<std::string> lines = texts_of(graph.nodes[i].lines, mermaid_label);
    text += fmt::format("  n{}[\"{}\"]\n", i, join(lines, "<br/>"));
  }
  for (const auto& [from, to] : graph.edges) text += fmt::format("  n{} --> n{}\n", from, to);
  return text + "```\n";
}

}  // namespace

Piece graph_piece(const Provenance& provenance, const Path& work) {
  const StageGraph graph = stage_graph(provenance);
  if (graph.nodes.empty()) return {"No stages.\n", ""};
  const std::string legend =
      provenance.has_times
          ? "<figcaption><span class=\"made\">made</span> in the newest run, or "
            "<span class=\"hit\">from cache</span>. A box leads to its entry.</figcaption>\n"
          : "<figcaption>A box leads to its entry.</figcaption>\n";
  return {to_mermaid_block(graph),
          fmt::format("<figure class=\"graph\">\n<div class=\"scroll\">{}</div>{}</figure>\n",
                      GraphPainter(graph).paint(lay_out(graph, work)), legend)};
}

}  // namespace headway
