// Runs the stages of a graph in order, as many at once as fit, longest path first. It decides what
// is ready and what starts next; Taskflow's threads do the work. Work that waits for something
// outside holds no thread: it starts on one and continues on another. Knows nothing of keys or
// jobs.
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
  int cpus = 1;              // total that stages may use
  std::uint64_t memory = 0;  // the same in bytes; 0: no limit
  bool keep_going = false;   // after a failure, continue with stages that do not depend on it
};

struct Schedule {
  const Graph& graph;
  NodeSet selected;                              // nodes to run; all others count as done
  IndexedVector<StageId, double> seconds;        // expected duration
  IndexedVector<StageId, int> cpus;              // needed
  IndexedVector<StageId, std::uint64_t> memory;  // needed, in bytes; 0: unknown
  RunLimits limits;
};

// How a stage's work ended.
struct WorkResult {
  // kDone, kFailed or kCancelled; or kWaiting: start again after `after`, which makes the same key,
  // has ended.
  StageStatus status = StageStatus::kDone;
  StageId after = {};
  bool ends_all = false;  // if kFailed: nothing else can succeed, so start nothing new
};

class Scheduler;

struct ScheduleWork {
  // Starts a stage's work on one of Taskflow's threads. When the work is complete, somebody must
  // call Scheduler::end().
  std::function<void(StageId stage, Scheduler& scheduler)> start;
  std::function<void(StageId stage, StageId because_of)> skipped;  // `because_of` failed upstream
};

class Scheduler {
 public:
  // All arguments must outlive the Scheduler.
  Scheduler(const Schedule& schedule, const ScheduleWork& work, const Interrupt& interrupt);

  // Returns when everything that can run has ended. After an interrupt, or an exception from the
  // work (rethrown at the end), nothing new starts. Throws Error if the threads cannot be started.
  // Call once.
  void run();

  // For stages that have started and not ended; callable from any thread.

  // Runs `task` as part of the stage's work on one of Taskflow's threads.
  void post(StageId stage, std::function<void()> task);
  // The same after a short delay, for retries.
  void post_later(StageId stage, std::function<void()> task);
  // Ends the stage's work. At most one call for each start.
  void end(StageId stage, const WorkResult& result);

 private:
  struct Node {
    StageStatus status = StageStatus::kWaiting;
    std::size_t missing = 0;         // upstream nodes that have not ended
    std::vector<StageId> followers;  // stages that wait for this one because they make the same key
  };
  struct Task {
    StageId stage;
    std::function<void()> work;
  };
  // The first one starts next.
  using Ready = std::pair<double, NodeId>;  // (-priority, node)

  // All below expect mutex_ to be held, except run_next_task().
  void set(NodeId node, StageStatus status);  // the only function that changes a status
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
  std::deque<Task> tasks_;     // submitted to Taskflow, in this order
  std::vector<Task> delayed_;  // see post_later()
  int running_ = 0;            // stages
  bool stopping_ = false;
  std::exception_ptr thrown_;  // the first exception that left a task
  int cpus_free_;
  std::uint64_t memory_free_;
};

// Longest path from each node to an end, in seconds. Nodes with longer paths start first.
IndexedVector<NodeId, double> longest_paths(const Graph& graph,
                                            const IndexedVector<StageId, double>& seconds);

}  // namespace headway
