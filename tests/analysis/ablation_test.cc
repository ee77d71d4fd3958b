#include "lib/analysis/ablation.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

TEST_CASE("a head is critical above 10 points, redundant up to 1") {
  CHECK(class_of(100) == "critical");
  CHECK(class_of(10.05) == "critical");
  CHECK(class_of(10) == "important");
  CHECK(class_of(1.05) == "important");
  CHECK(class_of(1) == "redundant");
  CHECK(class_of(0) == "redundant");
  CHECK(class_of(-3) == "redundant");
}

TEST_CASE("heads are ranked by lost exact match, then by lost digits") {
  const Checkpoint& checkpoint = half_trained_adder();
  const Seq2SeqSplit split = additions(1, 200);
  ThreadTeam team(2);
  const HeadReplacement zero;
  const Ablation ablation = ablate_heads(checkpoint.model(), split, zero, team);
  CHECK(ablation.problems == 200);
  const Seq2SeqScores whole = score(checkpoint.model(), split, team);
  CHECK(ablation.exact_match == whole.exact_match());
  CHECK(ablation.token_accuracy == whole.token_accuracy());
  REQUIRE(ablation.effects.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const HeadEffect& effect = ablation.effects[i];
    const Seq2SeqScores without =
        score(checkpoint.model(), split, team, removing(checkpoint.config, {effect.head}, zero));
    CHECK(effect.exact_match == without.exact_match());
    CHECK(effect.token_accuracy == without.token_accuracy());
    CHECK(effect.drop.value == paired_drop(whole.exact, without.exact).value);
    CHECK(effect.drop.low == paired_drop(whole.exact, without.exact).low);
    if (i == 0) continue;
    const HeadEffect& above = ablation.effects[i - 1];
    CHECK(std::pair(above.drop.value, -above.token_accuracy) >=
          std::pair(effect.drop.value, -effect.token_accuracy));
  }
  CHECK(ablation.effects.front().drop.value > ablation.effects.back().drop.value);
}

TEST_CASE(
    "among heads that cost equally many answers, the one that costs more digits comes first") {
  Seq2SeqSplit split = additions(1, 200);
  for (std::size_t i = 0; i < split.targets.size(); i += 2) split.targets[i] = kPlus;  // never said
  ThreadTeam team(1);
  const Ablation ablation = ablate_heads(half_trained_adder().model(), split, {}, team);
  std::vector<double> digits;
  for (const HeadEffect& effect : ablation.effects) {
    REQUIRE(effect.drop.value == 0);
    digits.push_back(effect.token_accuracy);
  }
  CHECK(std::is_sorted(digits.begin(), digits.end()));
  CHECK(digits.front() < digits.back());
}

TEST_CASE("heads with equal costs stay in the model's order") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(1));
  checkpoint.parameters.views(false).at("read_out.weight").zero_();  // always predicts the same
  ThreadTeam team(1);
  const Ablation ablation = ablate_heads(checkpoint.model(), additions(1, 20), {}, team);
  std::vector<HeadId> order;
  for (const HeadEffect& effect : ablation.effects) order.push_back(effect.head);
  CHECK(names_of(checkpoint.config, order) ==
        names_of(checkpoint.config, checkpoint.config.heads()));
}

TEST_CASE("an ablation's table and metrics are in points and shares") {
  Ablation ablation{0.9, 0.95, 200, {}};
  ablation.effects.push_back({{2, 1}, {0.405, 0.3, 0.5}, 0.495, 0.75});
  ablation.effects.push_back({{0, 0}, {0.05, 0.01, 0.09}, 0.85, 0.9});
  ablation.effects.push_back({{1, 0}, {-0.005, -0.02, 0.01}, 0.905, 0.95});
  CHECK(to_table(ablation, tiny_config(1)).to_csv() ==
        "rank,head,label,module,layer,index,class,drop,low,high,greedy,teacher_forced,"
        "token_accuracy,token_drop\n"
        "1,decoder.0.cross.1,Decoder Cross L0 H1,decoder-cross,0,1,critical,40.5,30,50,0.495,0.495,"
        "0.75,20\n"
        "2,encoder.0.self.0,Encoder L0 H0,encoder,0,0,important,5,1,9,0.85,0.85,0.9,5\n"
        "3,decoder.0.self.0,Decoder Self L0 H0,decoder-self,0,0,redundant,-0.5,-2,1,0.905,0.905,"
        "0.95,0\n");
  const Json metrics = to_metrics(ablation, tiny_config(1));
  CHECK(metrics["problems"] == 200);
  CHECK(metrics["heads"] == 3);
  CHECK(metrics["classes"] == Json{{"critical", 1}, {"important", 1}, {"redundant", 1}});
  CHECK(metrics["most_critical"] == "Decoder Cross L0 H1");
  CHECK(metrics["largest_drop"] == 40.5);
}

}  // namespace
}  // namespace headway::testing
