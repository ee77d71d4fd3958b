#include "lib/analysis/pruning.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "lib/analysis/accuracy.h"
#include "lib/base/text.h"
#include "lib/numerics/random.h"

namespace headway {
namespace {

// Compares models with equally many components: by right answers, if there are any, then right
// tokens, then loss.
bool better(const Scores& a, const Scores& b, bool of_tokens) {
  if (!of_tokens && a.exact_count() != b.exact_count()) return a.exact_count() > b.exact_count();
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
        accuracy_(model.config(), measure),
        options_(options),
        team_(team),
        progress_(progress) {
    pruning_.components = components;
  }

  Pruning run() {
    rank_alone();
    search_greedily();
    measure_curves();
    return std::move(pruning_);
  }

 private:
  // Of all work, roughly.
  static constexpr double kSearched = 0.5;

  // Reports progress from here to `end`, a share of all work, while a split is scored.
  EachBatch up_to(double end, const Split& split) {
    const double begin = std::exchange(done_, end);
    return [this, begin, end, size = static_cast<double>(split.size())](std::int64_t samples) {
      progress_(begin + (end - begin) * static_cast<double>(samples) / size);
    };
  }
  // After step `step` of the greedy search; the first steps try more.
  double searched(std::size_t step) const {
    const double left =
        1 - static_cast<double>(step) / static_cast<double>(std::max<std::size_t>(1, all().size()));
    return kSearched * (1 - left * left);
  }

  const std::vector<Component>& all() const { return pruning_.components; }
  bool better(const Scores& a, const Scores& b) const {
    return headway::better(a, b, accuracy_.of_tokens());
  }

  // Each component removed alone, on `choose`.
  void rank_alone() {
    single_ = score_removals(model_, choose_, {}, units_of_each(all()), {}, team_,
                             up_to(searched(1), choose_))
                  .each;
    one_shot_.resize(all().size());
    std::iota(one_shot_.begin(), one_shot_.end(), 0);
    std::ranges::stable_sort(
        one_shot_, [&](std::size_t a, std::size_t b) { return better(single_[a], single_[b]); });
  }

  // In each step, the component that was best in the step before it, but for the one removed, is
  // tried first. It is often the best again; the others are given up when they are worse.
  void search_greedily() {
    std::vector<std::size_t> left = one_shot_;  // most promising first
    std::vector<Component>& removed = pruning_.greedy_order;
    while (!left.empty()) {
      if (!removed.empty()) left = ranked_after(removed, std::move(left));
      removed.push_back(all()[left.front()]);
      left.erase(left.begin());
    }
  }

  // The components that are left, best first as far as they were not given up.
  std::vector<std::size_t> ranked_after(const std::vector<Component>& removed,
                                        std::vector<std::size_t> left) {
    const double begin = done_, end = searched(removed.size() + 1);
    std::vector<Unit> gone = units_of(removed);
    const std::vector<Unit>& favourite = all()[left.front()].units;
    std::vector<Unit> with_favourite = gone;
    with_favourite.insert(with_favourite.end(), favourite.begin(), favourite.end());
    std::vector<Scores> scores = {score_removals(model_, choose_, with_favourite, {}, {}, team_,
                                                 up_to((begin + end) / 2, choose_))
                                      .base};
    RemovalSearch search;
    if (!accuracy_.of_tokens()) search.most_wrong = choose_.size() - scores.front().exact_count();
    std::vector<std::vector<Unit>> others;
    for (std::size_t i = 1; i < left.size(); ++i) others.push_back(all()[left[i]].units);
    std::ranges::move(
        score_removals(model_, choose_, gone, others, {}, team_, up_to(end, choose_), search).each,
        std::back_inserter(scores));
    std::vector<std::size_t> order(left.size());
    std::iota(order.begin(), order.end(), 0);
    // Of equals, the one that comes first in the model.
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
      if (better(scores[a], scores[b])) return true;
      return !better(scores[b], scores[a]) && left[a] < left[b];
    });
    std::vector<std::size_t> ranked;
    for (const std::size_t i : order) ranked.push_back(left[i]);
    return ranked;
  }

  std::vector<Component> drawn_order(int number) const {
    std::vector<Component> order = all();
    RandomStream(options_.seed, {static_cast<std::uint64_t>(number)}).shuffle(std::span(order));
    return order;
  }

  // Everything that is measured, at once: orders have much in common.
  void measure_curves() {
    std::vector<std::vector<Component>> orders = {pruning_.greedy_order, {}};
    for (const std::size_t i : one_shot_) orders[1].push_back(all()[i]);
    for (int i = 0; i < options_.random_orders; ++i) orders.push_back(drawn_order(i));

    std::vector<std::vector<Unit>> removals = units_of_each(all());
    for (const std::vector<Component>& order : orders) {
      for (std::size_t count = 1; count <= order.size(); ++count)
        removals.push_back(units_of(std::span(order).first(count)));
    }
    const RemovalScores scores =
        score_removals(model_, measure_, {}, removals, {}, team_, up_to(1, measure_));
    pruning_.whole = accuracy_.of(scores.base);
    std::size_t next = 0;  // score
    for (; next < all().size(); ++next) {
      // Compares counts: rounding may put a difference of shares just above whole points.
      const std::int64_t lost = accuracy_.right(scores.base) - accuracy_.right(scores.each[next]);
      pruning_.drops.push_back(100 * static_cast<double>(lost) /
                               static_cast<double>(accuracy_.count()));
    }
    std::vector<std::vector<CurvePoint>> curves;
    for (const std::vector<Component>& order : orders) {
      std::vector<CurvePoint>& points = curves.emplace_back();
      points.push_back({0, pruning_.whole, ""});
      for (const Component& component : order)
        points.push_back({points.size(), accuracy_.of(scores.each[next++]), component.label});
    }
    pruning_.curves = {{"greedy", curves[0]}, {"one-shot", curves[1]}};
    if (options_.random_orders > 0)
      pruning_.curves.push_back({"random", average_of(std::span(curves).subspan(2))});
  }

  static std::vector<CurvePoint> average_of(std::span<const std::vector<CurvePoint>> curves) {
    std::vector<CurvePoint> average(curves.front().size(), {0, {0, 1, 0}, ""});
    for (const std::vector<CurvePoint>& points : curves) {
      for (std::size_t k = 0; k < points.size(); ++k) {
        Interval& sum = average[k].accuracy;
        const double value = points[k].accuracy.value;
        average[k].removed = points[k].removed;
        sum.value += value / static_cast<double>(curves.size());
        sum.low = std::min(sum.low, value);
        sum.high = std::max(sum.high, value);
      }
    }
    return average;
  }

  const Transformer& model_;
  const Split& choose_;
  const Split& measure_;
  const Accuracy accuracy_;
  const PruningOptions& options_;
  ThreadTeam& team_;
  const PruningProgress& progress_;
  Pruning pruning_;
  std::vector<Scores> single_;         // each component removed alone, on `choose`
  std::vector<std::size_t> one_shot_;  // the components by these scores, best first
  double done_ = 0;                    // the share of all work, at the end of what is going on
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
