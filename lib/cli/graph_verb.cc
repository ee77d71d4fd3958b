// `headway graph`: the pipeline as a tree, DOT, Mermaid or SVG.
#include "lib/base/error.h"
#include "lib/base/picture.h"
#include "lib/base/tool.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/run/graph_view.h"

namespace headway {
namespace {

struct GraphArguments : PipelineArguments {
  bool full = false;
  bool dot = false;
  bool mermaid = false;
  bool svg = false;
};

Path temporary_folder() {
  std::error_code error;
  const Path folder = std::filesystem::temp_directory_path(error);
  if (error) throw UsageError("the folder for temporary files, which TMPDIR names, is not there");
  return folder;
}

int draw_svg(const std::string& graph) {
  ToolSpec dot;
  dot.program = "dot";
  dot.package = "graphviz";
  dot.folder = temporary_folder();
  dot.arguments = {"-Tsvg", "-o", "graph.svg", "graph.dot"};
  dot.files = {{"graph.dot", graph}};
  dot.outputs = {{"graph.svg", svg_problem}};
  const ToolResult result = run_tool(dot);
  if (!result.exit.succeeded())
    throw Error("dot failed ({}): {}; --dot prints the graph itself", result.exit.describe(),
                result.said);
  print_exactly(result.outputs[0]);
  return 0;
}

int graph(const GraphArguments& arguments, CommandLine& line) {
  const PipelineSpec pipeline = load(arguments, line);
  const GraphView view = view_of(pipeline, arguments.full);
  if (arguments.svg) return draw_svg(to_dot(view, pipeline.name));
  if (arguments.dot) {
    print_exactly(to_dot(view, pipeline.name));
  } else if (arguments.mermaid) {
    print_exactly(to_mermaid(view));
  } else {
    print_for_people(to_tree(view));
  }
  return 0;
}

}  // namespace

void add_graph(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] =
      add_verb(app, line, "graph", "the pipeline's graph: a tree, DOT, Mermaid or SVG",
               "  headway graph p.yaml\n"
               "  headway graph p.yaml --svg > graph.svg\n"
               "  headway graph p.yaml --mermaid --full\n",
               graph);
  arguments.add_file(verb, false);
  arguments.add_options(verb);
  verb.add_flag("--full", arguments.full, "every item of a matrix as a node");
  CLI::Option* dot = verb.add_flag("--dot", arguments.dot, "as Graphviz DOT");
  CLI::Option* mermaid =
      verb.add_flag("--mermaid", arguments.mermaid, "as Mermaid, for Markdown pages")
          ->excludes(dot);
  verb.add_flag("--svg", arguments.svg, "as a picture, drawn by Graphviz")
      ->excludes(dot)
      ->excludes(mermaid);
}

}  // namespace headway
