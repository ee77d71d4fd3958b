// Many components tried at once, compared with each alone, sample by sample.
#include "lib/analysis/removal.h"

#include <ATen/ATen.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <set>

#include "lib/base/error.h"
#include "tests/analysis/slow_removal.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"
#include "tests/train/half_trained.h"

namespace headway::testing {
namespace {

// Every component, and none, with `removed` removed: tried at once, and one by one.
void check_removals(const Checkpoint& checkpoint, const Split& split,
                    const std::vector<Unit>& removed, const Replacement& replacement,
                    const StandIn& stand_in) {
  ThreadTeam team(2);
  const std::vector<Component> components = components_of(checkpoint.config, kEveryComponent);
  const RemovalScores scores = score_removals(model_for(checkpoint, split), split, removed,
                                              units_of_each(components), replacement, team);
  check_same(scores.base, scored_without(checkpoint, split, removed, stand_in));
  CHECK(std::ssize(scores.base.answers) == split.size() * answer_length(split));
  REQUIRE(scores.each.size() == components.size());
  for (std::size_t i = 0; i < components.size(); ++i) {
    CAPTURE(components[i].name);
    std::vector<Unit> gone = removed;
    gone.insert(gone.end(), components[i].units.begin(), components[i].units.end());
    check_same(scores.each[i], scored_without(checkpoint, split, gone, stand_in));
  }
}

// In every mode, with nothing removed and with some units. Means over another split.
void check_every_mode(const Checkpoint& checkpoint, const Split& split, const Split& other) {
  ThreadTeam team(2);
  const std::vector<Unit> all = checkpoint.config.units();
  for (const std::vector<Unit>& removed : {std::vector<Unit>{}, {all[1], all[all.size() - 1]}}) {
    CAPTURE(name_of(checkpoint.config.kind), removed.size());
    check_removals(checkpoint, split, removed, {}, nothing(checkpoint.config));
    check_removals(checkpoint, split, removed,
                   Replacement::mean_over(model_for(checkpoint, other), other, team),
                   means_over(checkpoint, other));
    const Replacement resample = Replacement::resample(3);
    check_removals(checkpoint, split, removed, resample,
                   outputs_of(checkpoint, split, resample.donors_in(split)));
  }
}

TEST_CASE("components tried together score as each does alone, whatever stands in for them") {
  for (const ModelKind kind : kEveryKind) {
    for (const NormPlace norm : kEveryNorm) {
      TransformerConfig config = config_for(kind, uneven_data(kind, 8));
      config.norm = norm;
      config.n_layers = 2;
      check_every_mode(random_checkpoint(config), uneven_data(kind, 8), uneven_data(kind, 12, 2));
    }
  }
}

TEST_CASE("components of trained models tried together score as each does alone") {
  for (const ModelKind kind : kEveryKind)
    check_every_mode(half_trained_on_uneven(kind), uneven_data(kind, 30), uneven_data(kind, 20, 2));
}

TEST_CASE("components of pruned models and of next tokens are tried alike") {
  const Checkpoint pruned =
      without_units(random_checkpoint(tiny_config(ModelKind::kEncoderDecoder, 2)),
                    {{0, 0}, {1, kWholeFeed}, {4, 0}, {4, 1}});
  check_every_mode(pruned, uneven_additions(8), uneven_additions(12, 2));
  check_every_mode(random_checkpoint(tiny_config(ModelKind::kDecoder)),
                   repetitions(8, Asked::kSuffix), repetitions(12, Asked::kSuffix, 2));
}

TEST_CASE("sequences may be longer than the positions that the data gives are far") {
  for (const ModelKind kind : kEveryKind) {
    const Split split = with_positions(uneven_data(kind, 8));  // inputs of up to 5 or 6 at 0 to 3
    TransformerConfig config = config_for(kind, split);
    config.encoding = Encoding::kRelative;
    config.positions = PositionSource::kData;
    check_every_mode(random_checkpoint(config), split, with_positions(uneven_data(kind, 12, 2)));
  }
}

TEST_CASE("a position that no sample of the means has is zero") {
  const Split shorter = random_sequences(20, 2, 3), longer = random_sequences(8, 5, 6);
  check_every_mode(random_checkpoint(config_for(ModelKind::kEncoder, longer)), longer, shorter);
}

TEST_CASE("removed heads and feed-forward layers that give zero are as if pruned") {
  ThreadTeam team(1);
  for (const ModelKind kind : kEveryKind) {
    const Checkpoint& checkpoint = half_trained_on_uneven(kind);
    const Split split = uneven_data(kind, 60);
    for (const Component& component : components_of(checkpoint.config, kEveryComponent)) {
      CAPTURE(component.name);
      const Checkpoint smaller = without_units(checkpoint, component.units);
      check_same(
          score(model_for(smaller, split), split, team),
          score_removals(model_for(checkpoint, split), split, component.units, {}, {}, team).base);
    }
  }
}

TEST_CASE("every removal has an effect, which differs between zero, mean and another sample") {
  for (const ModelKind kind : kEveryKind) {
    const Checkpoint& checkpoint = half_trained_on_uneven(kind);
    const Split split = uneven_data(kind, 100);
    const Transformer model = model_for(checkpoint, split);
    ThreadTeam team(1);
    const auto scored = [&](const Replacement& replacement) {
      return score_removals(model, split, {},
                            units_of_each(components_of(checkpoint.config, kEveryComponent)),
                            replacement, team);
    };
    const RemovalScores zeroed = scored({}),
                        averaged = scored(Replacement::mean_over(model, split, team)),
                        exchanged = scored(Replacement::resample(1));
    CHECK(zeroed.base.sums.loss == averaged.base.sums.loss);
    CHECK(zeroed.base.sums.loss == exchanged.base.sums.loss);
    for (std::size_t i = 0; i < zeroed.each.size(); ++i) {
      const std::set<double> losses = {zeroed.base.sums.loss, zeroed.each[i].sums.loss,
                                       averaged.each[i].sums.loss, exchanged.each[i].sums.loss};
      CHECK(losses.size() == 4);
    }
  }
}

TEST_CASE("scores of removals do not depend on the team's size") {
  for (const ModelKind kind : kEveryKind) {
    const Checkpoint& checkpoint = half_trained_on_uneven(kind);
    const Split split = uneven_data(kind, 500);
    const Transformer model = model_for(checkpoint, split);
    for (const bool resamples : {false, true}) {
      const auto scored = [&](std::size_t size) {
        ThreadTeam team(size);
        const Replacement replacement =
            resamples ? Replacement::resample(9) : Replacement::mean_over(model, split, team);
        return score_removals(model, split, {{0, 1}},
                              units_of_each(components_of(checkpoint.config, kEveryComponent)),
                              replacement, team);
      };
      const RemovalScores alone = scored(1);
      for (const std::size_t size : {2, 3}) {
        const RemovalScores together = scored(size);
        CHECK(together.base.sums.loss == alone.base.sums.loss);
        for (std::size_t i = 0; i < alone.each.size(); ++i) {
          CHECK(together.each[i].sums.loss == alone.each[i].sums.loss);
          CHECK(together.each[i].exact == alone.each[i].exact);
        }
      }
    }
  }
}

// Every site's outputs for a whole split at once, [B, T, U, W].
std::vector<at::Tensor> outputs_at_once(const Checkpoint& checkpoint, const Split& split) {
  std::vector<at::Tensor> outputs;
  const Hooks hooks(
      {HookPoint::kZ, HookPoint::kOut}, [&](const Site& site, HookPoint point, at::Tensor& value) {
        if (site.is_feed() != (point == HookPoint::kOut)) return;
        outputs.push_back(site.is_feed() ? value.unsqueeze(2).clone() : value.clone());
      });
  const c10::AutoGradMode without_gradients(false);
  DropoutStream none;
  model_for(checkpoint, split)
      .forward(make_batch(checkpoint.config, split, all_of(split)), none, hooks);
  return outputs;
}

TEST_CASE("means leave out padding") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config());
  // The last token of every second input is missing, and the last target of all but one.
  Split split = additions(1, 300);
  for (std::size_t sample = 0; sample < 300; ++sample) {
    if (sample % 2 == 0) split.inputs[3 * sample + 2] = kPad;
    if (sample != 7) split.targets[2 * sample + 1] = kPad;
  }
  ThreadTeam team(2);
  const c10::AutoGradMode without_gradients(false);
  const Replacement mean = Replacement::mean_over(model_for(checkpoint, split), split, team);
  const Batch batch = make_batch(checkpoint.config, split, all_of(split));
  const auto means =
      mean.outputs_for(model_for(checkpoint, split), split, {}, all_of(split), batch);
  const std::vector<at::Tensor> outputs = outputs_at_once(checkpoint, split);
  for (const Site& site : checkpoint.config.sites()) {
    CAPTURE(site.name());
    const at::Tensor& all = outputs[site.index];                     // [300, T, U, W]
    const at::Tensor last = all.select(1, all.size(1) - 1);          // [300, U, W]
    const at::Tensor found = means[site.index][0][all.size(1) - 1];  // [U, W]
    const at::Tensor there = site.is_encoder() ? last.slice(0, 1, 300, 2) : last.slice(0, 7, 8);
    CHECK(largest_difference(found, there.mean(0)) < 1e-5);
    CHECK(largest_difference(found, last.mean(0)) > 1e-4);
    CHECK(largest_difference(means[site.index][0][0], all.select(1, 0).mean(0)) < 1e-5);
  }
}

