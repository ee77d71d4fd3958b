#include "lib/analysis/pruning.h"

#include <algorithm>
#include <numeric>

#include "lib/base/text.h"
#include "lib/numerics/random.h"

namespace headway {
namespace {

// Compares models with equally many components: by right answers, then right tokens, then loss.
bool better(const Scores& a, const Scores& b) {
  if (a.exact_count() != b.exact_count()) return a.exact_count() > b.exact_count();
  if (a.sums.right_tokens != b.sums.right_tokens) return a.sums.right_tokens > b.sums.right_tokens;
  return a.sums.loss < b.sums.loss;
}

class Pruner {
 public:
  Pruner(const Transformer& model, const std::vector<Component>& components, const Split& choose,
         const Split& measure, const PruningOptions& options, ThreadTeam& team,
         const PruningProgress& progress)
      : model_(model),
        choose_(choose),
        measure_(measure),
        options_(options),
        team_(team),
        progress_(progress) {
    pruning_.components = components;
    const auto count = static_cast<double>(components.size());
    // In passes over one sample; trying a removal costs about half a pass.
    all_work_ = static_cast<double>(choose.size()) * count * count / 4 +
                static_cast<double>(measure.size()) *
                    (count / 2 + count * (2 + static_cast<double>(options.random_orders)));
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

  // Between batches: says again how far it is, which may stop it.
  EachBatch keep_on() const {
    return [this](std::int64_t) { progress_(std::min(1.0, work_ / all_work_)); };
  }

  void measure_alone() {
    const RemovalScores scores =
        score_removals(model_, measure_, {}, pruning_.components, {}, team_, keep_on());
    pruning_.whole = share_interval(scores.base.exact_count(), measure_.size());
    for (const Scores& each : scores.each) {
      // Compares counts: rounding may put a difference of shares just above whole points.
      const std::int64_t lost = scores.base.exact_count() - each.exact_count();
      pruning_.drops.push_back(100 * static_cast<double>(lost) /
                               static_cast<double>(measure_.size()));
    }
    did(static_cast<double>(measure_.size()) * static_cast<double>(pruning_.components.size()) / 2);
  }

  void follow_greedy() {
    std::vector<Component> left = pruning_.components, removed;
    while (!left.empty()) {
      const RemovalScores scores =
          score_removals(model_, choose_, units_of(removed), left, {}, team_, keep_on());
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
    std::vector<std::size_t> order(pruning_.components.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return better(single_[a], single_[b]); });
    std::vector<Component> ranked;
    for (const std::size_t i : order) ranked.push_back(pruning_.components[i]);
    pruning_.curves.push_back({"one-shot", points_along(ranked)});
  }

  void follow_random() {
    std::vector<CurvePoint> all;
    for (int i = 0; i < options_.random_orders; ++i) {
      std::vector<Component> order = pruning_.components;
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

  std::vector<CurvePoint> points_along(const std::vector<Component>& order) {
    std::vector<CurvePoint> points = {{0, pruning_.whole, ""}};
    std::vector<Component> removed;
    for (const Component& component : order) {
      removed.push_back(component);
      const Scores scores =
          score_removals(model_, measure_, units_of(removed), {}, {}, team_, keep_on()).base;
      points.push_back(
          {removed.size(), share_interval(scores.exact_count(), measure_.size()), component.label});
      did(static_cast<double>(measure_.size()));
    }
    return points;
  }

  const Transformer& model_;
  const Split& choose_;
  const Split& measure_;
  const PruningOptions& options_;
  ThreadTeam& team_;
  const PruningProgress& progress_;
  Pruning pruning_;
  std::vector<Scores> single_;  // each component removed alone, on `choose`
  double all_work_ = 0;
  double work_ = 0;
};

}  // namespace

std::size_t Pruning::individually(double points) const {
  return static_cast<std::size_t>(
      std::count_if(drops.begin(), drops.end(), [&](double drop) { return drop <= points; }));
}

std::vector<Component> Pruning::together(double points) const {
  constexpr double kRounding = 1e-9;  // because 100 * (1 - 0.99) is more than 1
  std::size_t longest = 0;
  for (const CurvePoint& point : curves.front().points) {
    if (100 * (whole.value - point.accuracy.value) <= points + kRounding) longest = point.removed;
  }
  return {greedy_order.begin(), greedy_order.begin() + static_cast<std::ptrdiff_t>(longest)};
}

Pruning prune(const Transformer& model, const std::vector<Component>& components,
              const Split& choose, const Split& measure, const PruningOptions& options,
              ThreadTeam& team, const PruningProgress& progress) {
  return Pruner(model, components, choose, measure, options, team, progress).run();
}

Table curve_table(const Pruning& pruning) {
  Table table({"strategy", "removed", "accuracy", "low", "high", "unit"});
  for (const PruningCurve& curve : pruning.curves) {
    for (const CurvePoint& point : curve.points)
      table.add({curve.strategy, std::to_string(point.removed), number_text(point.accuracy.value),
                 number_text(point.accuracy.low), number_text(point.accuracy.high), point.unit});
  }
  return table;
}

Table tolerance_table(const Pruning& pruning, const std::vector<double>& tolerances) {
  Table table({"tolerance", "individually", "together", "accuracy", "units"});
  for (const double tolerance : tolerances) {
    const std::vector<Component> removed = pruning.together(tolerance);
    const std::vector<std::string> labels = texts_of(removed, &Component::label);
    table.add({number_text(tolerance), std::to_string(pruning.individually(tolerance)),
               std::to_string(removed.size()),
               number_text(pruning.curves.front().points[removed.size()].accuracy.value),
               join(labels, "; ")});
  }
  return table;
}

}  // namespace headway
