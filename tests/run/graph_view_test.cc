// A pipeline's graph as a tree, DOT and Mermaid.
#include "lib/run/graph_view.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/project.h"

namespace headway::testing {
namespace {

constexpr const char* kViewed = R"(
name: addition
stages:
  data: {uses: shell, outs: {o: o.txt}, with: {run: "{out.o}"}}
  train: {uses: shell, in: {x: data}, outs: {o: o.txt}, with: {run: "{out.o}"}}
  ablate: {uses: shell, matrix: {mode: [zero, mean]}, in: {x: train, y: data}, outs: {o: o.txt}, with: {run: "{out.o}"}}
  plot: {uses: shell, in: {x: "ablate@*"}, outs: {o: o.txt}, with: {run: "{out.o}"}}
  alone: {uses: shell, needs: [data], outs: {o: o.txt}, with: {run: "{out.o}"}}
)";

GraphView view(bool full) {
  Project project;
  project.write(kViewed);
  return view_of(project.load(), full);
}

}  // namespace

TEST_CASE("a tree shows each stage once with its descendants, and a matrix as one",
          "[graph-view]") {
  CHECK(to_tree(view(false)) ==
        "data (shell)\n"
        "├─ train (shell)\n"
        "│  └─ ablate (shell, 2 items)\n"
        "│     └─ plot (shell)\n"
        "├─ ablate (shell, 2 items) …\n"
        "└─ alone (shell)\n");
}

TEST_CASE("a full tree shows the items and the fan-in", "[graph-view]") {
  CHECK(to_tree(view(true)) ==
        "data (shell)\n"
        "├─ train (shell)\n"
        "│  ├─ ablate@zero (shell)\n"
        "│  │  └─ ablate@* (2 items)\n"
        "│  │     └─ plot (shell)\n"
        "│  └─ ablate@mean (shell)\n"
        "│     └─ ablate@* (2 items) …\n"
        "├─ ablate@zero (shell) …\n"
        "├─ ablate@mean (shell) …\n"
        "└─ alone (shell)\n");
}

TEST_CASE("DOT has a box for each stage and a point for a fan-in", "[graph-view]") {
  const std::string head =
      "digraph \"addition\" {\n"
      "  rankdir=LR;\n"
      "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#eef3fa\", color=\"#4477aa\", "
      "fontname=\"Helvetica\", fontsize=11];\n"
      "  edge [color=\"#667788\"];\n";
  CHECK(to_dot(view(false), "addition") == head +
                                               "  n0 [label=\"data\\nshell\"];\n"
                                               "  n1 [label=\"train\\nshell\"];\n"
                                               "  n2 [label=\"ablate\\nshell, 2 items\"];\n"
                                               "  n3 [label=\"plot\\nshell\"];\n"
                                               "  n4 [label=\"alone\\nshell\"];\n"
                                               "  n0 -> n1;\n"
                                               "  n0 -> n2;\n"
                                               "  n0 -> n4;\n"
                                               "  n1 -> n2;\n"
                                               "  n2 -> n3;\n"
                                               "}\n");
  CHECK(to_dot(view(true), "addition") == head +
                                              "  n0 [label=\"data\\nshell\"];\n"
                                              "  n1 [label=\"train\\nshell\"];\n"
                                              "  n2 [label=\"ablate@zero\\nshell\"];\n"
                                              "  n3 [label=\"ablate@mean\\nshell\"];\n"
                                              "  n4 [label=\"plot\\nshell\"];\n"
                                              "  n5 [label=\"alone\\nshell\"];\n"
                                              "  n6 [shape=point, xlabel=\"ablate@*\"];\n"
                                              "  n0 -> n1;\n"
                                              "  n0 -> n2;\n"
                                              "  n0 -> n3;\n"
                                              "  n0 -> n5;\n"
                                              "  n1 -> n2;\n"
                                              "  n1 -> n3;\n"
                                              "  n2 -> n6;\n"
                                              "  n3 -> n6;\n"
                                              "  n6 -> n4;\n"
                                              "}\n");
}

TEST_CASE("Mermaid shows the same graph", "[graph-view]") {
  CHECK(to_mermaid(view(false)) ==
        "flowchart LR\n"
        "  n0[\"data<br/><small>shell</small>\"]\n"
        "  n1[\"train<br/><small>shell</small>\"]\n"
        "  n2[\"ablate<br/><small>shell, 2 items</small>\"]\n"
        "  n3[\"plot<br/><small>shell</small>\"]\n"
        "  n4[\"alone<br/><small>shell</small>\"]\n"
        "  n0 --> n1\n"
        "  n0 --> n2\n"
        "  n0 --> n4\n"
        "  n1 --> n2\n"
        "  n2 --> n3\n");
}

TEST_CASE("a chain of 5,000 stages is drawn without deep recursion", "[graph-view]") {
  GraphView chain;
  for (std::size_t i = 0; i < 5000; ++i) {
    chain.nodes.push_back({"s" + std::to_string(i), "shell", false});
    chain.leads_to.emplace_back();
    if (i + 1 < 5000) chain.leads_to.back().push_back(i + 1);
  }
  const std::string text = to_tree(chain);
  CHECK(std::count(text.begin(), text.end(), '\n') == 5000);
}

}  // namespace headway::testing
