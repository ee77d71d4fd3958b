// Runs the stages of a graph in order, as many at once as the machine has room for, longest path
// first. What is ready, what fits and what comes first is decided here; Taskflow's threads do the
// work. A stage's work may wait for something outside without a thread: it begins on one thread and
// goes on later on another. Knows nothing of keys or jobs: work is a function.
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
#include "lib/stage/stage_status.h"

namespace tf {
class Executor;
}

namespace headway {

struct RunLimits {
  int cpus = 1;              // that stages may claim together
  std::uint64_t memory = 0;  // bytes, the same; 0: no limit
  bool keep_going = false;   // after a failure, go on with what does not depend on it
};

struct Schedule {
  const Graph& graph;
  NodeSet selected;                              // nodes to run; the others count as done
  IndexedVector<StageId, double> seconds;        // what each is expected to take
  IndexedVector<StageId, int> cpus;              // what each needs
  IndexedVector<StageId, std::uint64_t> memory;  // bytes; 0: not said
  RunLimits limits;
};

// How a stage's work ended.
struct WorkResult {
  // kDone, kFailed or kCancelled; or kWaiting, for a stage that must start again once `after` has
  // ended, which is making the same thing.
  StageStatus status = StageStatus::kDone;
  StageId after = {};
  bool ends_all = false;  // of kFailed: nothing else can succeed either, so nothing new is started
};

class Scheduler;

struct ScheduleWork {
  // Begins a stage's work, on one of Taskflow's threads. Whoever completes it calls
  // Scheduler::end().
  std::function<void(StageId stage, Scheduler& scheduler)> start;
  std::function<void(StageId stage, StageId because_of)> skipped;  // one upstream failed
};

class Scheduler {
 public:
  // All three must outlive it.
  Scheduler(const Schedule& schedule, const ScheduleWork& work, const Interrupt& interrupt);

  // Returns when everything that can run has ended. After an interrupt nothing new is started, nor
  // after an exception that comes out of the work, which is thrown on. Throws Error where the
  // system has no room for the threads. Once.
  void run();

  // The following are for stages that have started and not ended, from any thread.

  // Goes on with a stage's work on one of Taskflow's threads.
  void post(StageId stage, std::function<void()> task);
  // The same, a little later: for what must be tried again.
  void post_later(StageId stage, std::function<void()> task);
  // The stage's work is complete. At most one call for each start.
  void end(StageId stage, const WorkResult& result);

 private:
  struct Node {
    StageStatus status = StageStatus::kWaiting;
    std::size_t missing = 0;         // upstream nodes still to end
    std::vector<StageId> followers;  // that make the same thing and wait for it
  };
  struct Task {
    StageId stage;
    std::function<void()> work;
  };
  // Ordered so that the first one is the one to start next.
  using Ready = std::pair<double, NodeId>;  // (-priority, node)

  // All below are called with mutex_ held, but for run_next_task().
  void set(NodeId node, StageStatus status);  // the only place where a status changes
  void submit(Task task);
  void run_next_task();
  void wait_for_end(std::unique_lock<std::mutex>& lock);
  int cpus_of(NodeId node) const;
  std::uint64_t memory_of(NodeId node) const;
  void start_what_fits();
  void settle(NodeId node, const WorkResult& result);
  void release_successors(NodeId node);
  void restart_followers(NodeId node);
  void skip_descendants(NodeId node);

  const Schedule& schedule_;
  const Graph& graph_;
  const ScheduleWork& work_;
  const Interrupt& interrupt_;
  const IndexedVector<NodeId, double> priority_;
  tf::Executor* executor_ = nullptr;

  std::mutex mutex_;
  std::condition_variable changed_;
  IndexedVector<NodeId, Node> nodes_;
  std::set<Ready> ready_;      // stages
  std::deque<Task> tasks_;     // that Taskflow was asked to run, in this order
  std::vector<Task> delayed_;  // see post_later()
  int running_ = 0;            // stages
  bool stopping_ = false;
  std::exception_ptr thrown_;  // the first that came out of a task
  int cpus_free_;
  std::uint64_t memory_free_;
};

// Longest path from each node to an end, in seconds: the larger, the sooner it should start.
IndexedVector<NodeId, double> longest_paths(const Graph& graph,
                                            const IndexedVector<StageId, double>& seconds);

}  // namespace headway
