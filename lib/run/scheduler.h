// Runs the nodes of a graph in order, as many at once as the machine has room for, longest path
// first. Taskflow provides the threads; what is ready, what fits and what comes first is decided
// here, because Taskflow knows neither priorities by length nor weighted resources. Knows nothing
// of stages: a node is a number, work is a function.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lib/base/interrupt.h"
#include "lib/run/graph.h"

namespace headway {

struct NodeResult {
  enum class Kind { kDone, kFailed, kCancelled, kAfter };
  Kind kind = Kind::kDone;
  int after = -1;  // of kAfter: call again once this node has ended (it is making the same thing)
  bool ends_all = false;  // of kFailed: nothing else can succeed either, so nothing new is started
};

struct Schedule {
  const Graph& graph;
  std::vector<bool> selected;         // nodes to run; the others count as done
  std::vector<double> seconds;        // what each is expected to take
  std::vector<int> cpus;              // what each needs
  std::vector<std::uint64_t> memory;  // bytes; 0: not said
  int cpu_limit = 1;
  std::uint64_t memory_limit = 0;  // 0: none
  bool keep_going = false;         // after a failure, go on with what does not depend on it
};

struct ScheduleWork {
  std::function<NodeResult(int node)> run;                // on any thread
  std::function<void(int node, int because_of)> skipped;  // one upstream failed
};

// Returns when everything that can run has ended. After an interrupt nothing new is started, nor
// after an exception that comes out of the work, which is thrown on. Throws Error where the system
// has no room for the threads.
void run_schedule(const Schedule& schedule, const ScheduleWork& work, const Interrupt& interrupt);

// Longest path from each node to an end, in seconds: the larger, the sooner it should start.
std::vector<double> longest_paths(const Graph& graph, const std::vector<double>& seconds);

}  // namespace headway