TEST_CASE("another sample's outputs come from each sample once, and never from the same one") {
  for (const std::int64_t size : {2, 3, 40, 301}) {
    const Split split = additions(1, size);
    const auto donors = Replacement::resample(5).donors_in(split);
    CHECK(std::set(donors.begin(), donors.end()).size() == static_cast<std::size_t>(size));
    for (std::int64_t sample = 0; sample < size; ++sample)
      CHECK(donors[static_cast<std::size_t>(sample)] != sample);
    CHECK(Replacement::resample(5).donors_in(split) == donors);
    if (size > 3) CHECK(Replacement::resample(6).donors_in(split) != donors);
  }
  CHECK(Replacement().donors_in(additions(1, 1)).empty());
}

TEST_CASE("where samples of two kinds alternate, both kinds take outputs from both") {
  const auto donors = Replacement::resample(5).donors_in(additions(1, 400));
  int alike = 0;
  for (std::size_t sample = 0; sample < 400; ++sample)
    alike += donors[sample] % 2 == static_cast<std::int64_t>(sample) % 2;
  CHECK(alike > 100);
  CHECK(alike < 300);
}

TEST_CASE("one sample alone has no other whose outputs could stand in") {
  const Checkpoint& checkpoint = half_trained_adder();
  const Split split = additions(1, 1);
  ThreadTeam team(1);
  CHECK_THROWS_MATCHES(
      score_removals(model_for(checkpoint, split), split, {}, {}, Replacement::resample(1), team),
      Error,
      Catch::Matchers::Message(
          "resampling takes outputs from another sample, but the split has only one"));
}

