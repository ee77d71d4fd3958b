#include "lib/analysis/pruning.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

struct Pruned {
  const Checkpoint& checkpoint = half_trained_adder();
  Seq2SeqSplit choose, measure = additions(1, 170, 4);
  std::vector<double> reported;
  Pruning pruning;

  explicit Pruned(std::size_t team_size = 2, const PruningOptions& options = {},
                  const Seq2SeqSplit& choose_on = additions(1, 150, 3))
      : choose(choose_on) {
    ThreadTeam team(team_size);
    pruning = prune_heads(checkpoint.model(), choose, measure, options, team,
                          [&](double share) { reported.push_back(share); });
  }
  Seq2SeqScores scores(const Seq2SeqSplit& split, const std::vector<HeadId>& removed) const {
    ThreadTeam team(1);
    const HeadReplacement zero;
    return score(checkpoint.model(), split, team, removing(checkpoint.config, removed, zero));
  }
  double accuracy(const std::vector<HeadId>& removed) const {
    return scores(measure, removed).exact_match();
  }
};

TEST_CASE("every curve goes from the full model to one without heads") {
  const Pruned pruned;
  const std::vector<HeadId> all = pruned.checkpoint.config.heads();
  REQUIRE(pruned.pruning.curves.size() == 3);
  CHECK(pruned.pruning.whole.value == pruned.accuracy({}));
  for (const PruningCurve& curve : pruned.pruning.curves) {
    CAPTURE(curve.strategy);
    REQUIRE(curve.points.size() == all.size() + 1);
    for (std::size_t i = 0; i < curve.points.size(); ++i) CHECK(curve.points[i].removed == i);
    const Interval& last = curve.points.back().accuracy;
    CHECK(std::abs(curve.points.front().accuracy.value - pruned.accuracy({})) < 1e-12);
    CHECK(std::abs(last.value - pruned.accuracy(all)) < 1e-12);
  }
  CHECK(pruned.pruning.curves[0].points.front().accuracy.value !=
        pruned.pruning.curves[0].points.back().accuracy.value);
}

// Most right answers, then most right digits, then least loss.
auto goodness(const Seq2SeqScores& scores) {
  return std::tuple(scores.exact_count(), scores.right_tokens, -scores.loss_sum);
}

void check_greedy(const Pruned& pruned) {
  const std::vector<HeadId>& order = pruned.pruning.greedy_order;
  REQUIRE(order.size() == 6);
  std::vector<HeadId> removed, left = pruned.checkpoint.config.heads();
  for (std::size_t step = 0; step < order.size(); ++step) {
    CAPTURE(step);
    const auto without = [&](const HeadId& head) {
      std::vector<HeadId> gone = removed;
      gone.push_back(head);
      return goodness(pruned.scores(pruned.choose, gone));
    };
    const auto best =
        std::max_element(left.begin(), left.end(),
                         [&](const HeadId& a, const HeadId& b) { return without(a) < without(b); });
    CHECK(pruned.checkpoint.config.name(order[step]) == pruned.checkpoint.config.name(*best));
    removed.push_back(order[step]);
    std::erase(left, order[step]);
    const CurvePoint& point = pruned.pruning.curves[0].points[step + 1];
    CHECK(point.accuracy.value == pruned.accuracy(removed));
    CHECK(point.head == pruned.checkpoint.config.label(order[step]));
  }
  CHECK(pruned.pruning.curves[0].strategy == "greedy");
}

TEST_CASE(
    "the greedy order removes the cheapest head at each step, judged on the selection split") {
  check_greedy(Pruned());
}

TEST_CASE("if no answer and no digit is right, the greedy order goes by the loss") {
  Seq2SeqSplit split = additions(1, 30);
  for (Token& token : split.targets) token = kPlus;  // never said
  const Pruned pruned(1, {}, split);
  CHECK(pruned.scores(split, {}).right_tokens == 0);
  check_greedy(pruned);
}

TEST_CASE("the one-shot order is the ranking of single removals") {
  const Pruned pruned;
  std::vector<HeadId> order = pruned.checkpoint.config.heads();
  std::stable_sort(order.begin(), order.end(), [&](const HeadId& a, const HeadId& b) {
    return goodness(pruned.scores(pruned.choose, {a})) >
           goodness(pruned.scores(pruned.choose, {b}));
  });
  const PruningCurve& curve = pruned.pruning.curves[1];
  CHECK(curve.strategy == "one-shot");
  std::vector<HeadId> removed;
  for (std::size_t i = 0; i < order.size(); ++i) {
    removed.push_back(order[i]);
    CHECK(curve.points[i + 1].head == pruned.checkpoint.config.label(order[i]));
    CHECK(curve.points[i + 1].accuracy.value == pruned.accuracy(removed));
  }
}

TEST_CASE("random orders are summarised by their mean, lowest and highest") {
  const auto random_curve = [](int orders, std::uint64_t seed) {
    const Pruned pruned(1, {.random_orders = orders, .seed = seed});
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
  CHECK(Pruned(1, {.random_orders = 0}).pruning.curves.size() == 2);
}

TEST_CASE("single drops are exactly those of the evaluation split") {
  const Pruned pruned;
  const std::vector<HeadId> heads = pruned.checkpoint.config.heads();
  CHECK(names_of(pruned.checkpoint.config, pruned.pruning.heads) ==
        names_of(pruned.checkpoint.config, heads));
  REQUIRE(pruned.pruning.drops.size() == heads.size());
  const auto whole = static_cast<double>(pruned.scores(pruned.measure, {}).exact_count());
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const auto left = static_cast<double>(pruned.scores(pruned.measure, {heads[i]}).exact_count());
    CHECK(pruned.pruning.drops[i] == 100 * (whole - left) / 170);
  }
}

TEST_CASE("pruning does not depend on the team's size, and reports its progress") {
  const Pruned alone(1), together(3);
  CHECK(curve_table(alone.pruning) == curve_table(together.pruning));
  REQUIRE_FALSE(alone.reported.empty());
  CHECK(std::is_sorted(alone.reported.begin(), alone.reported.end()));
  CHECK(alone.reported.back() > 0.9);
  CHECK(alone.reported.back() <= 1);
}

// Six heads; removed greedily they leave so many points each.
Pruning by_hand(const std::vector<double>& accuracies) {
  Pruning pruning;
  pruning.heads = pruning.greedy_order = tiny_config(1).heads();
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

TEST_CASE("how many heads can be removed individually, and which together") {
  const Pruning pruning = by_hand({0.98, 0.99, 0.96, 0.975, 0.93, 0.5, 0});
  CHECK(pruning.individually(1) == 3);
  CHECK(pruning.individually(5) == 5);
  CHECK(names_of(tiny_config(1), pruning.together(1)) ==  // past a dip
        std::vector<std::string>{"decoder.0.self.1", "encoder.0.self.1", "decoder.0.self.0"});
  CHECK(pruning.together(5).size() == 4);
  CHECK(pruning.together(100).size() == 6);
  CHECK(pruning.together(-0.5).size() == 1);
  CHECK(pruning.together(-2).empty());
  CHECK(tolerance_table(pruning, tiny_config(1), {1, 5}).to_csv() ==
        "tolerance,individually,together,accuracy,heads\n"
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
