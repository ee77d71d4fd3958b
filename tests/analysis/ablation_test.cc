#include "lib/analysis/ablation.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "tests/analysis/slow_removal.h"
#include "tests/nn/tiny_models.h"
#include "tests/train/half_trained.h"

namespace headway::testing {
namespace {

TEST_CASE("a component is critical above 10 points, redundant up to 1") {
  CHECK(class_of(100) == "critical");
  CHECK(class_of(10.05) == "critical");
  CHECK(class_of(10) == "important");
  CHECK(class_of(1.05) == "important");
  CHECK(class_of(1) == "redundant");
  CHECK(class_of(0) == "redundant");
  CHECK(class_of(-3) == "redundant");
}

TEST_CASE("components are ranked by lost exact match, then by lost tokens") {
  for (const ModelKind kind : kEveryKind) {
    CAPTURE(name_of(kind));
    const Checkpoint& checkpoint = half_trained_on_uneven(kind);
    const Split split = uneven_data(kind, 120);
    const std::vector<Component> components = components_of(checkpoint.config, kEveryComponent);
    ThreadTeam team(2);
    const Ablation ablation = ablate(model_for(checkpoint, split), split, components, {}, team);
    CHECK(ablation.problems == 120);
    const Scores whole = score(model_for(checkpoint, split), split, team);
    CHECK(ablation.accuracy == whole.exact_match());
    CHECK(ablation.token_accuracy == whole.token_accuracy());
    REQUIRE(ablation.effects.size() == components.size());
    for (std::size_t i = 0; i < ablation.effects.size(); ++i) {
      const ComponentEffect& effect = ablation.effects[i];
      const Scores without =
          scored_without(checkpoint, split, effect.component.units, nothing(checkpoint.config));
      CHECK(effect.accuracy == without.exact_match());
      CHECK(effect.token_accuracy == without.token_accuracy());
      CHECK(effect.drop.value == paired_drop(whole.exact, without.exact).value);
      CHECK(effect.drop.low == paired_drop(whole.exact, without.exact).low);
      if (i == 0) continue;
      const ComponentEffect& above = ablation.effects[i - 1];
      CHECK(std::pair(above.drop.value, -above.token_accuracy) >=
            std::pair(effect.drop.value, -effect.token_accuracy));
    }
    CHECK(ablation.effects.front().drop.value > ablation.effects.back().drop.value);
  }
}

TEST_CASE(
    "among components that cost equally many answers, the one that costs more tokens is first") {
  Split split = additions(1, 200);
  for (std::size_t i = 0; i < split.targets.size(); i += 2) split.targets[i] = kPlus;  // never said
  const Checkpoint& checkpoint = half_trained_adder();
  ThreadTeam team(1);
  const Ablation ablation = ablate(model_for(checkpoint, split), split,
                                   components_of(checkpoint.config, kEveryComponent), {}, team);
  std::vector<double> digits;
  for (const ComponentEffect& effect : ablation.effects) {
    REQUIRE(effect.drop.value == 0);
    digits.push_back(effect.token_accuracy);
  }
  CHECK(std::ranges::is_sorted(digits));
  CHECK(digits.front() < digits.back());
}

TEST_CASE("components with equal costs stay in their order") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config());
  checkpoint.parameters.views(false).at("read_out.weight").zero_();  // always predicts the same
  const std::vector<Component> components = components_of(checkpoint.config, kEveryComponent);
  const Split split = additions(1, 20);
  ThreadTeam team(1);
  const Ablation ablation = ablate(model_for(checkpoint, split), split, components, {}, team);
  REQUIRE(ablation.effects.size() == components.size());
  for (std::size_t i = 0; i < components.size(); ++i)
    CHECK(ablation.effects[i].component == components[i]);
}

// The first head of the encoder, the last layer's feed-forward layer and its block.
Ablation by_hand(const TransformerConfig& config, const std::string& measure = "greedy") {
  Ablation ablation{measure, 0.9, 0.95, 0.25, 200, {}};
  const auto heads = components_of(config, {ComponentKind::kHead}),
             feeds = components_of(config, {ComponentKind::kFeed}),
             blocks = components_of(config, {ComponentKind::kBlock});
  ablation.effects = {{blocks.back(), {0.405, 0.3, 0.5}, 0.495, 0.75, 1.5},
                      {heads.back(), {0.05, 0.01, 0.09}, 0.85, 0.9, 0.5},
                      {feeds.back(), {-0.005, -0.02, 0.01}, 0.905, 0.95, 0.125}};
  return ablation;
}

