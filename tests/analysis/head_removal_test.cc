// Many heads tried at once, compared with each head alone, through hooks.
#include "lib/analysis/head_removal.h"

#include <ATen/ops/zeros_like.h>

#include <catch2/catch_test_macros.hpp>

#include "lib/train/batches.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

void check_same(const Seq2SeqScores& a, const Seq2SeqScores& b) {
  CHECK(a.exact == b.exact);
  CHECK(a.right == b.right);
  CHECK(a.tokens == b.tokens);
  CHECK(a.right_tokens == b.right_tokens);
  CHECK(std::abs(a.loss_sum - b.loss_sum) < 1e-6 * (1 + std::abs(b.loss_sum)));
}

// Every candidate, and none, with `removed` removed: tried at once, and one by one.
void check_removals(const Checkpoint& checkpoint, const Seq2SeqSplit& split,
                    const std::vector<HeadId>& removed, const HeadReplacement& replacement) {
  const Seq2Seq model = checkpoint.model();
  ThreadTeam team(2);
  const std::vector<HeadId> heads = checkpoint.config.heads();
  const RemovalScores scores = score_removals(model, split, removed, heads, replacement, team);
  const auto directly = [&](const std::vector<HeadId>& gone) {
    return score(model, split, team, removing(checkpoint.config, gone, replacement));
  };
  check_same(scores.base, directly(removed));
  REQUIRE(scores.each.size() == heads.size());
  for (std::size_t i = 0; i < heads.size(); ++i) {
    CAPTURE(heads[i].site, heads[i].head);
    std::vector<HeadId> gone = removed;
    gone.push_back(heads[i]);
    check_same(scores.each[i], directly(gone));
  }
}

TEST_CASE("heads tried together score as each does alone") {
  ThreadTeam team(2);
  const Seq2SeqSplit split = additions(1, 150);
  for (const Checkpoint& checkpoint :
       {half_trained_adder(), random_checkpoint(tiny_config(2)),
        without_heads(random_checkpoint(tiny_config(2)), {{0, 0}, {3, 0}, {3, 1}})}) {
    const HeadReplacement zero;
    const HeadReplacement mean =
        HeadReplacement::mean_over(checkpoint.model(), additions(1, 200, 7), team);
    for (const HeadReplacement* replacement : {&zero, &mean}) {
      check_removals(checkpoint, split, {}, *replacement);
      check_removals(checkpoint, split, {{0, 1}, {1, 0}, {2, 1}}, *replacement);
    }
  }
}

TEST_CASE("every head's removal has an effect, which differs between mean and zero") {
  const Checkpoint& checkpoint = half_trained_adder();
  const Seq2SeqSplit split = additions(1, 100);
  ThreadTeam team(1);
  const HeadReplacement mean = HeadReplacement::mean_over(checkpoint.model(), split, team);
  const auto scored = [&](const HeadReplacement& replacement) {
    return score_removals(checkpoint.model(), split, {}, checkpoint.config.heads(), replacement,
                          team);
  };
  const RemovalScores zeroed = scored({}), averaged = scored(mean);
  CHECK(zeroed.base.loss_sum == averaged.base.loss_sum);
  for (std::size_t i = 0; i < zeroed.each.size(); ++i) {
    CHECK(zeroed.each[i].loss_sum != zeroed.base.loss_sum);
    CHECK(averaged.each[i].loss_sum != averaged.base.loss_sum);
    CHECK(zeroed.each[i].loss_sum != averaged.each[i].loss_sum);
  }
}

TEST_CASE("scores of removals do not depend on the team's size") {
  const Checkpoint& checkpoint = half_trained_adder();
  const Seq2SeqSplit split = additions(1, 500);
  const auto scored = [&](std::size_t size) {
    ThreadTeam team(size);
    const HeadReplacement mean = HeadReplacement::mean_over(checkpoint.model(), split, team);
    return score_removals(checkpoint.model(), split, {{1, 1}}, checkpoint.config.heads(), mean,
                          team);
  };
  const RemovalScores alone = scored(1);
  for (const std::size_t size : {2, 3}) {
    const RemovalScores together = scored(size);
    CHECK(together.base.loss_sum == alone.base.loss_sum);
    for (std::size_t i = 0; i < alone.each.size(); ++i) {
      CHECK(together.each[i].loss_sum == alone.each[i].loss_sum);
      CHECK(together.each[i].exact == alone.each[i].exact);
    }
  }
}

