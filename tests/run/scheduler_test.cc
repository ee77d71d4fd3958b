// The order in which nodes run, and how many at once; without stages, files or processes.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <random>
#include <set>
#include <thread>

#include "lib/run/scheduler.h"
#include "tests/support/fake_executor.h"

namespace headway::testing {
namespace {

using Edges = std::vector<std::pair<int, int>>;
using Nodes = std::vector<int>;

NodeId node_id(int number) {
  return NodeId(static_cast<std::size_t>(number));
}
StageId stage_id(int number) {
  return StageId(static_cast<std::size_t>(number));
}
int number_of(StageId stage) {
  return static_cast<int>(stage.value());
}

// Edges go from a smaller to a larger number, but for fan-ins, which are the last nodes.
Graph make_graph(std::size_t stages, const Edges& edges, std::size_t fan_ins = 0) {
  Graph graph;
  graph.stages = stages;
  graph.waits_for.resize(stages + fan_ins);
  graph.leads_to.resize(stages + fan_ins);
  for (const auto& [from, to] : edges) {
    graph.leads_to[node_id(from)].push_back(node_id(to));
    graph.waits_for[node_id(to)].push_back(node_id(from));
  }
  IndexedVector<NodeId, std::size_t> missing;
  for (const auto& upstream : graph.waits_for) missing.push_back(upstream.size());
  std::set<NodeId> ready;
  for (const NodeId node : missing.ids()) {
    if (missing[node] == 0) ready.insert(node);
  }
  while (!ready.empty()) {
    const NodeId node = *ready.begin();
    ready.erase(ready.begin());
    graph.order.push_back(node);
    for (const NodeId next : graph.leads_to[node]) {
      if (--missing[next] == 0) ready.insert(next);
    }
  }
  return graph;
}

Schedule make_schedule(const Graph& graph, int cpu_limit) {
  Schedule schedule{graph, graph.all_nodes(), {}, {}, {}, {.cpus = cpu_limit}};
  schedule.seconds.assign(graph.stages, 1);
  schedule.cpus.assign(graph.stages, 1);
  schedule.memory.assign(graph.stages, 0);
  return schedule;
}

struct Ran {
  Nodes started;
  Nodes ended;
  std::vector<std::pair<int, int>> skipped;
};

// Runs the schedule with this work, noting what happens. Work that waits for other work needs a
// thread of its own for each node.
enum class Threads { kTaskflow, kOwn };

Ran run(const Schedule& schedule, const std::function<WorkResult(int)>& work,
        const Interrupt& interrupt = Interrupt(), Threads threads = Threads::kTaskflow) {
  Ran ran;
  std::mutex mutex;
  std::vector<std::thread> own;
  const auto note = [&](Nodes& where, int node) {
    const std::lock_guard lock(mutex);
    where.push_back(node);
  };
  const auto run_node = [&](int node, Scheduler& scheduler) {
    const WorkResult result = work(node);
    note(ran.ended, node);
    scheduler.end(stage_id(node), result);
  };
  const ScheduleWork schedule_work{[&](StageId stage, Scheduler& scheduler) {
                                     const int node = number_of(stage);
                                     note(ran.started, node);
                                     if (threads == Threads::kTaskflow)
                                       return run_node(node, scheduler);
                                     const std::lock_guard lock(mutex);
                                     own.emplace_back([&, node] { run_node(node, scheduler); });
                                   },
                                   [&](StageId stage, StageId because_of) {
                                     const std::lock_guard lock(mutex);
                                     ran.skipped.emplace_back(number_of(stage),
                                                              number_of(because_of));
                                   }};
  Scheduler(schedule, schedule_work, interrupt).run();
  for (std::thread& thread : own) thread.join();
  return ran;
}

Ran run_on_own_threads(const Schedule& schedule, const std::function<WorkResult(int)>& work) {
  return run(schedule, work, Interrupt(), Threads::kOwn);
}

const WorkResult kDone{StageStatus::kDone};
const WorkResult kFailed{StageStatus::kFailed};

WorkResult done(int) {
  return kDone;
}

// How much of what is in use, and the most there ever was.
struct Meter {
  std::atomic<std::int64_t> now{0};
  std::atomic<std::int64_t> most{0};
  void add(std::int64_t amount) {
    const std::int64_t sum = now += amount;
    for (std::int64_t before = most; sum > before && !most.compare_exchange_weak(before, sum);) {
    }
  }
};

}  // namespace

TEST_CASE("nodes run after what they wait for, in the order of the file", "[scheduler]") {
  const Graph graph = make_graph(5, {{0, 3}, {1, 3}, {3, 4}});
  Schedule schedule = make_schedule(graph, 1);
  CHECK(run(schedule, done).started == Nodes{0, 1, 3, 2, 4});
}

TEST_CASE("an exception out of the work ends the schedule and is thrown on", "[scheduler]") {
  const Graph graph = make_graph(3, {});
  for (const int cpus : {1, 2}) {
    std::atomic<int> calls = 0;
    const auto work = [&](int) -> WorkResult {
      ++calls;
      throw std::bad_alloc();
    };
    CHECK_THROWS_AS(run(make_schedule(graph, cpus), work), std::bad_alloc);
    CHECK(calls <= cpus);
  }
}

TEST_CASE("the longest path is started first", "[scheduler]") {
  const Graph graph = make_graph(4, {{1, 2}});
  Schedule schedule = make_schedule(graph, 1);
  schedule.seconds = {5, 1, 3, 9};
  CHECK(longest_paths(graph, schedule.seconds) == IndexedVector<NodeId, double>{5, 4, 3, 9});
  CHECK(run(schedule, done).started == Nodes{3, 0, 1, 2});
  schedule.seconds = {5, 1, 5, 9};
  CHECK(run(schedule, done).started == Nodes{3, 1, 0, 2});
}

TEST_CASE("a path goes through a fan-in, which takes no time", "[scheduler]") {
  const Graph graph = make_graph(4, {{0, 4}, {1, 4}, {4, 2}}, 1);
  Schedule schedule = make_schedule(graph, 1);
  schedule.seconds = {1, 2, 10, 5};
  CHECK(longest_paths(graph, schedule.seconds) == IndexedVector<NodeId, double>{11, 12, 10, 5, 10});
  CHECK(run(schedule, done).started == Nodes{1, 0, 2, 3});
}

TEST_CASE("fan-ins that follow each other end at once", "[scheduler]") {
  // 0 -> fan-in 2 -> fan-in 3 -> 1
  const Graph graph = make_graph(2, {{0, 2}, {2, 3}, {3, 1}}, 2);
  CHECK(run(make_schedule(graph, 2), done).started == Nodes{0, 1});
}

TEST_CASE("nodes that are not selected count as done", "[scheduler]") {
  const Graph graph = make_graph(3, {{0, 1}, {1, 2}});
  Schedule schedule = make_schedule(graph, 1);
  schedule.selected = {false, false, true};
  CHECK(run(schedule, done).started == Nodes{2});
  schedule.selected = {false, false, false};
  CHECK(run(schedule, done).started.empty());
}

TEST_CASE("a failure skips its descendants only, and nothing new is started", "[scheduler]") {
  const Graph graph = make_graph(5, {{0, 1}, {1, 2}, {3, 4}});
  Schedule schedule = make_schedule(graph, 1);
  const auto work = [](int node) { return node == 0 ? kFailed : kDone; };
  const Ran stopped = run(schedule, work);
  CHECK(stopped.started == Nodes{0});
  CHECK(stopped.skipped == std::vector<std::pair<int, int>>{{1, 0}, {2, 0}});
  schedule.limits.keep_going = true;
  const Ran kept = run(schedule, work);
  CHECK(kept.started == Nodes{0, 3, 4});
  CHECK(kept.skipped == std::vector<std::pair<int, int>>{{1, 0}, {2, 0}});
}

TEST_CASE("a node below two failures is skipped once", "[scheduler]") {
  const Graph graph = make_graph(3, {{0, 3}, {1, 3}, {3, 2}}, 1);
  Schedule schedule = make_schedule(graph, 2);
  schedule.limits.keep_going = true;
  const Ran ran = run(schedule, [](int node) { return node < 2 ? kFailed : kDone; });
  CHECK(ran.skipped.size() == 1);
  CHECK(ran.started.size() == 2);
}

TEST_CASE("after a failure that ends all nothing new is started, even with keep-going",
          "[scheduler]") {
  const Graph graph = make_graph(4, {{0, 1}});
  Schedule schedule = make_schedule(graph, 1);
  schedule.limits.keep_going = true;
  const auto run_with = [&](bool ends_all) {
    return run(schedule, [&](int node) {
      return node == 0 ? WorkResult{StageStatus::kFailed, {}, ends_all} : kDone;
    });
  };
  CHECK(run_with(false).started == Nodes{0, 2, 3});
  const Ran ran = run_with(true);
  CHECK(ran.started == Nodes{0});
  CHECK(ran.skipped == std::vector<std::pair<int, int>>{{1, 0}});
}

TEST_CASE("what must be tried again is tried a little later, without a thread", "[scheduler]") {
  const Graph graph = make_graph(3, {});
  const Schedule schedule = make_schedule(graph, 3);
  std::atomic<int> waiting = 3;  // each is ended by the last try of any
  std::atomic<int> tries = 0;
  const std::function<void(StageId, Scheduler&)> attempt = [&](StageId stage,
                                                               Scheduler& scheduler) {
    if (++tries == 9) waiting = 0;
    if (waiting == 0) return scheduler.end(stage, kDone);
    scheduler.post_later(stage, [&, stage] { attempt(stage, scheduler); });
  };
  const Interrupt interrupt;
  const ScheduleWork work{attempt, [](StageId, StageId) {}};
  Scheduler(schedule, work, interrupt).run();
  CHECK(tries >= 9);
  CHECK(tries <= 11);
}

TEST_CASE("a cancelled node starts nothing new and skips nothing", "[scheduler]") {
  const Graph graph = make_graph(3, {{0, 1}});
  Schedule schedule = make_schedule(graph, 1);
  schedule.limits.keep_going = true;
  const Ran ran = run(schedule, [](int) { return WorkResult{StageStatus::kCancelled}; });
  CHECK(ran.started == Nodes{0});
  CHECK(ran.skipped.empty());
}

TEST_CASE("after an interrupt nothing new is started", "[scheduler]") {
  const Graph graph = make_graph(6, {{0, 1}, {1, 2}});
  Interrupt interrupt;
  const Ran ran = run(
      make_schedule(graph, 1),
      [&](int node) {
        if (node == 1) interrupt.raise();
        return kDone;
      },
      interrupt);
  CHECK(ran.started == Nodes{0, 1});
  CHECK(run(make_schedule(graph, 4), done, interrupt).started.empty());
}

TEST_CASE("a node may ask to come again after another", "[scheduler]") {
  const Graph graph = make_graph(4, {{1, 3}});  // so that 1 has the longest path and starts first
  const int cpus = GENERATE(1, 2, 4);
  Gate asked;
  std::atomic<bool> first_ended{false};
  const Ran ran = run_on_own_threads(make_schedule(graph, cpus), [&](int node) -> WorkResult {
    if (node == 0) {
      asked.wait();
      first_ended = true;
    }
    if (node != 1 || first_ended) return kDone;
    asked.open();
    return {StageStatus::kWaiting, stage_id(0)};
  });
  CHECK(std::count(ran.started.begin(), ran.started.end(), 0) == 1);
  CHECK(std::count(ran.started.begin(), ran.started.end(), 1) == 2);
  const auto last_of = [&](int node) {
    return std::find(ran.started.rbegin(), ran.started.rend(), node);
  };
  CHECK(last_of(3) < last_of(1));  // counted from the end: 3 comes after 1 has really ended
}

TEST_CASE("who waits for a node that fails comes again with keep-going", "[scheduler]") {
  const Graph graph = make_graph(2, {});
  Schedule schedule = make_schedule(graph, 2);
  schedule.limits.keep_going = true;
  Gate second_asked;
  std::atomic<bool> first_ended{false};
  const Ran ran = run_on_own_threads(schedule, [&](int node) -> WorkResult {
    if (node == 0) {
      second_asked.wait();
      first_ended = true;
      return kFailed;
    }
    if (first_ended) return kDone;
    second_asked.open();
    return {StageStatus::kWaiting, stage_id(0)};
  });
  CHECK(std::count(ran.started.begin(), ran.started.end(), 1) >= 1);
  CHECK(ran.ended.back() == 1);
}

TEST_CASE("a node that wants more cpus than there are runs alone", "[scheduler]") {
  const Graph graph = make_graph(7, {});
  Schedule schedule = make_schedule(graph, 2);
  schedule.cpus[3] = 16;
  std::atomic<int> running{0};
  std::atomic<int> beside{-1};
  run_on_own_threads(schedule, [&](int node) {
    ++running;
    if (node == 3) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      beside = running - 1;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    --running;
    return kDone;
  });
  CHECK(beside == 0);
}

TEST_CASE("a node that wants more memory than there is runs alone", "[scheduler]") {
  const Graph graph = make_graph(4, {});
  Schedule schedule = make_schedule(graph, 4);
  schedule.limits.memory = 100;
  schedule.memory = {500, 10, 10, 10};
  Meter meter;
  const Ran ran = run_on_own_threads(schedule, [&](int node) {
    meter.add(node == 0 ? 100 : 10);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    meter.add(node == 0 ? -100 : -10);
    return kDone;
  });
  CHECK(ran.started.size() == 4);
  CHECK(meter.most == 100);
}

TEST_CASE("without a limit memory is not counted", "[scheduler]") {
  const Graph graph = make_graph(2, {});
  Schedule schedule = make_schedule(graph, 2);
  schedule.memory = {1'000'000'000'000, 1'000'000'000'000};
  Gate both;
  std::atomic<int> running{0};
  std::atomic<bool> met{false};
  run_on_own_threads(schedule, [&](int) {
    if (++running == 2) both.open();
    if (both.wait()) met = true;
    return kDone;
  });
  CHECK(met);
  CHECK(running == 2);
}

TEST_CASE("a large node at the head is not overtaken by small ones that would fit", "[scheduler]") {
  const Graph graph = make_graph(6, {});
  Schedule schedule = make_schedule(graph, 2);
  schedule.seconds = {10, 9, 1, 1, 1, 1};
  schedule.cpus = {1, 2, 1, 1, 1, 1};
  const Ran ran = run_on_own_threads(schedule, [](int node) {
    if (node == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return kDone;
  });
  CHECK(Nodes(ran.started.begin(), ran.started.begin() + 2) == Nodes{0, 1});
  CHECK(ran.ended.front() == 0);
}

TEST_CASE("random graphs: every node once, after its upstreams, never too much at a time",
          "[scheduler]") {
  const auto seed = static_cast<unsigned>(GENERATE(range(0, 30)));
  std::mt19937 random(seed);
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const int stages = number(1, 80);
  Edges edges;
  for (int to = 1; to < stages; ++to) {
    for (int count = number(0, 3); count > 0; --count) {
      const std::pair<int, int> edge{number(0, to - 1), to};
      if (std::find(edges.begin(), edges.end(), edge) == edges.end()) edges.push_back(edge);
    }
  }
  const Graph graph = make_graph(static_cast<std::size_t>(stages), edges);
  Schedule schedule = make_schedule(graph, number(1, 8));
  schedule.limits.memory = 100;
  for (int i = 0; i < stages; ++i) {
    const auto node = static_cast<std::size_t>(i);
    schedule.cpus[node] = number(1, 6);
    schedule.memory[node] = static_cast<std::uint64_t>(number(0, 80));
    schedule.seconds[node] = number(1, 100);
  }
  Meter cpus, memory;
  std::vector<std::atomic<bool>> ended(static_cast<std::size_t>(stages));
  std::atomic<bool> too_early{false};
  const Ran ran = run_on_own_threads(schedule, [&](int node) {
    const auto index = static_cast<std::size_t>(node);
    const int wants = std::min(schedule.cpus[index], schedule.limits.cpus);
    cpus.add(wants);
    memory.add(static_cast<std::int64_t>(schedule.memory[index]));
    for (const NodeId upstream : graph.waits_for[index]) {
      if (!ended[upstream.value()]) too_early = true;
    }
    if (node % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    ended[index] = true;
    memory.add(-static_cast<std::int64_t>(schedule.memory[index]));
    cpus.add(-wants);
    return kDone;
  });
  CHECK(!too_early);
  CHECK(cpus.most <= schedule.limits.cpus);
  CHECK(memory.most <= 100);
  Nodes started = ran.started;
  std::sort(started.begin(), started.end());
  Nodes all;
  for (int i = 0; i < stages; ++i) all.push_back(i);
  CHECK(started == all);
}

TEST_CASE("random graphs with failures: what runs depends on no failure, what is skipped does",
          "[scheduler]") {
  const auto seed = static_cast<unsigned>(GENERATE(range(100, 120)));
  std::mt19937 random(seed);
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const int stages = 60;
  Edges edges;
  for (int to = 1; to < stages; ++to) {
    if (number(0, 2) > 0) edges.emplace_back(number(0, to - 1), to);
  }
  const Graph graph = make_graph(stages, edges);
  Schedule schedule = make_schedule(graph, 4);
  schedule.limits.keep_going = true;
  std::vector<bool> bad(stages);
  Nodes bad_nodes;
  for (int i = 0; i < stages; ++i) {
    if ((bad[static_cast<std::size_t>(i)] = number(0, 9) == 0)) bad_nodes.push_back(i);
  }
  const Ran ran = run(
      schedule, [&](int node) { return bad[static_cast<std::size_t>(node)] ? kFailed : kDone; });
  std::vector<bool> below(stages, false);  // strictly
  for (const int node : bad_nodes) {
    for (const NodeId next : graph.leads_to[node_id(node)]) {
      const NodeSet reached = with_descendants(graph, {graph.stage_of(next)});
      for (std::size_t i = 0; i < below.size(); ++i) below[i] = below[i] || reached[i];
    }
  }
  CHECK(ran.started.size() + ran.skipped.size() == stages);
  for (const int node : ran.started) CHECK(!below[static_cast<std::size_t>(node)]);
  for (const auto& [node, because_of] : ran.skipped) CHECK(below[static_cast<std::size_t>(node)]);
}

TEST_CASE("a chain of 20,000 nodes and a fan of as many do not overflow a stack", "[scheduler]") {
  constexpr int kNodes = 20'000;
  Edges chain, fan;
  for (int i = 1; i < kNodes; ++i) {
    chain.emplace_back(i - 1, i);
    fan.emplace_back(0, i);
  }
  for (const Edges& edges : {chain, fan}) {
    const Graph graph = make_graph(kNodes, edges);
    CHECK(run(make_schedule(graph, 2), done).started.size() == kNodes);
    Schedule schedule = make_schedule(graph, 2);
    CHECK(run(schedule, [](int) { return kFailed; }).skipped.size() == kNodes - 1);
  }
}

}  // namespace headway::testing
