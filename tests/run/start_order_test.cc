// The order in which variations of stages are run, and how long it takes, on a simulated clock.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <random>

#include "lib/run/start_order.h"

namespace headway::testing {
namespace {

// Variations that share the first stage; each has a chain of stages behind it.
struct Variations {
  std::vector<std::vector<double>> chains;  // seconds
  int cpus = 2;
};

Graph graph_of(const Variations& variations) {
  Graph graph;
  graph.stages = 1;
  for (const std::vector<double>& chain : variations.chains) graph.stages += chain.size();
  graph.waits_for.resize(graph.stages);
  graph.leads_to.resize(graph.stages);
  std::size_t next = 1;
  for (const std::vector<double>& chain : variations.chains) {
    NodeId before(0);
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const NodeId node(next++);
      graph.waits_for[node] = {before};
      graph.leads_to[before].push_back(node);
      before = node;
    }
  }
  for (std::size_t i = 0; i < graph.stages; ++i) graph.order.emplace_back(i);
  return graph;
}

Schedule schedule_of(const Graph& graph, const Variations& variations) {
  Schedule schedule{graph, graph.all_nodes(), {1.0}, {}, {}, {.cpus = variations.cpus}};
  schedule.cpus.assign(graph.stages, 1);
  schedule.memory.assign(graph.stages, 0);
  IndexedVector<StageId, std::vector<std::size_t>> variations_of(1);
  for (std::size_t i = 0; i < variations.chains.size(); ++i) {
    variations_of[0].push_back(i);
    for (const double seconds : variations.chains[i]) {
      schedule.seconds.push_back(seconds);
      variations_of.push_back({i});
    }
  }
  schedule.variations = StageVariations(std::move(variations_of));
  return schedule;
}

struct Ends {
  double patience = 0;
  double first = 0;  // of a variation
  double half = 0;   // half of the variations
  double last = 0;   // of all
};

Ends ends_of(const Variations& variations, double patience) {
  const Graph graph = graph_of(variations);
  const Schedule schedule = schedule_of(graph, variations);
  if (patience < 0) patience = best_patience(schedule);
  const IndexedVector<StageId, double> ends = simulated_ends(schedule, patience);
  std::vector<double> of_variations;
  std::size_t last_stage = 0;
  for (const std::vector<double>& chain : variations.chains) {
    last_stage += chain.size();
    of_variations.push_back(ends[StageId(last_stage)]);
  }
  std::ranges::sort(of_variations);
  return {patience, of_variations.front(), of_variations[of_variations.size() / 2],
          of_variations.back()};
}

constexpr double kBest = -1;

}  // namespace

TEST_CASE("of many equal variations the first ends early, and the last no later", "[start-order]") {
  const int cpus = GENERATE(1, 2, 4, 7);
  const Variations variations{std::vector(36, std::vector<double>{10, 1, 2}), cpus};
  const Ends today = ends_of(variations, 0), ends = ends_of(variations, kBest);
  CAPTURE(cpus, ends.patience);
  CHECK(today.first >= 36 * 10 / cpus);  // all first stages come before the others
  CHECK(ends.first == 14);
  if (cpus <= 4) CHECK(ends.half <= 0.6 * ends.last);
  CHECK(ends.last <= 1.03 * today.last);
}

TEST_CASE("a long variation at the end of the list starts in time", "[start-order]") {
  Variations variations{std::vector(20, std::vector<double>{4, 1}), 2};
  variations.chains.push_back({30, 5});
  const Ends today = ends_of(variations, 0), ends = ends_of(variations, kBest);
  CHECK(ends.first == 6);
  CHECK(ends.last <= 1.03 * today.last);
}

TEST_CASE("few variations that do not divide among the cpus take no longer", "[start-order]") {
  const auto count = static_cast<std::size_t>(GENERATE(range(2, 12)));
  const int cpus = GENERATE(2, 3, 4);
  const Variations variations{std::vector(count, std::vector<double>{10, 1}), cpus};
  CHECK(ends_of(variations, kBest).last <= 1.03 * ends_of(variations, 0).last);
}

TEST_CASE("random variations take hardly longer, and half of them end sooner", "[start-order]") {
  const auto seed = static_cast<unsigned>(GENERATE(range(0, 40)));
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> seconds(1, 60);
  Variations variations;
  variations.cpus = 2 + static_cast<int>(seed % 4);
  variations.chains.resize(30);
  for (std::vector<double>& chain : variations.chains)
    chain = {seconds(random), seconds(random) / 3, seconds(random) / 6};
  const Ends today = ends_of(variations, 0), ends = ends_of(variations, kBest);
  CAPTURE(ends.patience, today.half, today.last);
  CHECK(ends.last <= 1.03 * today.last);
  CHECK(ends.half < today.half);
}

}  // namespace headway::testing
