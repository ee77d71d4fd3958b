#include "lib/run/scheduler.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <taskflow/taskflow.hpp>
#include <thread>

#include "lib/base/thread.h"

namespace headway {

// Why Taskflow does not schedule: of 200 stages that wait for a process, 4 threads with blocking
// `dependent_async` tasks started 4. `corun_until` started all, but no successor ran before the
// stack of nested tasks had unwound. Semaphores need no threads, but do not choose: waiters got
// them in reverse order, and a stage that wanted all cpus came after 100 later ones.

constexpr auto kLater = std::chrono::milliseconds(20);

Scheduler::Scheduler(const Schedule& schedule, const ScheduleWork& work, const Interrupt& interrupt)
    : schedule_(schedule),
      graph_(schedule.graph),
      work_(work),
      interrupt_(interrupt),
      nodes_(schedule.graph.size()),
      ready_(schedule_, best_patience(schedule)),
      cpus_free_(std::max(1, schedule.limits.cpus) + schedule.limits.queued),
      memory_free_(schedule.limits.memory) {}

void Scheduler::run() {
  // Stages that wait for a process need no thread, so one thread per core is enough.
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto threads = static_cast<std::size_t>(std::min(cores, cpus_free_));
  check_room_for_threads(threads + 1);  // Taskflow aborts if it cannot start a thread
  {
    tf::Executor executor(threads);
    const std::shared_ptr<void> at_end(nullptr, [this](void*) { release_threads(); });
    for (std::size_t i = 0; i < threads; ++i) executor.silent_async([this] { run_tasks(); });
    std::unique_lock lock(mutex_);
    for (const NodeId node : nodes_.ids()) {
      for (const NodeId upstream : graph_.waits_for[node])
        nodes_[node].missing += schedule_.selected[upstream];
    }
    for (const NodeId node : nodes_.ids()) {
      if (schedule_.selected[node] && nodes_[node].missing == 0 &&
          nodes_[node].status == StageStatus::kWaiting)
        set(node, StageStatus::kReady);
    }
    start_what_fits();
    wait_for_end(lock);
  }
  if (thrown_) std::rethrow_exception(thrown_);
}

void Scheduler::release_threads() {
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  has_work_.notify_all();
}

// When nothing runs, nothing can become ready.
void Scheduler::wait_for_end(std::unique_lock<std::mutex>& lock) {
  while (running_ > 0) {
    changed_.wait(lock, [&] { return running_ == 0 || !delayed_.empty(); });
    if (delayed_.empty()) continue;
    changed_.wait_for(lock, kLater, [&] { return running_ == 0; });
    for (Task& task : std::exchange(delayed_, {})) submit(std::move(task));
  }
}

void Scheduler::post(StageId stage, std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  submit({stage, std::move(task)});
}

void Scheduler::post_later(StageId stage, std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  delayed_.push_back({stage, std::move(task)});
  changed_.notify_all();
}

void Scheduler::end(StageId stage, const WorkResult& result) {
  const std::lock_guard lock(mutex_);
  settle(graph_.node_of(stage), result);
  if (result.status == StageStatus::kDone) learn(stage, result.seconds);
  start_what_fits();
  if (running_ == 0) changed_.notify_all();
}

void Scheduler::submit(Task task) {
  tasks_.push_back(std::move(task));
  has_work_.notify_one();
}

// All the work of one of Taskflow's threads is a single task of Taskflow's. With one for each of
// ours, idle threads called sched_yield 85 times a stage before they slept, which took more of the
// processor than the rest of the engine; and tasks submitted from its own threads came in reverse
// order.
void Scheduler::run_tasks() {
  std::unique_lock lock(mutex_);
  for (;;) {
    has_work_.wait(lock, [&] { return has_ended_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    run_task(task);
    task = {};  // what it holds must not end under the lock
    lock.lock();
  }
}

// Taskflow would drop what follows if an exception left a task. What the work did not handle itself
// is lack of memory or a bug.
void Scheduler::run_task(const Task& task) {
  try {
    task.work();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (!thrown_) thrown_ = std::current_exception();
    const NodeId node = graph_.node_of(task.stage);
    if (nodes_[node].status == StageStatus::kRunning) set(node, StageStatus::kFailed);
    if (running_ == 0) changed_.notify_all();
  }
}

void Scheduler::set(NodeId node, StageStatus status) {
  const StageStatus before = std::exchange(nodes_[node].status, status);
  if (before == StageStatus::kRunning) {
    cpus_free_ += schedule_.cpus_of(node);
    memory_free_ += schedule_.memory_of(node);
    --running_;
  }
  if (status == StageStatus::kRunning) {
    cpus_free_ -= schedule_.cpus_of(node);
    memory_free_ -= schedule_.memory_of(node);
    ++running_;
  }
  if (status == StageStatus::kReady) {
    if (graph_.is_stage(node))
      ready_.add(node);
    else
      release_successors(node);  // fan-ins have no work
  }
}

// Strictly in order: a large stage at the front is never overtaken, so it cannot starve.
void Scheduler::start_what_fits() {
  while (!stopping_ && !interrupt_.requested() && !ready_.empty()) {
    const NodeId node = ready_.next();
    if (schedule_.cpus_of(node) > cpus_free_ || schedule_.memory_of(node) > memory_free_) return;
    ready_.remove(node);
    set(node, StageStatus::kRunning);
    const StageId stage = graph_.stage_of(node);
    submit({stage, [this, stage] { work_.start(stage, *this); }});
  }
}

void Scheduler::settle(NodeId node, const WorkResult& result) {
  set(node, result.status);
  switch (result.status) {
    case StageStatus::kDone:
      release_successors(node);
      break;
    case StageStatus::kFailed:
      stopping_ = stopping_ || !schedule_.limits.keep_going || result.ends_all;
      skip_descendants(node, graph_.stage_of(node));
      if (result.ends_variations) {
        for (const StageId other : schedule_.variations.give_up(graph_.stage_of(node)))
          skip(graph_.node_of(other), graph_.stage_of(node));
      }
      restart_followers(node);
      break;
    case StageStatus::kCancelled:
      stopping_ = true;
      restart_followers(node);
      break;
    default: {  // it waits for another stage that makes the same key
      Node& other = nodes_[graph_.node_of(result.after)];
      if (other.status <= StageStatus::kRunning)
        other.followers.push_back(graph_.stage_of(node));
      else
        set(node, StageStatus::kReady);
    }
  }
}

// Uses an explicit stack: a fan-in that ends may end the next one, and so on.
void Scheduler::release_successors(NodeId first) {
  std::vector<NodeId> open{first};
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    set(node, StageStatus::kDone);
    restart_followers(node);
    for (const NodeId next : graph_.leads_to[node]) {
      Node& successor = nodes_[next];
      if (!schedule_.selected[next] || successor.status != StageStatus::kWaiting ||
          --successor.missing > 0)
        continue;
      if (graph_.is_stage(next))
        set(next, StageStatus::kReady);
      else
        open.push_back(next);
    }
  }
}

void Scheduler::restart_followers(NodeId node) {
  for (const StageId follower : std::exchange(nodes_[node].followers, {})) {
    if (nodes_[graph_.node_of(follower)].status == StageStatus::kWaiting)
      set(graph_.node_of(follower), StageStatus::kReady);
  }
}

void Scheduler::skip(NodeId node, StageId because_of) {
  if (!schedule_.selected[node] || nodes_[node].status > StageStatus::kReady) return;
  ready_.remove(node);
  set(node, StageStatus::kSkipped);
  work_.skipped(graph_.stage_of(node), because_of);
  skip_descendants(node, because_of);
}

void Scheduler::skip_descendants(NodeId lost, StageId because_of) {
  std::vector<NodeId> open{lost};
  std::vector<NodeId> complete;  // tolerant nodes that no longer wait for anything
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    for (const NodeId next : graph_.leads_to[node]) {
      if (!schedule_.selected[next] || nodes_[next].status != StageStatus::kWaiting) continue;
      if (graph_.is_tolerant(next)) {
        if (--nodes_[next].missing == 0) complete.push_back(next);
        continue;
      }
      set(next, StageStatus::kSkipped);
      if (graph_.is_stage(next)) {
        ready_.remove(next);
        work_.skipped(graph_.stage_of(next), because_of);
      }
      open.push_back(next);
    }
  }
  for (const NodeId node : complete) set(node, StageStatus::kReady);
}

// Short stages need no better guess.
void Scheduler::learn(StageId stage, double seconds) {
  constexpr double kShort = 1;
  if (schedule_.kinds.empty() || schedule_.kinds[stage] == 0 || seconds < kShort) return;
  const std::size_t kind = schedule_.kinds[stage];
  for (const StageId other : schedule_.kinds.ids()) {
    if (schedule_.kinds[other] != kind) continue;
    schedule_.seconds[other] = seconds;
    schedule_.kinds[other] = 0;
  }
  // What has started counts as done: it makes little difference to what starts next.
  Schedule left = schedule_;
  for (const NodeId node : nodes_.ids()) {
    if (nodes_[node].status > StageStatus::kReady) left.selected[node] = false;
  }
  StartOrder order(schedule_, best_patience(left));
  for (const StageId other : schedule_.kinds.ids()) {
    const NodeId node = graph_.node_of(other);
    if (nodes_[node].status == StageStatus::kReady) order.add(node);
    if (nodes_[node].status > StageStatus::kReady) order.remove(node);
  }
  ready_ = std::move(order);
}

}  // namespace headway