TEST_CASE("an ablation's table and metrics are in points and shares") {
  const TransformerConfig config = tiny_config();
  CHECK(to_table(by_hand(config), config).to_csv() ==
        "rank,unit,label,kind,module,layer,index,class,drop,low,high,greedy,teacher_forced,"
        "token_accuracy,token_drop,loss,loss_increase\n"
        "1,decoder.0,Decoder Block L0,block,,0,,critical,40.5,30,50,0.495,0.495,0.75,20,1.5,1.25\n"
        "2,decoder.0.cross.1,Decoder Cross L0 H1,head,decoder-cross,0,1,important,5,1,9,0.85,0.85,"
        "0.9,5,0.5,0.25\n"
        "3,decoder.0.feed,Decoder FFN L0,ffn,decoder-ffn,0,,redundant,-0.5,-2,1,0.905,0.905,0.95,"
        "0,0.125,-0.125\n");
  CHECK(to_metrics(by_hand(config)) ==
        Json{{"problems", 200},
             {"components", 3},
             {"classes", {{"critical", 1}, {"important", 1}, {"redundant", 1}}},
             {"greedy", 0.9},
             {"token_accuracy", 0.95},
             {"most_critical", "Decoder Block L0"},
             {"largest_drop", 40.5}});
}

TEST_CASE("an ablation of a classifier has an accuracy in place of tokens") {
  const TransformerConfig config = tiny_config(ModelKind::kEncoder, 2);
  CHECK(to_table(by_hand(config, "accuracy"), config).to_csv() ==
        "rank,unit,label,kind,module,layer,index,class,drop,low,high,accuracy,loss,"
        "loss_increase\n"
        "1,encoder.1,Encoder Block L1,block,,1,,critical,40.5,30,50,0.495,1.5,1.25\n"
        "2,encoder.1.self.1,Encoder L1 H1,head,encoder,1,1,important,5,1,9,0.85,0.5,0.25\n"
        "3,encoder.1.feed,Encoder FFN "
        "L1,ffn,encoder-ffn,1,,redundant,-0.5,-2,1,0.905,0.125,-0.125\n");
  const Json metrics = to_metrics(by_hand(config, "accuracy"));
  CHECK(metrics["accuracy"] == 0.9);
  CHECK_FALSE(metrics.contains("greedy"));
  CHECK_FALSE(metrics.contains("token_accuracy"));
}

TEST_CASE("an ablation of plain sequences has the accuracy of their tokens, and no other") {
  const TransformerConfig config = tiny_config(ModelKind::kDecoder, 2);
  CHECK(to_table(by_hand(config, "token_accuracy"), config)
            .to_csv()
            .starts_with(
                "rank,unit,label,kind,module,layer,index,class,drop,low,high,token_accuracy,loss,"
                "loss_increase\n1,decoder.1,Decoder Block "
                "L1,block,,1,,critical,40.5,30,50,0.495,1.5,1.25\n"));
  const Json metrics = to_metrics(by_hand(config, "token_accuracy"));
  CHECK(metrics["token_accuracy"] == 0.9);
  CHECK_FALSE(metrics.contains("greedy"));
}

TEST_CASE("in plain sequences, tokens are counted and not whole sequences") {
  const Split split = repetitions(60, Asked::kAll);
  const TransformerConfig config = config_for(ModelKind::kDecoder, split);
  const Checkpoint checkpoint = random_checkpoint(config);
  const std::vector<Component> components = components_of(config, kEveryComponent);
  ThreadTeam team(2);
  const Ablation ablation = ablate(model_for(checkpoint, split), split, components, {}, team);
  const Scores whole = score(model_for(checkpoint, split), split, team);
  CHECK(whole.exact_match() < 0.1);
  CHECK(ablation.accuracy == whole.token_accuracy());
  CHECK(ablation.measure == "token_accuracy");
  for (const ComponentEffect& effect : ablation.effects) {
    const Scores without =
        scored_without(checkpoint, split, effect.component.units, nothing(config));
    CHECK(effect.accuracy == without.token_accuracy());
    CHECK(std::abs(effect.drop.value - (whole.token_accuracy() - without.token_accuracy())) <
          1e-12);
    CHECK(effect.drop.low < effect.drop.value);
    CHECK(effect.drop.value < effect.drop.high);
  }
  CHECK(ablation.effects.front().drop.value > ablation.effects.back().drop.value);
}

TEST_CASE("an ablation of nothing names nothing as most critical") {
  const TransformerConfig config = tiny_config();
  const Json metrics = to_metrics({"greedy", 0.9, 0.95, 0.25, 200, {}});
  CHECK(metrics["components"] == 0);
  CHECK_FALSE(metrics.contains("most_critical"));
  CHECK(to_table({"greedy", 0.9, 0.95, 0.25, 200, {}}, config).size() == 0);
}

}  // namespace
}  // namespace headway::testing
