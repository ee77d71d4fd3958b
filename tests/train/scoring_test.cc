// Scores with teacher forcing against real decoding, and against their definition.
#include "lib/train/scoring.h"

#include <ATen/ops/log_softmax.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "lib/nn/seq2seq.h"
#include "lib/train/batches.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

std::vector<std::uint8_t> exact_by_decoding(const Seq2Seq& model, const Seq2SeqSplit& split) {
  const Seq2SeqBatch batch = make_batch(split, 0, split.size());
  const at::Tensor said =
      greedy_decode(model, batch.inputs, batch.lengths, kBos, split.target_length);
  const auto* tokens = said.data_ptr<Token>();
  std::vector<std::uint8_t> exact;
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    const auto target = split.target(sample);
    bool right = true;
    for (std::size_t t = 0; t < target.size() && target[t] != kPad; ++t) {
      right &= tokens[static_cast<std::size_t>(sample) * target.size() + t] == target[t];
    }
    exact.push_back(right);
  }
  return exact;
}

TEST_CASE("exact match with teacher forcing equals exact match when decoding") {
  ThreadTeam team(2);
  const auto check = [&](const Checkpoint& checkpoint, const Seq2SeqSplit& split) {
    const Seq2SeqScores scores = score(checkpoint.model(), split, team);
    CHECK(scores.exact == exact_by_decoding(checkpoint.model(), split));
    return scores.exact_match();
  };
  SECTION("untrained") {
    check(random_checkpoint(tiny_config(2)), additions(1, 300));
    check(random_checkpoint(tiny_config(1)), uneven_additions(300));
  }
  SECTION("partly trained") {
    const double share = check(half_trained_adder(), additions(1, 300));
    CHECK(share > 0.2);
    CHECK(share < 0.9);
  }
  SECTION("partly trained, with targets of different lengths") {
    const Seq2SeqSplit split = uneven_additions(200);
    const double share = check(half_trained(split, 25), split);
    CHECK(share > 0.2);
    CHECK(share < 0.9);
  }
}

TEST_CASE("scores match their names") {
  const Checkpoint& checkpoint = half_trained_adder();
  const Seq2SeqSplit split = uneven_additions(40);
  const Seq2SeqBatch batch = make_batch(split, 0, 40);
  DropoutStream none;
  const at::Tensor logits = checkpoint.model().forward(batch, none);  // [B * T, V]
  const at::Tensor likely = at::log_softmax(logits.to(at::kDouble), 1);
  double loss = 0;
  std::int64_t tokens = 0, right = 0;
  for (std::int64_t row = 0; row < logits.size(0); ++row) {
    const Token wanted = split.targets[static_cast<std::size_t>(row)];
    if (wanted == kPad) continue;
    ++tokens;
    right += likely[row].argmax().item<std::int64_t>() == wanted;
    loss -= likely[row][wanted].item<double>();
  }
  ThreadTeam team(1);
  const Seq2SeqScores scores = score(checkpoint.model(), split, team);
  CHECK(scores.tokens == tokens);
  CHECK(scores.right_tokens == right);
  CHECK(std::abs(scores.loss() - loss / static_cast<double>(tokens)) < 1e-5);
  CHECK(std::abs(scores.token_accuracy() -
                 static_cast<double>(right) / static_cast<double>(tokens)) < 1e-12);
  REQUIRE(scores.right.size() == 120);
  REQUIRE(scores.exact.size() == 40);
  for (std::size_t i = 0; i < 40; ++i) {
    const bool all = scores.right[3 * i] && scores.right[3 * i + 1] && scores.right[3 * i + 2];
    CHECK(scores.exact[i] == all);
  }
}

TEST_CASE("scores do not depend on the team's size") {
  const Checkpoint& checkpoint = half_trained_adder();
  const Seq2SeqSplit split = additions(1, 700);
  const auto scored = [&](std::size_t size) {
    ThreadTeam team(size);
    return score(checkpoint.model(), split, team);
  };
  const Seq2SeqScores alone = scored(1);
  CHECK(alone.exact.size() == 700);
  for (const std::size_t size : {2, 3}) {
    const Seq2SeqScores scores = scored(size);
    CHECK(scores.loss_sum == alone.loss_sum);
    CHECK(scores.exact == alone.exact);
    CHECK(scores.right == alone.right);
  }
}

TEST_CASE("a batch's inputs, fed tokens and targets are the requested rows") {
  const Seq2SeqSplit split = additions(1, {{3, 4}, {9, 8}, {5, 5}});
  const std::vector<std::int64_t> rows = {2, 1};
  const Seq2SeqBatch batch = make_batch(split, rows);
  const auto values = [](const at::Tensor& tensor) {
    return std::vector<Token>(tensor.data_ptr<Token>(), tensor.data_ptr<Token>() + tensor.numel());
  };
  CHECK(values(batch.inputs) == std::vector<Token>{5, kPlus, 5, 9, kPlus, 8});
  CHECK(values(batch.fed) == std::vector<Token>{kBos, 1, kBos, 1});
  CHECK(values(batch.targets) == std::vector<Token>{1, 0, 1, 7});
  CHECK_FALSE(batch.lengths.defined());
  CHECK(target_count(split, rows) == 4);
}

TEST_CASE("a batch has lengths if an input is padded, and padding is not a target") {
  Seq2SeqSplit split;
  split.vocabulary = addition_vocabulary();
  split.input_length = 4;
  split.target_length = 3;
  split.inputs = {1, kPlus, 2, kPad, 1, kPlus, 1, 2};
  split.targets = {3, kEos, kPad, 1, 3, kEos};
  const Seq2SeqBatch batch = make_batch(split, 0, 2);
  REQUIRE(batch.lengths.defined());
  CHECK(batch.lengths[0].item<int>() == 3);
  CHECK(batch.lengths[1].item<int>() == 4);
  CHECK_FALSE(make_batch(split, 1, 1).lengths.defined());
  CHECK(target_count(split, std::vector<std::int64_t>{0, 1}) == 5);
}

}  // namespace
}  // namespace headway::testing