TEST_CASE("a candidate that has more wrong samples than allowed is given up, the others are not") {
  const Checkpoint& checkpoint = half_trained_adder();
  const Split split = additions(1, 700);
  const Transformer model = model_for(checkpoint, split);
  const std::vector<std::vector<Unit>> candidates = {checkpoint.config.units(),
                                                     {checkpoint.config.units().front()}};
  ThreadTeam team(1);
  const RemovalScores whole = score_removals(model, split, {}, candidates, {}, team);
  const std::int64_t wrong_of_second = split.size() - whole.each[1].exact_count();
  REQUIRE(split.size() - whole.each[0].exact_count() > wrong_of_second + 128);
  const RemovalScores scores =
      score_removals(model, split, {}, candidates, {}, team, {}, {.most_wrong = wrong_of_second});
  check_same(scores.each[1], whole.each[1]);
  check_same(scores.base, whole.base);
  const std::int64_t wrong = split.size() - scores.each[0].exact_count();
  CHECK(wrong > wrong_of_second);  // so it cannot win
  CHECK(scores.each[0].sums.tokens < whole.each[0].sums.tokens);
}

TEST_CASE("progress on a split is reported batch by batch") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config());
  const Split split = additions(1, 300);
  ThreadTeam team(1);
  std::vector<std::int64_t> reported;
  score_removals(model_for(checkpoint, split), split, {},
                 units_of_each(components_of(checkpoint.config, {ComponentKind::kHead})), {}, team,
                 [&](std::int64_t done) { reported.push_back(done); });
  CHECK(reported == std::vector<std::int64_t>{128, 256, 300});
  reported.clear();
  Replacement::mean_over(model_for(checkpoint, split), split, team,
                         [&](std::int64_t done) { reported.push_back(done); });
  CHECK(reported == std::vector<std::int64_t>{128, 256, 300});
}

}  // namespace
}  // namespace headway::testing