// Every site's outputs for a whole split at once.
std::vector<at::Tensor> outputs_of(const Checkpoint& checkpoint, const Seq2SeqSplit& split) {
  std::vector<at::Tensor> outputs;
  HeadHooks hooks;
  hooks.on_output = [&](const AttentionSite&, const at::Tensor& z) {
    outputs.push_back(z);
    return z;
  };
  DropoutStream none;
  checkpoint.model().forward(make_batch(split, 0, split.size()), none, hooks);
  return outputs;
}

TEST_CASE("a removed head gives zero, or its mean at each position, and the others are unchanged") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(1));
  const Seq2SeqSplit split = additions(1, 300);  // several batches
  ThreadTeam team(2);
  const HeadReplacement zero;
  const HeadReplacement mean = HeadReplacement::mean_over(checkpoint.model(), split, team);
  const std::vector<at::Tensor> outputs = outputs_of(checkpoint, split);
  for (const AttentionSite& site : checkpoint.config.sites()) {
    const at::Tensor& all = outputs[site.index];            // [300, T, H, D]
    const at::Tensor z = all.narrow(0, 0, 5).contiguous();  // [5, T, H, D]
    const at::Tensor before = z.clone();
    const at::Tensor zeroed = zero.apply(site, z, {1}), averaged = mean.apply(site, z, {1});
    CHECK(z.equal(before));
    CHECK(largest_difference(zeroed.select(2, 0), z.select(2, 0)) == 0);
    CHECK(largest_difference(averaged.select(2, 0), z.select(2, 0)) == 0);
    CHECK(largest_difference(zeroed.select(2, 1), at::zeros_like(z.select(2, 1))) == 0);
    const at::Tensor expected = all.mean(0).select(1, 1).unsqueeze(0);  // [1, T, D]
    CHECK(largest_difference(averaged.select(2, 1), expected.expand_as(z.select(2, 1))) < 1e-5);
  }
}

TEST_CASE("means leave out padding") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(1));
  Seq2SeqSplit split = additions(1, 300);
  const Token pad = split.vocabulary.pad();
  // The last input of every second sample is missing, and the last target of all.
  const auto shorten = [pad](std::vector<Token>& tokens, std::int64_t length, std::int64_t sample) {
    tokens[static_cast<std::size_t>((sample + 1) * length - 1)] = pad;
  };
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    if (sample % 2 == 0) shorten(split.inputs, split.input_length, sample);
    shorten(split.targets, split.target_length, sample);
  }
  ThreadTeam team(2);
  const HeadReplacement mean = HeadReplacement::mean_over(checkpoint.model(), split, team);
  const std::vector<at::Tensor> outputs = outputs_of(checkpoint, split);
  for (const AttentionSite& site : checkpoint.config.sites()) {
    const at::Tensor& all = outputs[site.index];                             // [300, T, H, D]
    const at::Tensor last = all.select(1, all.size(1) - 1).select(1, 1);     // [300, D]
    const at::Tensor averaged = mean.apply(site, all.narrow(0, 0, 1), {1});  // [1, T, H, D]
    const at::Tensor found = averaged[0][all.size(1) - 1][1];                // [D]
    const at::Tensor whole = last.slice(0, 1, last.size(0), 2);              // [150, D]
    const bool is_input = site.module == AttentionModule::kEncoder;
    const at::Tensor expected = is_input ? whole.mean(0) : at::zeros_like(found);
    CAPTURE(site.name());
    CHECK(largest_difference(found, expected) < 1e-5);
    CHECK(largest_difference(found, last.mean(0)) > 1e-4);
  }
}

TEST_CASE("progress on a split is reported batch by batch") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(1));
  ThreadTeam team(1);
  std::vector<std::int64_t> reported;
  score_removals(checkpoint.model(), additions(1, 300), {}, {{0, 0}}, {}, team,
                 [&](std::int64_t done) { reported.push_back(done); });
  CHECK(reported == std::vector<std::int64_t>{128, 256, 300});
}

}  // namespace
}  // namespace headway::testing
