#include "lib/run/graph.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/project.h"

namespace headway::testing {
namespace {

constexpr const char* kPipeline = R"(
stages:
  last: {uses: shell, in: {x: all, y: a}, outs: {o: o.txt}, with: {run: "{out.o}"}}
  a: {uses: shell, outs: {o: o.txt}, with: {run: "{out.o}"}}
  m: {uses: shell, matrix: {i: [1, 2]}, in: {x: a}, outs: {o: o.txt}, with: {run: "{out.o}"}}
  all: {uses: shell, in: {x: "m@*", y: a, z: a}, needs: [a], outs: {o: o.txt}, with: {run: "{out.o}"}}
  alone: {uses: shell, outs: {o: o.txt}, with: {run: "{out.o}"}}
)";
// Nodes: last 0, a 1, m@1 2, m@2 3, all 4, alone 5, the fan-in 6.
using Nodes = std::vector<int>;

Nodes chosen(const std::vector<bool>& marks) {
  Nodes nodes;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks[i]) nodes.push_back(static_cast<int>(i));
  }
  return nodes;
}

}  // namespace

TEST_CASE("a graph has an edge for every input and need, once, and a node for every fan-in",
          "[graph]") {
  Project project;
  project.write(kPipeline);
  const Graph graph = build_graph(project.load());
  CHECK(graph.stages == 6);
  CHECK(graph.waits_for == std::vector<Nodes>{{1, 4}, {}, {1}, {1}, {1, 6}, {}, {2, 3}});
  CHECK(graph.leads_to == std::vector<Nodes>{{}, {0, 2, 3, 4}, {6}, {6}, {0}, {}, {4}});
  CHECK(graph.is_stage(5));
  CHECK(!graph.is_stage(6));
}

TEST_CASE("the order is that of the file where nothing waits", "[graph]") {
  Project project;
  project.write(kPipeline);
  CHECK(build_graph(project.load()).order == Nodes{1, 2, 3, 5, 6, 4, 0});
}

TEST_CASE("ancestors and descendants go through fan-ins", "[graph]") {
  Project project;
  project.write(kPipeline);
  const Graph graph = build_graph(project.load());
  CHECK(chosen(with_ancestors(graph, {4})) == Nodes{1, 2, 3, 4, 6});
  CHECK(chosen(with_ancestors(graph, {1})) == Nodes{1});
  CHECK(chosen(with_ancestors(graph, {2, 5})) == Nodes{1, 2, 5});
  CHECK(chosen(with_descendants(graph, {2})) == Nodes{0, 2, 4, 6});
  CHECK(chosen(with_descendants(graph, {5})) == Nodes{5});
  CHECK(chosen(with_descendants(graph, {1})) == Nodes{0, 1, 2, 3, 4, 6});
  CHECK(chosen(with_ancestors(graph, {})).empty());
}

TEST_CASE("what a failed node takes with it ends at a fan-in over trials", "[graph]") {
  Project project;
  project.write(kPipeline);
  PipelineSpec pipeline = project.load();
  CHECK(chosen(lost_without(build_graph(pipeline), 2)) == Nodes{0, 2, 4, 6});
  CHECK_FALSE(build_graph(pipeline).is_tolerant(6));
  pipeline.fan_ins.at(0).over_variations = true;
  CHECK(build_graph(pipeline).is_tolerant(6));
  CHECK(chosen(lost_without(build_graph(pipeline), 2)) == Nodes{2});
  CHECK(chosen(lost_without(build_graph(pipeline), 1)) == Nodes{0, 1, 2, 3, 4});  // read besides
  CHECK_FALSE(Graph{}.is_tolerant(0));
}

}  // namespace headway::testing
