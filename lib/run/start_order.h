// Which of the stages that are ready starts next: stages without a variation, then the first
// variation's, and among equals the longest path. So variations end one after another and not all
// at the end.
//
// That could leave a long path for the end, when there is nothing else to do beside it. So a stage
// starts before its turn if its path is long, compared with the work that is left for all cpus
// together. How long is long enough is `patience`: with 1 it must be all of that work, and with 0
// the longest path always comes first. best_patience() tries it out in a simulated run.
#pragma once

#include <set>
#include <tuple>
#include <utility>

#include "lib/run/schedule.h"

namespace headway {

class StartOrder {
 public:
  // `schedule` must outlive the StartOrder.
  StartOrder(const Schedule& schedule, double patience);

  void add(NodeId stage);  // that is ready
  bool empty() const { return by_rank_.empty(); }
  NodeId next() const;        // of those that are ready; there must be one
  void remove(NodeId stage);  // it starts, or never will; ready or not

 private:
  using ByRank = std::tuple<std::size_t, double, NodeId>;  // (rank, -path, stage)
  using ByPath = std::pair<double, NodeId>;                // (-path inside variations, stage)

  ByRank by_rank(NodeId stage) const;
  ByPath by_path(NodeId stage) const { return {-paths_in_variations_[stage], stage}; }
  double work_of(NodeId stage) const;

  const Schedule* schedule_;
  double patience_;
  IndexedVector<NodeId, double> paths_;
  IndexedVector<NodeId, double> paths_in_variations_;
  std::set<ByRank> by_rank_;  // all that are ready
  std::set<ByPath> by_path_;  // of these, those in variations
  NodeSet removed_;
  double work_left_ = 0;  // of stages in variations: seconds of one cpu
};

// Longest path from each node to an end, in seconds.
IndexedVector<NodeId, double> longest_paths(const Graph& graph,
                                            const IndexedVector<StageId, double>& seconds);

// When each stage ends, in seconds from the start, if all durations are as expected.
IndexedVector<StageId, double> simulated_ends(const Schedule& schedule, double patience);

// The most patience that makes the run hardly longer than the longest path first would.
double best_patience(const Schedule& schedule);

}  // namespace headway
