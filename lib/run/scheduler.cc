#include "lib/run/scheduler.h"

#include <algorithm>
#include <chrono>
#include <taskflow/taskflow.hpp>
#include <thread>

#include "lib/base/thread.h"

namespace headway {
namespace {

constexpr auto kLater = std::chrono::milliseconds(20);

}  // namespace

Scheduler::Scheduler(const Schedule& schedule, const ScheduleWork& work, const Interrupt& interrupt)
    : schedule_(schedule),
      work_(work),
      interrupt_(interrupt),
      priority_(longest_paths(schedule.graph, schedule.seconds)),
      nodes_(schedule.graph.size()),
      cpus_free_(std::max(1, schedule.cpu_limit)),
      memory_free_(schedule.memory_limit) {}

void Scheduler::run() {
  // What a stage does outside needs no thread, so more than the machine has cores are of no use.
  const auto threads = static_cast<std::size_t>(std::clamp(
      static_cast<int>(std::thread::hardware_concurrency()), 1, std::max(1, schedule_.cpu_limit)));
  check_room_for_threads(threads);  // Taskflow ends the process where it cannot start one
  tf::Executor executor(threads);
  executor_ = &executor;
  {
    std::unique_lock lock(mutex_);
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (!schedule_.selected[node]) continue;
      for (const int upstream : schedule_.graph.waits_for[node])
        nodes_[node].missing += schedule_.selected[static_cast<std::size_t>(upstream)];
    }
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (schedule_.selected[node] && nodes_[node].missing == 0 &&
          nodes_[node].state == State::kWaiting)
        make_ready(static_cast<int>(node));
    }
    start_what_fits();
    work_off(lock);
  }
  executor.wait_for_all();
  if (thrown_) std::rethrow_exception(thrown_);
}

// Until nothing runs any more, which is when nothing can start any more.
void Scheduler::work_off(std::unique_lock<std::mutex>& lock) {
  while (running_ > 0) {
    changed_.wait(lock, [&] { return running_ == 0 || !delayed_.empty(); });
    if (delayed_.empty()) continue;
    changed_.wait_for(lock, kLater, [&] { return running_ == 0; });
    for (Task& task : std::exchange(delayed_, {})) submit(std::move(task));
  }
}

void Scheduler::post(int node, std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  submit({node, std::move(task)});
}

void Scheduler::post_later(int node, std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  delayed_.push_back({node, std::move(task)});
  changed_.notify_all();
}

void Scheduler::end(int node, const NodeResult& result) {
  const std::lock_guard lock(mutex_);
  end_running(node);
  settle(node, result);
  start_what_fits();
}

// Taskflow runs what one of its threads submits in reverse order. So its tasks are all the same:
// each takes the first of ours.
void Scheduler::submit(Task task) {
  tasks_.push_back(std::move(task));
  executor_->silent_async([this] { run_next_task(); });
}

void Scheduler::run_next_task() {
  Task task;
  {
    const std::lock_guard lock(mutex_);
    task = std::move(tasks_.front());
    tasks_.pop_front();
  }
  // Nothing may leave a task: Taskflow would drop what follows. What the work could not handle
  // itself is a lack of memory, or a mistake of ours.
  try {
    task.work();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (!thrown_) thrown_ = std::current_exception();
    if (nodes_[static_cast<std::size_t>(task.node)].state == State::kRunning)
      end_running(task.node);
  }
}

void Scheduler::make_ready(int node) {
  nodes_[static_cast<std::size_t>(node)].state = State::kReady;
  if (!schedule_.graph.is_stage(node)) {
    release_successors(node);  // a fan-in has no work of its own
    return;
  }
  ready_.emplace(-priority_[static_cast<std::size_t>(node)], node);
}

int Scheduler::cpus_of(int node) const {
  return std::clamp(schedule_.cpus[static_cast<std::size_t>(node)], 1,
                    std::max(1, schedule_.cpu_limit));
}
std::uint64_t Scheduler::memory_of(int node) const {
  return std::min(schedule_.memory[static_cast<std::size_t>(node)], schedule_.memory_limit);
}

