#include "lib/spec/graph.h"

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
using Numbers = std::vector<std::size_t>;

Numbers numbers(const std::vector<NodeId>& nodes) {
  Numbers numbers;
  for (const NodeId node : nodes) numbers.push_back(node.value());
  return numbers;
}

std::vector<Numbers> numbers(const IndexedVector<NodeId, std::vector<NodeId>>& edges) {
  std::vector<Numbers> all;
  for (const std::vector<NodeId>& nodes : edges) all.push_back(numbers(nodes));
  return all;
}

Numbers chosen(const NodeSet& set) {
  Numbers numbers;
  for (const NodeId node : set.ids()) {
    if (set[node]) numbers.push_back(node.value());
  }
  return numbers;
}

}  // namespace

TEST_CASE("a graph has an edge for every input and need, once, and a node for every fan-in",
          "[graph]") {
  Project project;
  project.write(kPipeline);
  const Graph graph = build_graph(project.load());
  CHECK(graph.stages == 6);
  CHECK(numbers(graph.waits_for) == std::vector<Numbers>{{1, 4}, {}, {1}, {1}, {1, 6}, {}, {2, 3}});
  CHECK(numbers(graph.leads_to) == std::vector<Numbers>{{}, {0, 2, 3, 4}, {6}, {6}, {0}, {}, {4}});
  CHECK(graph.is_stage(NodeId(5)));
  CHECK(!graph.is_stage(NodeId(6)));
}

TEST_CASE("without dependencies, the order is that of the file", "[graph]") {
  Project project;
  project.write(kPipeline);
  CHECK(numbers(build_graph(project.load()).order) == Numbers{1, 2, 3, 5, 6, 4, 0});
}

TEST_CASE("ancestors and descendants are found through fan-ins", "[graph]") {
  Project project;
  project.write(kPipeline);
  const Graph graph = build_graph(project.load());
  CHECK(chosen(with_ancestors(graph, {StageId(4)})) == Numbers{1, 2, 3, 4, 6});
  CHECK(chosen(with_ancestors(graph, {StageId(1)})) == Numbers{1});
  CHECK(chosen(with_ancestors(graph, {StageId(2), StageId(5)})) == Numbers{1, 2, 5});
  CHECK(chosen(with_descendants(graph, {StageId(2)})) == Numbers{0, 2, 4, 6});
  CHECK(chosen(with_descendants(graph, {StageId(5)})) == Numbers{5});
  CHECK(chosen(with_descendants(graph, {StageId(1)})) == Numbers{0, 1, 2, 3, 4, 6});
  CHECK(chosen(with_ancestors(graph, {})).empty());
}

TEST_CASE("the effect of a failed node ends at a fan-in over trials", "[graph]") {
  Project project;
  project.write(kPipeline);
  PipelineSpec pipeline = project.load();
  CHECK(chosen(lost_without(build_graph(pipeline), StageId(2))) == Numbers{0, 2, 4, 6});
  CHECK_FALSE(build_graph(pipeline).is_tolerant(NodeId(6)));
  pipeline.fan_ins.at(0).over_variations = true;
  CHECK(build_graph(pipeline).is_tolerant(NodeId(6)));
  CHECK(chosen(lost_without(build_graph(pipeline), StageId(2))) == Numbers{2});
  CHECK(chosen(lost_without(build_graph(pipeline), StageId(1))) ==
        Numbers{0, 1, 2, 3, 4});  // read besides
  CHECK_FALSE(Graph{}.is_tolerant(NodeId(0)));
}

}  // namespace headway::testing
