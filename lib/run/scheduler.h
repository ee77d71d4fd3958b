// Runs the stages of a graph in order, as many at once as fit. It decides what is ready, and
// StartOrder what starts next; Taskflow's threads do the work. Work that waits for something
// outside holds no thread: it starts on one and continues on another. Knows nothing of keys or
// jobs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "lib/base/interrupt.h"
#include "lib/run/schedule.h"
#include "lib/run/start_order.h"
#include "lib/stage/stage_status.h"

namespace headway {

// How a stage's work ended.
struct WorkResult {
  // kDone, kFailed or kCancelled; or kWaiting: start again after `after`, which makes the same key,
  // has ended.
  StageStatus status = StageStatus::kDone;
  StageId after = {};
  bool ends_all = false;         // if kFailed: nothing else can succeed, so start nothing new
  bool ends_variations = false;  // if kFailed: start nothing that only the stage's variations want
  double seconds = 0;            // if kDone: how long it took; 0: unknown
};

class Scheduler;

struct ScheduleWork {
  // Starts a stage's work on one of Taskflow's threads. When the work is complete, somebody must
  // call Scheduler::end().
  std::function<void(StageId stage, Scheduler& scheduler)> start;
  // `because_of` failed, upstream or in all of its variations.
  std::function<void(StageId stage, StageId because_of)> skipped;
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

  void run_tasks();
  void release_threads();
  void run_task(const Task& task);
  // All below expect mutex_ to be held.
  void set(NodeId node, StageStatus status);  // the only function that changes a status
  void submit(Task task);
  void wait_for_end(std::unique_lock<std::mutex>& lock);
  void start_what_fits();
  void settle(NodeId node, const WorkResult& result);
  void release_successors(NodeId node);
  void restart_followers(NodeId node);
  void skip(NodeId node, StageId because_of);
  void skip_descendants(NodeId node, StageId because_of);
  void learn(StageId stage, double seconds);

  Schedule schedule_;
  const Graph& graph_;
  const ScheduleWork& work_;
  const Interrupt& interrupt_;

  std::mutex mutex_;
  std::condition_variable changed_;   // for run()
  std::condition_variable has_work_;  // for Taskflow's threads
  IndexedVector<NodeId, Node> nodes_;
  StartOrder ready_;
  std::deque<Task> tasks_;     // for Taskflow's threads, in this order
  std::vector<Task> delayed_;  // see post_later()
  int running_ = 0;            // stages
  bool stopping_ = false;
  bool has_ended_ = false;
  std::exception_ptr thrown_;  // the first exception that left a task
  int cpus_free_;
  std::uint64_t memory_free_;
};

}  // namespace headway
