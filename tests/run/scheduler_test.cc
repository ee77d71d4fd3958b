// The order in which nodes run, and how many at once; without stages, files or processes.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <atomic>
#include <latch>
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

// Edges go from a smaller to a larger number, except for fan-ins, which are the last nodes.
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
  struct Event {
    int node;
    bool starts;  // else it ends
  };
  std::vector<Event> events;
  Nodes started;
  Nodes ended;
  std::vector<std::pair<int, int>> skipped;

  // Calls visit(node, running) for each start; `running` are the others that run then.
  template <class Visit>
  void for_each_start(Visit visit) const {
    std::set<int> running;
    for (const auto& [node, starts] : events) {
      if (starts) visit(node, running);
      if (starts)
        running.insert(node);
      else
        running.erase(node);
    }
  }
  // The nodes that ran at the same time as this one.
  std::set<int> beside(int wanted) const {
    std::set<int> found;
    for_each_start([&](int node, const std::set<int>& running) {
      if (node == wanted) found.insert(running.begin(), running.end());
      if (running.contains(wanted)) found.insert(node);
    });
    return found;
  }
  // The largest sum of a quantity over the nodes that ran at the same time.
  std::uint64_t most(const std::function<std::uint64_t(int)>& quantity) const {
    std::uint64_t largest = 0;
    for_each_start([&](int node, const std::set<int>& running) {
      std::uint64_t sum = quantity(node);
      for (const int other : running) sum += quantity(other);
      largest = std::max(largest, sum);
    });
    return largest;
  }
};

// Runs the schedule with this work, noting what happens. Work that waits for other work needs a
// thread for each node.
enum class Threads { kTaskflow, kOwn };
// Returns when all that the scheduler has decided to start so far has started.
using Settle = std::function<void()>;

