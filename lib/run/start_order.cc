#include "lib/run/start_order.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

namespace headway {
namespace {

constexpr double kPatience[] = {1, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1};
constexpr double kMostLonger = 1.03;  // the forecast is a guess: 5 % must not become more

// Without the time of stages in no variation, which come after all variations.
IndexedVector<StageId, double> seconds_in_variations(const Schedule& schedule) {
  IndexedVector<StageId, double> seconds = schedule.seconds;
  for (const StageId stage : seconds.ids()) {
    if (schedule.variations.rank(stage) == 0) seconds[stage] = 0;
  }
  return seconds;
}

// Runs a schedule on a clock that jumps from one end of a stage to the next.
class Simulation {
 public:
  Simulation(const Schedule& schedule, double patience)
      : schedule_(schedule),
        graph_(schedule.graph),
        order_(schedule, patience),
        missing_(graph_.size(), 0),
        released_(graph_.size(), false),
        ends_(graph_.stages, 0.0),
        cpus_free_(std::max(1, schedule.limits.cpus)),
        memory_free_(schedule.limits.memory) {}

  IndexedVector<StageId, double> run() {
    for (const NodeId node : missing_.ids()) {
      for (const NodeId upstream : graph_.waits_for[node])
        missing_[node] += schedule_.selected[upstream];
    }
    for (const NodeId node : graph_.order) {
      if (schedule_.selected[node] && missing_[node] == 0 && !released_[node]) make_ready(node);
    }
    start_what_fits();
    while (!running_.empty()) {
      const NodeId node = running_.top().second;
      ends_[graph_.stage_of(node)] = now_ = running_.top().first;
      running_.pop();
      cpus_free_ += schedule_.cpus_of(node);
      memory_free_ += schedule_.memory_of(node);
      release_successors(node);
      start_what_fits();
    }
    return std::move(ends_);
  }

 private:
  void make_ready(NodeId node) {
    released_[node] = true;
    if (graph_.is_stage(node))
      order_.add(node);
    else
      release_successors(node);  // fan-ins take no time
  }

  void release_successors(NodeId first) {
    std::vector<NodeId> open{first};
    while (!open.empty()) {
      const NodeId node = open.back();
      open.pop_back();
      for (const NodeId next : graph_.leads_to[node]) {
        if (!schedule_.selected[next] || --missing_[next] > 0) continue;
        released_[next] = true;
        if (graph_.is_stage(next))
          order_.add(next);
        else
          open.push_back(next);
      }
    }
  }

  void start_what_fits() {
    while (!order_.empty()) {
      const NodeId node = order_.next();
      if (schedule_.cpus_of(node) > cpus_free_ || schedule_.memory_of(node) > memory_free_) return;
      cpus_free_ -= schedule_.cpus_of(node);
      memory_free_ -= schedule_.memory_of(node);
      order_.remove(node);
      running_.emplace(now_ + schedule_.seconds[graph_.stage_of(node)], node);
    }
  }

  using Running = std::pair<double, NodeId>;  // (end, stage)

  const Schedule& schedule_;
  const Graph& graph_;
  StartOrder order_;
  IndexedVector<NodeId, std::size_t> missing_;
  NodeSet released_;
  IndexedVector<StageId, double> ends_;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  int cpus_free_;
  std::uint64_t memory_free_;
  double now_ = 0;
};

}  // namespace

int Schedule::cpus_of(NodeId node) const {
  return std::clamp(cpus[graph.stage_of(node)], 1, std::max(1, limits.cpus));
}

std::uint64_t Schedule::memory_of(NodeId node) const {
  return std::min(memory[graph.stage_of(node)], limits.memory);
}

StartOrder::StartOrder(const Schedule& schedule, double patience)
    : schedule_(&schedule),
      patience_(patience),
      paths_(longest_paths(schedule.graph, schedule.seconds)),
      paths_in_variations_(longest_paths(schedule.graph, seconds_in_variations(schedule))),
      removed_(schedule.graph.size(), false) {
  for (const StageId stage : schedule.seconds.ids()) {
    const NodeId node = schedule.graph.node_of(stage);
    if (schedule.selected[node]) work_left_ += work_of(node);
  }
}

void StartOrder::add(NodeId stage) {
  by_rank_.insert(by_rank(stage));
  if (schedule_->variations.rank(schedule_->graph.stage_of(stage)) > 0)
    by_path_.insert(by_path(stage));
}

NodeId StartOrder::next() const {
  const auto& [rank, path, stage] = *by_rank_.begin();
  if (rank == 0) return stage;
  const auto& [longest, urgent] = *by_path_.begin();
  const double fair_share = work_left_ / std::max(1, schedule_->limits.cpus);
  return -longest >= patience_ * fair_share ? urgent : stage;
}

void StartOrder::remove(NodeId stage) {
  by_rank_.erase(by_rank(stage));
  by_path_.erase(by_path(stage));
  if (!removed_[stage]) work_left_ -= work_of(stage);
  removed_[stage] = true;
}

StartOrder::ByRank StartOrder::by_rank(NodeId stage) const {
  return {schedule_->variations.rank(schedule_->graph.stage_of(stage)), -paths_[stage], stage};
}

double StartOrder::work_of(NodeId stage) const {
  const StageId id = schedule_->graph.stage_of(stage);
  return schedule_->variations.rank(id) == 0 ? 0
                                             : schedule_->seconds[id] * schedule_->cpus_of(stage);
}

IndexedVector<NodeId, double> longest_paths(const Graph& graph,
                                            const IndexedVector<StageId, double>& seconds) {
  IndexedVector<NodeId, double> longest(graph.size(), 0.0);
  for (auto node = graph.order.rbegin(); node != graph.order.rend(); ++node) {
    double after = 0;
    for (const NodeId next : graph.leads_to[*node]) after = std::max(after, longest[next]);
    longest[*node] = (graph.is_stage(*node) ? seconds[graph.stage_of(*node)] : 0) + after;
  }
  return longest;
}

IndexedVector<StageId, double> simulated_ends(const Schedule& schedule, double patience) {
  return Simulation(schedule, patience).run();
}

double best_patience(const Schedule& schedule) {
  const bool has_variations = std::ranges::any_of(
      schedule.seconds.ids(), [&](StageId stage) { return schedule.variations.rank(stage) > 0; });
  if (!has_variations) return 0;
  const auto seconds = [&](double patience) {
    return std::ranges::max(simulated_ends(schedule, patience));
  };
  const double shortest = seconds(0);
  for (const double patience : kPatience) {
    if (seconds(patience) <= kMostLonger * shortest) return patience;
  }
  return 0;
}

}  // namespace headway
