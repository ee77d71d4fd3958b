// `headway graph`.
#include <fmt/format.h>

#include <cstdio>

#include "lib/base/error.h"
#include "lib/cli/graph_view.h"
#include "lib/cli/verbs.h"

namespace headway {
namespace {

struct GraphArguments {
  PipelineArguments pipeline;
  bool full = false;
  bool dot = false;
  bool mermaid = false;
  bool svg = false;
};

// Graphviz draws it; its output is ours.
int draw_svg(const std::string& dot) {
  std::FILE* pipe = ::popen("dot -Tsvg", "w");
  if (!pipe) throw Error("cannot start 'dot' (Debian's package graphviz)");
  std::fwrite(dot.data(), 1, dot.size(), pipe);
  if (::pclose(pipe) != 0)
    throw Error(
        "'dot' failed: is Debian's package graphviz installed? (--dot prints the graph itself)");
  return 0;
}

int graph(const GraphArguments& arguments, CommandLine& line) {
  const PipelineSpec pipeline = load(arguments.pipeline, line);
  const GraphView view = view_of(pipeline, arguments.full);
  if (arguments.svg) return draw_svg(to_dot(view, pipeline.name));
  fmt::print("{}", arguments.dot       ? to_dot(view, pipeline.name)
                   : arguments.mermaid ? to_mermaid(view)
                                       : to_tree(view));
  return 0;
}

}  // namespace

void add_graph(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<GraphArguments>();
  CLI::App& verb = add_verb(app, line, "graph", "the pipeline's graph: a tree, DOT, Mermaid or SVG",
                            "  headway graph p.yaml\n"
                            "  headway graph p.yaml --svg > graph.svg\n"
                            "  headway graph p.yaml --mermaid --full\n",
                            [arguments, &line] { return graph(*arguments, line); });
  arguments->pipeline.add_file(verb, false);
  arguments->pipeline.add_changes(verb);
  arguments->pipeline.add_sweep(verb);
  arguments->pipeline.add_outputs(verb);
  verb.add_flag("--full", arguments->full, "every item of a matrix as a node");
  CLI::Option* dot = verb.add_flag("--dot", arguments->dot, "as Graphviz DOT");
  CLI::Option* mermaid =
      verb.add_flag("--mermaid", arguments->mermaid, "as Mermaid, for Markdown pages")
          ->excludes(dot);
  verb.add_flag("--svg", arguments->svg, "as a picture, drawn by Graphviz")
      ->excludes(dot)
      ->excludes(mermaid);
}

}  // namespace headway