// Strictly in order: what comes first is never overtaken for being large, so it cannot starve.
void Scheduler::start_what_fits() {
  while (!stopping_ && !interrupt_.requested() && !ready_.empty()) {
    const int node = ready_.begin()->second;
    if (cpus_of(node) > cpus_free_ || memory_of(node) > memory_free_) return;
    ready_.erase(ready_.begin());
    cpus_free_ -= cpus_of(node);
    memory_free_ -= memory_of(node);
    nodes_[static_cast<std::size_t>(node)].state = State::kRunning;
    submit({node, [this, node] { work_.start(node, *this); }});
    ++running_;
  }
}

// Gives back what the node claimed.
void Scheduler::end_running(int node) {
  nodes_[static_cast<std::size_t>(node)].state = State::kEnded;
  cpus_free_ += cpus_of(node);
  memory_free_ += memory_of(node);
  if (--running_ == 0) changed_.notify_all();
}

void Scheduler::settle(int node, const NodeResult& result) {
  switch (result.kind) {
    case NodeResult::Kind::kDone:
      release_successors(node);
      break;
    case NodeResult::Kind::kFailed:
      skip_descendants(node);
      stopping_ = stopping_ || !schedule_.keep_going || result.ends_all;
      end_without_successors(node);
      break;
    case NodeResult::Kind::kCancelled:
      stopping_ = true;
      end_without_successors(node);
      break;
    case NodeResult::Kind::kAfter: {
      Node& other = nodes_[static_cast<std::size_t>(result.after)];
      nodes_[static_cast<std::size_t>(node)].state = State::kWaiting;
      if (other.state == State::kEnded) {
        make_ready(node);
      } else {
        other.followers.push_back(node);
      }
      break;
    }
  }
}

// With a stack of its own: a fan-in that ends may end what follows it, and so on.
void Scheduler::release_successors(int first) {
  std::vector<int> open{first};
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    end_without_successors(node);
    for (const int next : schedule_.graph.leads_to[static_cast<std::size_t>(node)]) {
      Node& successor = nodes_[static_cast<std::size_t>(next)];
      if (!schedule_.selected[static_cast<std::size_t>(next)] ||
          successor.state != State::kWaiting || --successor.missing > 0)
        continue;
      successor.state = State::kReady;
      if (schedule_.graph.is_stage(next)) {
        ready_.emplace(-priority_[static_cast<std::size_t>(next)], next);
      } else {
        open.push_back(next);
      }
    }
  }
}

void Scheduler::end_without_successors(int node) {
  Node& ended = nodes_[static_cast<std::size_t>(node)];
  ended.state = State::kEnded;
  for (const int follower : std::exchange(ended.followers, {})) make_ready(follower);
}

void Scheduler::skip_descendants(int node) {
  std::vector<int> open{node};
  std::vector<int> complete;  // tolerant ones that have waited for nothing else
  while (!open.empty()) {
    const int from = open.back();
    open.pop_back();
    for (const int next : schedule_.graph.leads_to[static_cast<std::size_t>(from)]) {
      Node& successor = nodes_[static_cast<std::size_t>(next)];
      if (!schedule_.selected[static_cast<std::size_t>(next)] || successor.state != State::kWaiting)
        continue;
      if (schedule_.graph.is_tolerant(next)) {
        if (--successor.missing == 0) complete.push_back(next);
        continue;
      }
      successor.state = State::kSkipped;
      if (schedule_.graph.is_stage(next)) work_.skipped(next, node);
      open.push_back(next);
    }
  }
  for (const int ready : complete) release_successors(ready);
}

std::vector<double> longest_paths(const Graph& graph, const std::vector<double>& seconds) {
  std::vector<double> longest(graph.size(), 0);
  for (auto node = graph.order.rbegin(); node != graph.order.rend(); ++node) {
    const auto index = static_cast<std::size_t>(*node);
    double after = 0;
    for (const int next : graph.leads_to[index])
      after = std::max(after, longest[static_cast<std::size_t>(next)]);
    longest[index] = (graph.is_stage(*node) ? seconds[index] : 0) + after;
  }
  return longest;
}

}  // namespace headway
