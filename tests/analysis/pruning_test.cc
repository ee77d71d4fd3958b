#include "lib/analysis/pruning.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "tests/nn/tiny_models.h"
#include "tests/train/half_trained.h"

namespace headway::testing {
namespace {

struct Case {
  ModelKind kind = ModelKind::kEncoderDecoder;
  std::vector<ComponentKind> kinds = {ComponentKind::kHead, ComponentKind::kFeed};
  std::size_t team_size = 2;
  PruningOptions options;
};

struct Pruned {
  const Checkpoint& checkpoint;
  std::vector<Component> components;
  Split choose, measure;
  std::vector<double> reported;
  Pruning pruning;

  explicit Pruned(const Case& with = {}) : Pruned(with, uneven_data(with.kind, 90, 3)) {}
  Pruned(const Case& with, const Split& choose_on)
      : checkpoint(half_trained_on_uneven(with.kind)),
        components(components_of(checkpoint.config, with.kinds)),
        choose(choose_on),
        measure(uneven_data(with.kind, 170)) {
    ThreadTeam team(with.team_size);
    pruning = prune(model(), components, choose, measure, with.options, team,
                    [&](double share) { reported.push_back(share); });
  }
  Transformer model() const {
    return checkpoint.model(positions_needed(checkpoint.config, measure));
  }
  // Of the model without them, which is smaller.
  Scores scores(const Split& split, const std::vector<Component>& removed) const {
    ThreadTeam team(1);
    const Checkpoint smaller = without_units(checkpoint, units_of(removed));
    return score(smaller.model(positions_needed(smaller.config, split)), split, team);
  }
  double accuracy(const std::vector<Component>& removed) const {
    return scores(measure, removed).exact_match();
  }
};

const std::vector<Case> kCases = {
    {},
    {.kind = ModelKind::kDecoder, .options = {}},
    {.kind = ModelKind::kEncoder, .options = {}},
    {.kind = ModelKind::kEncoderDecoder, .kinds = {ComponentKind::kBlock}, .options = {}}};

TEST_CASE("every curve goes from the full model to one without components") {
  for (const Case& with : kCases) {
    const Pruned pruned(with);
    REQUIRE(pruned.pruning.curves.size() == 3);
    CHECK(pruned.pruning.whole.value == pruned.accuracy({}));
    for (const PruningCurve& curve : pruned.pruning.curves) {
      CAPTURE(name_of(with.kind), curve.strategy);
      REQUIRE(curve.points.size() == pruned.components.size() + 1);
      for (std::size_t i = 0; i < curve.points.size(); ++i) CHECK(curve.points[i].removed == i);
      const Interval& last = curve.points.back().accuracy;
      CHECK(std::abs(curve.points.front().accuracy.value - pruned.accuracy({})) < 1e-12);
      CHECK(std::abs(last.value - pruned.accuracy(pruned.components)) < 1e-12);
    }
    CHECK(pruned.pruning.curves[0].points.front().accuracy.value !=
          pruned.pruning.curves[0].points.back().accuracy.value);
  }
}

// Most right answers, then most right tokens, then least loss.
auto goodness(const Scores& scores) {
  return std::tuple(scores.exact_count(), scores.sums.right_tokens, -scores.sums.loss);
}

void check_greedy(const Pruned& pruned) {
  const std::vector<Component>& order = pruned.pruning.greedy_order;
  REQUIRE(order.size() == pruned.components.size());
  std::vector<Component> removed, left = pruned.components;
  for (std::size_t step = 0; step < order.size(); ++step) {
    CAPTURE(step);
    const auto without = [&](const Component& component) {
      std::vector<Component> gone = removed;
      gone.push_back(component);
      return goodness(pruned.scores(pruned.choose, gone));
    };
    const auto best = std::ranges::max_element(left, {}, without);
    CHECK(order[step].name == best->name);
    removed.push_back(order[step]);
    std::erase(left, order[step]);
    const CurvePoint& point = pruned.pruning.curves[0].points[step + 1];
    CHECK(point.accuracy.value == pruned.accuracy(removed));
    CHECK(point.unit == order[step].label);
  }
  CHECK(pruned.pruning.curves[0].strategy == "greedy");
}

TEST_CASE("the greedy order removes the cheapest component at each step, by the selection split") {
  for (const Case& with : kCases) check_greedy(Pruned(with));
}

TEST_CASE("if no answer and no token is right, the greedy order goes by the loss") {
  Split split = uneven_additions(30);
  for (Token& token : split.targets) token = token == kPad ? kPad : kPlus;  // never said
  const Pruned pruned({}, split);
  CHECK(pruned.scores(split, {}).sums.right_tokens == 0);
  check_greedy(pruned);
}

TEST_CASE("the one-shot order is the ranking of single removals") {
  for (const Case& with : kCases) {
    const Pruned pruned(with);
    std::vector<Component> order = pruned.components;
    std::ranges::stable_sort(order, std::ranges::greater(), [&](const Component& component) {
      return goodness(pruned.scores(pruned.choose, {component}));
    });
    const PruningCurve& curve = pruned.pruning.curves[1];
    CHECK(curve.strategy == "one-shot");
    std::vector<Component> removed;
    for (std::size_t i = 0; i < order.size(); ++i) {
      removed.push_back(order[i]);
      CHECK(curve.points[i + 1].unit == order[i].label);
      CHECK(curve.points[i + 1].accuracy.value == pruned.accuracy(removed));
    }
  }
}

TEST_CASE("random orders are summarised by their mean, lowest and highest") {
  const auto random_curve = [](int orders, std::uint64_t seed) {
    const Pruned pruned({.options = {.random_orders = orders, .seed = seed}});
    return pruned.pruning.curves.at(2).points;
  };
  const auto one = random_curve(1, 641), five = random_curve(5, 641);
  bool spread = false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(one[i].accuracy.low == one[i].accuracy.high);
    CHECK(five[i].accuracy.low <= one[i].accuracy.low);  // the first order is among the five
    CHECK(five[i].accuracy.high >= one[i].accuracy.high);
    CHECK(five[i].accuracy.low <= five[i].accuracy.value + 1e-12);
    CHECK(five[i].accuracy.high >= five[i].accuracy.value - 1e-12);
    spread |= five[i].accuracy.low < five[i].accuracy.high;
  }
  CHECK(spread);
  CHECK(Pruned({.options = {.random_orders = 0}}).pruning.curves.size() == 2);
}

TEST_CASE("single drops are exactly those of the evaluation split") {
  for (const Case& with : kCases) {
    const Pruned pruned(with);
    CHECK((pruned.pruning.components == pruned.components));
    REQUIRE(pruned.pruning.drops.size() == pruned.components.size());
    const auto whole = static_cast<double>(pruned.scores(pruned.measure, {}).exact_count());
    for (std::size_t i = 0; i < pruned.components.size(); ++i) {
      const auto left =
          static_cast<double>(pruned.scores(pruned.measure, {pruned.components[i]}).exact_count());
      CHECK(pruned.pruning.drops[i] == 100 * (whole - left) / 170);
    }
  }
}

TEST_CASE("pruning does not depend on the team's size, and reports its progress") {
  const Pruned alone({.team_size = 1, .options = {}}), together({.team_size = 3, .options = {}});
  CHECK(curve_table(alone.pruning) == curve_table(together.pruning));
  REQUIRE_FALSE(alone.reported.empty());
  CHECK(std::is_sorted(alone.reported.begin(), alone.reported.end()));
  CHECK(alone.reported.back() > 0.9);
  CHECK(alone.reported.back() <= 1);
}

// Six heads; removed greedily they leave so many points each.
Pruning by_hand(const std::vector<double>& accuracies) {
  Pruning pruning;
  pruning.components = pruning.greedy_order = components_of(tiny_config(), {ComponentKind::kHead});
  std::swap(pruning.greedy_order[0], pruning.greedy_order[3]);
  pruning.whole = {accuracies.front(), 0, 1};
  PruningCurve greedy{"greedy", {}};
  for (std::size_t i = 0; i < accuracies.size(); ++i) {
    greedy.points.push_back({i, {accuracies[i], 0, 1}, ""});
  }
  pruning.curves = {greedy};
  pruning.drops = {0, 1, 1.5, -2, 5, 70};
  return pruning;
}

TEST_CASE("how many components can be removed individually, and which together") {
  const Pruning pruning = by_hand({0.98, 0.99, 0.96, 0.975, 0.93, 0.5, 0});
  CHECK(pruning.individually(1) == 3);
  CHECK(pruning.individually(5) == 5);
  std::vector<std::string> names;
  for (const Component& component : pruning.together(1)) names.push_back(component.name);
  CHECK(names ==  // past a dip
        std::vector<std::string>{"decoder.0.self.1", "encoder.0.self.1", "decoder.0.self.0"});
  CHECK(pruning.together(5).size() == 4);
  CHECK(pruning.together(100).size() == 6);
  CHECK(pruning.together(-0.5).size() == 1);
  CHECK(pruning.together(-2).empty());
  CHECK(tolerance_table(pruning, {1, 5}).to_csv() ==
        "tolerance,individually,together,accuracy,units\n"
        "1,3,3,0.975,Decoder Self L0 H1; Encoder L0 H1; Decoder Self L0 H0\n"
        "5,5,4,0.93,Decoder Self L0 H1; Encoder L0 H1; Decoder Self L0 H0; Encoder L0 H0\n");
}

TEST_CASE("a drop of exactly the tolerance is within it, despite the rounding of 1 - 0.99") {
  CHECK(by_hand({1, 0.99, 0.989, 0.5, 0, 0, 0}).together(1).size() == 1);
  CHECK(by_hand({1, 0.95, 0.94, 0.5, 0, 0, 0}).together(5).size() == 1);
  CHECK(by_hand({0.97, 0.96, 0.9, 0.5, 0, 0, 0}).together(1).size() == 1);
}

}  // namespace
}  // namespace headway::testing