Ran run_settling(const Schedule& schedule,
                 const std::function<WorkResult(int, const Settle&)>& work,
                 const Interrupt& interrupt = Interrupt(), Threads threads = Threads::kOwn) {
  Ran ran;
  std::mutex mutex;
  std::mutex settling;
  std::vector<std::thread> own;
  const auto note = [&](int node, bool starts) {
    const std::lock_guard lock(mutex);
    ran.events.push_back({node, starts});
    (starts ? ran.started : ran.ended).push_back(node);
  };
  // All of Taskflow's threads meet, so none is busy with a task that was submitted before.
  const auto settle = [&](StageId stage, Scheduler& scheduler) {
    const std::lock_guard lock(settling);
    const auto count = std::min<std::ptrdiff_t>(schedule.limits.cpus,
                                                std::max(1U, std::thread::hardware_concurrency()));
    const auto met = std::make_shared<std::latch>(count);
    for (std::ptrdiff_t i = 0; i < count; ++i)
      scheduler.post(stage, [met] { met->arrive_and_wait(); });
    met->wait();
  };
  const auto run_node = [&](StageId stage, Scheduler& scheduler) {
    const WorkResult result = work(number_of(stage), [&] { settle(stage, scheduler); });
    note(number_of(stage), false);
    scheduler.end(stage, result);
  };
  const ScheduleWork schedule_work{[&](StageId stage, Scheduler& scheduler) {
                                     note(number_of(stage), true);
                                     if (threads == Threads::kTaskflow)
                                       return run_node(stage, scheduler);
                                     const std::lock_guard lock(mutex);
                                     own.emplace_back([&, stage] { run_node(stage, scheduler); });
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

Ran run(const Schedule& schedule, const std::function<WorkResult(int)>& work,
        const Interrupt& interrupt = Interrupt(), Threads threads = Threads::kTaskflow) {
  return run_settling(
      schedule, [&](int node, const Settle&) { return work(node); }, interrupt, threads);
}

Ran run_on_own_threads(const Schedule& schedule, const std::function<WorkResult(int)>& work) {
  return run(schedule, work, Interrupt(), Threads::kOwn);
}

const WorkResult kDone{StageStatus::kDone};
const WorkResult kFailed{StageStatus::kFailed};

WorkResult done(int) {
  return kDone;
}

WorkResult done_settled(int, const Settle& settle) {
  settle();
  return kDone;
}

}  // namespace

TEST_CASE("nodes run after their dependencies, in file order", "[scheduler]") {
  const Graph graph = make_graph(5, {{0, 3}, {1, 3}, {3, 4}});
  Schedule schedule = make_schedule(graph, 1);
  CHECK(run(schedule, done).started == Nodes{0, 1, 3, 2, 4});
}

TEST_CASE("an exception from the work ends the schedule and is rethrown", "[scheduler]") {
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

TEST_CASE("the longest path starts first", "[scheduler]") {
  const Graph graph = make_graph(4, {{1, 2}});
  Schedule schedule = make_schedule(graph, 1);
  schedule.seconds = {5, 1, 3, 9};
  CHECK(longest_paths(graph, schedule.seconds) == IndexedVector<NodeId, double>{5, 4, 3, 9});
  CHECK(run(schedule, done).started == Nodes{3, 0, 1, 2});
  schedule.seconds = {5, 1, 5, 9};
  CHECK(run(schedule, done).started == Nodes{3, 1, 0, 2});
}

// Three variations of a training and two probes, after stage 0, which all share; stage 10 waits for
// all of them through a tolerant fan-in.
Graph three_variations() {
  Graph graph = make_graph(11,
                           {{0, 1},
                            {1, 2},
                            {1, 3},
                            {0, 4},
                            {4, 5},
                            {4, 6},
                            {0, 7},
                            {7, 8},
                            {7, 9},
                            {2, 11},
                            {5, 11},
                            {8, 11},
                            {11, 10}},
                           1);
  graph.tolerant.assign(graph.size(), false);
  graph.tolerant[node_id(11)] = true;
  return graph;
}

Schedule with_variations(const Graph& graph, int cpus) {
  Schedule schedule = make_schedule(graph, cpus);
  schedule.seconds = {1, 9, 1, 1, 9, 1, 1, 9, 1, 1, 1};
  schedule.variations =
      StageVariations({{0, 1, 2}, {0}, {0}, {0}, {1}, {1}, {1}, {2}, {2}, {2}, {}});
  schedule.limits.keep_going = true;
  return schedule;
}

TEST_CASE("variations end one after another", "[scheduler]") {
  const Graph graph = three_variations();
  CHECK(run(with_variations(graph, 1), done).started == Nodes{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 9});
}

TEST_CASE("a stage that ends its variations stops what no other variation wants", "[scheduler]") {
  const Graph graph = three_variations();
  Schedule schedule = with_variations(graph, 1);
  const auto work = [](int node) {
    return node == 2 ? WorkResult{.status = StageStatus::kFailed, .ends_variations = true} : kDone;
  };
  const Ran ran = run(schedule, work);
  CHECK(ran.started == Nodes{0, 1, 2, 4, 5, 6, 7, 8, 10, 9});
  CHECK(ran.skipped == std::vector<std::pair<int, int>>{{3, 2}});
  // Where two variations share the other probe, it runs for the second.
  schedule.variations =
      StageVariations({{0, 1, 2}, {0, 1}, {0}, {0, 1}, {1}, {1}, {1}, {2}, {2}, {2}, {}});
  CHECK(run(schedule, work).skipped.empty());
  // Any other failure stops only what depends on it.
  const auto failing = [](int node) { return node == 2 ? kFailed : kDone; };
  CHECK(run(with_variations(graph, 1), failing).skipped.empty());
}

TEST_CASE("a stage shared by variations is skipped when the last of them is given up",
          "[scheduler]") {
  // 0 and 1 fail; 3 is in both of their variations and waits for 2, which is in another; 4 is
  // behind 3.
  const Graph graph = make_graph(5, {{2, 3}, {3, 4}});
  Schedule schedule = make_schedule(graph, 1);
  schedule.seconds = {9, 8, 1, 1, 1};
  schedule.variations = StageVariations({{0}, {1}, {2}, {0, 1}, {1}});
  schedule.limits.keep_going = true;
  const auto work = [&](int node) {
    return node < 2 ? WorkResult{.status = StageStatus::kFailed, .ends_variations = true} : kDone;
  };
  const Ran ran = run(schedule, work);
  CHECK(ran.started == Nodes{0, 1, 2});
  CHECK(ran.skipped == std::vector<std::pair<int, int>>{{3, 1}, {4, 1}});
}

TEST_CASE("the first stage of a kind tells how long the others take", "[scheduler]") {
  // Six variations of one stage behind stage 0. The last is of its kind.
  const Graph graph = make_graph(7, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}});
  Schedule schedule = make_schedule(graph, 2);
  schedule.kinds = {1, 2, 2, 2, 2, 2, 1};
  schedule.variations = StageVariations({{0, 1, 2, 3, 4, 5}, {0}, {1}, {2}, {3}, {4}, {5}});
  const auto place_of_last = [&](double seconds) {
    const Ran ran = run_settling(schedule, [&](int node, const Settle& settle) {
      settle();
      return WorkResult{.status = StageStatus::kDone, .seconds = node == 0 ? seconds : 0};
    });
    return std::ranges::find(ran.started, 6) - ran.started.begin();
  };
  CHECK(place_of_last(0.1) >= 5);
  CHECK(place_of_last(100) <= 2);
}

TEST_CASE("a path goes through a fan-in, which takes no time", "[scheduler]") {
  const Graph graph = make_graph(4, {{0, 4}, {1, 4}, {4, 2}}, 1);
  Schedule schedule = make_schedule(graph, 1);
  schedule.seconds = {1, 2, 10, 5};
  CHECK(longest_paths(graph, schedule.seconds) == IndexedVector<NodeId, double>{11, 12, 10, 5, 10});
  CHECK(run(schedule, done).started == Nodes{1, 0, 2, 3});
}

TEST_CASE("consecutive fan-ins end immediately", "[scheduler]") {
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

TEST_CASE("a failure skips only its descendants, and nothing new starts", "[scheduler]") {
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

TEST_CASE("after a fatal failure nothing new starts, even with keep-going", "[scheduler]") {
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

TEST_CASE("retries are scheduled a little later, without occupying a thread", "[scheduler]") {
  const Graph graph = make_graph(3, {});
  const Schedule schedule = make_schedule(graph, 3);
  std::atomic<int> tries = 0;
  const std::function<void(StageId, Scheduler&)> attempt = [&](StageId stage,
                                                               Scheduler& scheduler) {
    if (++tries >= 9) return scheduler.end(stage, kDone);
    scheduler.post_later(stage, [&, stage] { attempt(stage, scheduler); });
  };
  const Interrupt interrupt;
  const ScheduleWork work{attempt, [](StageId, StageId) {}};
  Scheduler(schedule, work, interrupt).run();
  CHECK(tries == 11);  // the ninth ends one of the three, the next two end the others
}

TEST_CASE("a cancelled node starts nothing new and skips nothing", "[scheduler]") {
  const Graph graph = make_graph(3, {{0, 1}});
  Schedule schedule = make_schedule(graph, 1);
  schedule.limits.keep_going = true;
  const Ran ran = run(schedule, [](int) { return WorkResult{StageStatus::kCancelled}; });
  CHECK(ran.started == Nodes{0});
  CHECK(ran.skipped.empty());
}

TEST_CASE("after an interrupt nothing new starts", "[scheduler]") {
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

TEST_CASE("a node may ask to be scheduled again after another", "[scheduler]") {
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

TEST_CASE("a node that waits for one that fails is scheduled again with keep-going",
          "[scheduler]") {
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

TEST_CASE("a node that requests more cpus than there are runs alone", "[scheduler]") {
  const Graph graph = make_graph(7, {});
  Schedule schedule = make_schedule(graph, 2);
  schedule.cpus[3] = 16;
  const Ran ran = run_settling(schedule, done_settled);
  CHECK(ran.started.size() == 7);
  CHECK(ran.beside(3).empty());
  CHECK(ran.beside(0).contains(1));
}

TEST_CASE("a node that requests more memory than there is runs alone", "[scheduler]") {
  const Graph graph = make_graph(4, {});
  Schedule schedule = make_schedule(graph, 4);
  schedule.limits.memory = 100;
  schedule.memory = {500, 10, 10, 10};
  const Ran ran = run_settling(schedule, done_settled);
  CHECK(ran.started.size() == 4);
  CHECK(ran.beside(0).empty());
  CHECK(ran.beside(1) == std::set<int>{2, 3});
}

TEST_CASE("without a memory limit, memory is not counted", "[scheduler]") {
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
  const Ran ran = run_settling(schedule, done_settled);
  CHECK(Nodes(ran.started.begin(), ran.started.begin() + 2) == Nodes{0, 1});
  CHECK(ran.ended.front() == 0);
}

TEST_CASE("random graphs: every node runs once, after its upstreams, within the limits",
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
  const Ran ran = run_settling(schedule, [](int node, const Settle& settle) {
    if (node % 3 == 0) settle();
    return kDone;
  });
  std::set<int> ended;
  for (const auto& [node, starts] : ran.events) {
    if (!starts) ended.insert(node);
    for (const NodeId upstream : graph.waits_for[node_id(node)])
      CHECK(ended.contains(static_cast<int>(upstream.value())));
  }
  CHECK(ran.most([&](int node) {
    return static_cast<std::uint64_t>(
        std::min(schedule.cpus[stage_id(node)], schedule.limits.cpus));
  }) <= static_cast<std::uint64_t>(schedule.limits.cpus));
  CHECK(ran.most([&](int node) { return schedule.memory[stage_id(node)]; }) <= 100);
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

TEST_CASE("a chain of 20,000 nodes and an equally wide fan do not overflow the stack",
          "[scheduler]") {
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
