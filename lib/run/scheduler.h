// Runs the nodes of a graph in order, as many at once as the machine has room for, longest path
// first. What is ready, what fits and what comes first is decided here; Taskflow's threads do the
// work. A node's work may wait for something outside without a thread: it begins on one thread and
// goes on later on another. Knows nothing of stages: a node is a number, work is a function.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "lib/base/interrupt.h"
#include "lib/spec/graph.h"

namespace tf {
class Executor;
}

namespace headway {

struct NodeResult {
  enum class Kind { kDone, kFailed, kCancelled, kAfter };
  Kind kind = Kind::kDone;
  int after = -1;  // of kAfter: start again once this node has ended (it is making the same thing)
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

class Scheduler;

struct ScheduleWork {
  // Begins a node's work, on one of Taskflow's threads. Whoever completes it calls
  // Scheduler::end().
  std::function<void(int node, Scheduler& scheduler)> start;
  std::function<void(int node, int because_of)> skipped;  // one upstream failed
};

class Scheduler {
 public:
  // All three must outlive it.
  Scheduler(const Schedule& schedule, const ScheduleWork& work, const Interrupt& interrupt);

  // Returns when everything that can run has ended. After an interrupt nothing new is started, nor
  // after an exception that comes out of the work, which is thrown on. Throws Error where the
  // system has no room for the threads. Once.
  void run();

  // The following are for the work of nodes that have started and not ended, from any thread.

  // Goes on with the node's work on one of Taskflow's threads.
  void post(int node, std::function<void()> task);
  // The same, a little later: for what must be tried again.
  void post_later(int node, std::function<void()> task);
  // The node's work is complete. At most one call for each start.
  void end(int node, const NodeResult& result);

 private:
  enum class State : char { kWaiting, kReady, kRunning, kEnded, kSkipped };
  struct Node {
    State state = State::kWaiting;
    std::size_t missing = 0;     // upstream nodes still to end
    std::vector<int> followers;  // that make the same thing and wait for it
  };
  struct Task {
    int node;
    std::function<void()> work;
  };
  // Ordered so that the first one is the one to start next.
  using Ready = std::pair<double, int>;  // (-priority, node)

  // All below are called with mutex_ held, but for run_next_task().
  void submit(Task task);
  void run_next_task();
  void work_off(std::unique_lock<std::mutex>& lock);
  void make_ready(int node);
  int cpus_of(int node) const;
  std::uint64_t memory_of(int node) const;
  void start_what_fits();
  void settle(int node, const NodeResult& result);
  void end_running(int node);
  void release_successors(int node);
  void end_without_successors(int node);
  void skip_descendants(int node);

  const Schedule& schedule_;
  const ScheduleWork& work_;
  const Interrupt& interrupt_;
  const std::vector<double> priority_;
  tf::Executor* executor_ = nullptr;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Node> nodes_;
  std::set<Ready> ready_;
  std::deque<Task> tasks_;     // that Taskflow was asked to run, in this order
  std::vector<Task> delayed_;  // see post_later()
  int running_ = 0;            // nodes
  bool stopping_ = false;
  std::exception_ptr thrown_;  // the first that came out of a task
  int cpus_free_;
  std::uint64_t memory_free_;
};

// Longest path from each node to an end, in seconds: the larger, the sooner it should start.
std::vector<double> longest_paths(const Graph& graph, const std::vector<double>& seconds);

}  // namespace headway
