#include "lib/run/scheduler.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <taskflow/taskflow.hpp>
#include <utility>

#include "lib/numerics/thread_team.h"

namespace headway {
namespace {

class Scheduler {
 public:
  Scheduler(const Schedule& schedule, const ScheduleWork& work, const Interrupt& interrupt)
      : schedule_(schedule),
        work_(work),
        interrupt_(interrupt),
        priority_(longest_paths(schedule.graph, schedule.seconds)),
        nodes_(schedule.graph.size()),
        cpus_free_(std::max(1, schedule.cpu_limit)),
        memory_free_(schedule.memory_limit) {}

  void run() {
    const auto threads = static_cast<std::size_t>(cpus_free_);
    // Taskflow ends the process where it cannot start one of its threads. So see first that there
    // is room for as many.
    { const ThreadTeam room(threads + 1); }
    tf::Executor executor(threads);
    executor_ = &executor;
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
    idle_.wait(lock, [&] { return running_ == 0; });
    lock.unlock();
    executor.wait_for_all();
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  enum class State : char { kWaiting, kReady, kRunning, kEnded, kSkipped };
  struct Node {
    State state = State::kWaiting;
    std::size_t missing = 0;     // upstream nodes still to end
    std::vector<int> followers;  // that make the same thing and wait for it
  };
  // Ordered so that the first one is the one to start next.
  using Ready = std::pair<double, int>;  // (-priority, node)

  // All below are called with mutex_ held, but for execute().

  void make_ready(int node) {
    nodes_[static_cast<std::size_t>(node)].state = State::kReady;
    if (!schedule_.graph.is_stage(node)) {
      end(node);  // a fan-in has no work of its own
      return;
    }
    ready_.emplace(-priority_[static_cast<std::size_t>(node)], node);
  }

  int cpus_of(int node) const {
    return std::clamp(schedule_.cpus[static_cast<std::size_t>(node)], 1,
                      std::max(1, schedule_.cpu_limit));
  }
  std::uint64_t memory_of(int node) const {
    return std::min(schedule_.memory[static_cast<std::size_t>(node)], schedule_.memory_limit);
  }

  // Strictly in order: what comes first is never overtaken for being large, so it cannot starve.
  void start_what_fits() {
    while (!stopping_ && !interrupt_.requested() && !ready_.empty()) {
      const int node = ready_.begin()->second;
      if (cpus_of(node) > cpus_free_ || memory_of(node) > memory_free_) return;
      ready_.erase(ready_.begin());
      cpus_free_ -= cpus_of(node);
      memory_free_ -= memory_of(node);
      nodes_[static_cast<std::size_t>(node)].state = State::kRunning;
      executor_->silent_async([this, node] { execute(node); });
      ++running_;  // after it: it may throw, and what runs waits for mutex_ before it ends
    }
  }

  void execute(int node) {
    std::exception_ptr thrown;
    NodeResult result;
    try {
      result = work_.run(node);
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    try {
      if (thrown) std::rethrow_exception(thrown);
      cpus_free_ += cpus_of(node);
      memory_free_ += memory_of(node);
      settle(node, result);
      start_what_fits();
    } catch (...) {  // what `work_` could not handle itself: no memory, or a mistake of ours
      stopping_ = true;
      if (!thrown_) thrown_ = std::current_exception();
    }
    if (--running_ == 0) idle_.notify_all();
  }

  void settle(int node, const NodeResult& result) {
    switch (result.kind) {
      case NodeResult::Kind::kDone:
        end(node);
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
  void end(int first) {
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

  void end_without_successors(int node) {
    Node& ended = nodes_[static_cast<std::size_t>(node)];
    ended.state = State::kEnded;
    for (const int follower : std::exchange(ended.followers, {})) make_ready(follower);
  }

  void skip_descendants(int node) {
    std::vector<int> open{node};
    std::vector<int> complete;  // tolerant ones that have waited for nothing else
    while (!open.empty()) {
      const int from = open.back();
      open.pop_back();
      for (const int next : schedule_.graph.leads_to[static_cast<std::size_t>(from)]) {
        Node& successor = nodes_[static_cast<std::size_t>(next)];
        if (!schedule_.selected[static_cast<std::size_t>(next)] ||
            successor.state != State::kWaiting)
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
    for (const int ready : complete) end(ready);
  }

  const Schedule& schedule_;
  const ScheduleWork& work_;
  const Interrupt& interrupt_;
  const std::vector<double> priority_;
  tf::Executor* executor_ = nullptr;

  std::mutex mutex_;
  std::condition_variable idle_;
  std::vector<Node> nodes_;
  std::set<Ready> ready_;
  int running_ = 0;
  bool stopping_ = false;
  std::exception_ptr thrown_;  // the first that came out of a task
  int cpus_free_;
  std::uint64_t memory_free_;
};

}  // namespace

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

void run_schedule(const Schedule& schedule, const ScheduleWork& work, const Interrupt& interrupt) {
  Scheduler(schedule, work, interrupt).run();
}

}  // namespace headway
