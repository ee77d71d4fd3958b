#include "lib/analysis/pruning.h"

#include <algorithm>
#include <numeric>

#include "lib/base/text.h"
#include "lib/numerics/random.h"

namespace headway {
namespace {

// Compares models with equally many heads: by right answers, then right tokens, then loss.
bool better(const Seq2SeqScores& a, const Seq2SeqScores& b) {
  if (a.exact_count() != b.exact_count()) return a.exact_count() > b.exact_count();
  if (a.right_tokens != b.right_tokens) return a.right_tokens > b.right_tokens;
  return a.loss_sum < b.loss_sum;
}

class Pruner {
 public:
  Pruner(const Seq2Seq& model, const Seq2SeqSplit& choose, const Seq2SeqSplit& measure,
         const PruningOptions& options, ThreadTeam& team, const PruningProgress& progress)
      : model_(model),
        choose_(choose),
        measure_(measure),
        options_(options),
        team_(team),
        progress_(progress) {
    pruning_.heads = model.config().heads();
    const auto heads = static_cast<double>(pruning_.heads.size());
    // In passes over one sample; trying a removal costs about half a pass.
    all_work_ = static_cast<double>(choose.size()) * heads * heads / 4 +
                static_cast<double>(measure.size()) *
                    (heads / 2 + heads * (2 + static_cast<double>(options.random_orders)));
  }

  Pruning run() {
    measure_alone();
    follow_greedy();
    follow_one_shot();
    if (options_.random_orders > 0) follow_random();
    return std::move(pruning_);
  }

 private:
  void did(double work) {
    work_ += work;
    progress_(std::min(1.0, work_ / all_work_));
  }

  void measure_alone() {
    const RemovalScores scores = score_removals(model_, measure_, {}, pruning_.heads, {}, team_);
    pruning_.whole = share_interval(scores.base.exact_count(), measure_.size());
    for (const Seq2SeqScores& each : scores.each) {
      // Compares counts: rounding may put a difference of shares just above whole points.
      const std::int64_t lost = scores.base.exact_count() - each.exact_count();
      pruning_.drops.push_back(100 * static_cast<double>(lost) /
                               static_cast<double>(measure_.size()));
    }
    did(static_cast<double>(measure_.size()) * static_cast<double>(pruning_.heads.size()) / 2);
  }

  void follow_greedy() {
    std::vector<HeadId> left = pruning_.heads, removed;
    while (!left.empty()) {
      const RemovalScores scores = score_removals(model_, choose_, removed, left, {}, team_);
      if (removed.empty()) single_ = scores.each;
      std::size_t best = 0;
      for (std::size_t i = 1; i < left.size(); ++i) {
        if (better(scores.each[i], scores.each[best])) best = i;
      }
      did(static_cast<double>(choose_.size()) * static_cast<double>(left.size()) / 2);
      removed.push_back(left[best]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    }
    pruning_.greedy_order = removed;
    pruning_.curves.push_back({"greedy", points_along(removed)});
  }

  void follow_one_shot() {
    std::vector<std::size_t> order(pruning_.heads.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return better(single_[a], single_[b]); });
    std::vector<HeadId> heads;
    for (const std::size_t i : order) heads.push_back(pruning_.heads[i]);
    pruning_.curves.push_back({"one-shot", points_along(heads)});
  }

  void follow_random() {
    std::vector<CurvePoint> all;
    for (int i = 0; i < options_.random_orders; ++i) {
      std::vector<HeadId> order = pruning_.heads;
      RandomStream(options_.seed, {static_cast<std::uint64_t>(i)}).shuffle(std::span(order));
      const std::vector<CurvePoint> points = points_along(order);
      if (all.empty()) all.assign(points.size(), {0, {0, 1, 0}, ""});
      for (std::size_t k = 0; k < points.size(); ++k) {
        Interval& sum = all[k].accuracy;
        const double value = points[k].accuracy.value;
        all[k].removed = points[k].removed;
        sum.value += value / options_.random_orders;
        sum.low = std::min(sum.low, value);
        sum.high = std::max(sum.high, value);
      }
    }
    pruning_.curves.push_back({"random", std::move(all)});
  }

  std::vector<CurvePoint> points_along(const std::vector<HeadId>& order) {
    std::vector<CurvePoint> points = {{0, pruning_.whole, ""}};
    std::vector<HeadId> removed;
    for (const HeadId& head : order) {
      removed.push_back(head);
      const HeadReplacement zero;
      const Seq2SeqScores scores =
          score(model_, measure_, team_, removing(model_.config(), removed, zero));
      points.push_back({removed.size(), share_interval(scores.exact_count(), measure_.size()),
                        model_.config().label(head)});
      did(static_cast<double>(measure_.size()));
    }
    return points;
  }

  const Seq2Seq& model_;
  const Seq2SeqSplit& choose_;
  const Seq2SeqSplit& measure_;
  const PruningOptions& options_;
  ThreadTeam& team_;
  const PruningProgress& progress_;
  Pruning pruning_;
  std::vector<Seq2SeqScores> single_;  // each head removed alone, on `choose`
  double all_work_ = 0;
  double work_ = 0;
};

}  // namespace

std::size_t Pruning::individually(double points) const {
  return static_cast<std::size_t>(
      std::count_if(drops.begin(), drops.end(), [&](double drop) { return drop <= points; }));
}

std::vector<HeadId> Pruning::together(double points) const {
  constexpr double kRounding = 1e-9;  // because 100 * (1 - 0.99) is more than 1
  std::size_t longest = 0;
  for (const CurvePoint& point : curves.front().points) {
    if (100 * (whole.value - point.accuracy.value) <= points + kRounding) longest = point.removed;
  }
  return {greedy_order.begin(), greedy_order.begin() + static_cast<std::ptrdiff_t>(longest)};
}

Pruning prune_heads(const Seq2Seq& model, const Seq2SeqSplit& choose, const Seq2SeqSplit& measure,
                    const PruningOptions& options, ThreadTeam& team,
                    const PruningProgress& progress) {
  return Pruner(model, choose, measure, options, team, progress).run();
}

Table curve_table(const Pruning& pruning) {
  Table table({"strategy", "removed", "accuracy", "low", "high", "head"});
  for (const PruningCurve& curve : pruning.curves) {
    for (const CurvePoint& point : curve.points)
      table.add({curve.strategy, std::to_string(point.removed), number_text(point.accuracy.value),
                 number_text(point.accuracy.low), number_text(point.accuracy.high), point.head});
  }
  return table;
}

Table tolerance_table(const Pruning& pruning, const Seq2SeqConfig& config,
                      const std::vector<double>& tolerances) {
  Table table({"tolerance", "individually", "together", "accuracy", "heads"});
  for (const double tolerance : tolerances) {
    const std::vector<HeadId> removed = pruning.together(tolerance);
    std::vector<std::string> labels;
    for (const HeadId& head : removed) labels.push_back(config.label(head));
    table.add({number_text(tolerance), std::to_string(pruning.individually(tolerance)),
               std::to_string(removed.size()),
               number_text(pruning.curves.front().points[removed.size()].accuracy.value),
               join(labels, "; ")});
  }
  return table;
}

}  // namespace headway
