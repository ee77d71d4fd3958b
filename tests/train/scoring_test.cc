// Scores of models that write sequences, against their definition.
#include "lib/train/scoring.h"

#include <ATen/ops/log_softmax.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <mutex>

#include "tests/nn/tiny_models.h"
#include "tests/train/half_trained.h"

namespace headway::testing {
namespace {

Scores scored(const Checkpoint& checkpoint, const Split& split, std::size_t team_size = 1) {
  ThreadTeam team(team_size);
  return score(model_for(checkpoint, split), split, team);
}

// The targets of a sample's answer that are asked for, by position; padding elsewhere.
Tokens wanted_answer(const Split& split, std::int64_t sample) {
  const auto row = split.target_length > 0 ? split.target(sample) : split.input(sample);
  Tokens wanted(row.begin(), row.end());
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    const auto cell = static_cast<std::size_t>(sample) * wanted.size() + at;
    if (split.target_length == 0 && !split.input_asked.empty() && split.input_asked[cell] == 0)
      wanted[at] = split.vocabulary().pad();
  }
  return wanted;
}

// Every score again, from one sample at a time.
void check_scores(const Checkpoint& checkpoint, const Split& split) {
  const Transformer model = model_for(checkpoint, split);
  const Scores scores = scored(checkpoint, split);
  const auto width = static_cast<std::size_t>(answer_length(split));
  REQUIRE(scores.size() == split.size());
  REQUIRE(scores.width == answer_length(split));
  REQUIRE(scores.right.size() == scores.exact.size() * width);
  REQUIRE(scores.answers.size() == scores.exact.size() * width);
  CHECK(scores.confidence.empty());
  double loss = 0, exact = 0;
  std::int64_t tokens = 0, right = 0;
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    CAPTURE(sample);
    const Batch batch = make_batch(checkpoint.config, split, sample, 1);
    DropoutStream none;
    const at::Tensor logits = model.forward(batch, none);  // [T, V]
    const at::Tensor likely = at::log_softmax(logits.to(at::kDouble), 1);
    for (std::int64_t row = 0; row < logits.size(0); ++row) {
      const auto wanted = batch.targets[0][row].item<Token>();
      if (wanted == kPad) continue;
      ++tokens;
      right += likely[row].argmax().item<std::int64_t>() == wanted;
      loss -= likely[row][wanted].item<double>();
    }
    const Tokens wanted = wanted_answer(split, sample);
    const std::int64_t begin = answer_begin(checkpoint.config, split, sample);
    bool all_right = true;
    for (std::size_t at = 0; at < width; ++at) {
      const std::size_t place = static_cast<std::size_t>(sample) * width + at;
      if (wanted[at] == kPad) {
        CHECK(scores.right[place] == 1);
        CHECK(scores.answers[place] == kPad);
        continue;
      }
      const auto said = likely[begin + static_cast<std::int64_t>(at)].argmax().item<std::int64_t>();
      CHECK(scores.answers[place] == said);
      CHECK(scores.right[place] == (said == wanted[at]));
      all_right &= said == wanted[at];
    }
    CHECK(scores.exact[static_cast<std::size_t>(sample)] == all_right);
    exact += all_right;
  }
  CHECK(scores.sums.tokens == tokens);
  CHECK(scores.sums.right_tokens == right);
  CHECK(std::abs(scores.loss() - loss / static_cast<double>(tokens)) < 1e-5);
  CHECK(std::abs(scores.token_accuracy() -
                 static_cast<double>(right) / static_cast<double>(tokens)) < 1e-12);
  CHECK(scores.exact_count() == static_cast<std::int64_t>(exact));
  CHECK(std::abs(scores.exact_match() - exact / static_cast<double>(split.size())) < 1e-12);
}

TEST_CASE("scores match their names") {
  for (const ModelKind kind : {ModelKind::kEncoderDecoder, ModelKind::kDecoder}) {
    CAPTURE(name_of(kind));
    check_scores(half_trained_adder(kind), additions(1, 40));
    check_scores(half_trained_on_uneven(kind), uneven_additions(200));
    const double share = scored(half_trained_on_uneven(kind), uneven_additions(200)).exact_match();
    CHECK(share > 0.2);
    CHECK(share < 0.9);
  }
}

TEST_CASE("scores of next tokens are those of what is asked") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(ModelKind::kDecoder));
  check_scores(checkpoint, repetitions(40, Asked::kAll));
  check_scores(checkpoint, repetitions(40, Asked::kSuffix));
  Split scattered = repetitions(40, Asked::kSuffix);
  for (std::size_t i = 0; i < scattered.inputs.size(); ++i)
    scattered.input_asked[i] = i % 3 == 0 && scattered.inputs[i] != kPad;
  check_scores(checkpoint, scattered);
}

TEST_CASE("input tokens that are asked for count as tokens, but not as a part of the answer") {
  const Checkpoint& checkpoint = half_trained_on_uneven(ModelKind::kDecoder);
  Split split = uneven_additions(30);
  const Scores without = scored(checkpoint, split);
  split.input_asked.assign(split.inputs.size(), 0);
  for (std::size_t i = 1; i < split.inputs.size(); i += 5) split.input_asked[i] = 1;
  check_scores(checkpoint, split);
  const Scores with = scored(checkpoint, split);
  CHECK(with.sums.tokens == without.sums.tokens + 30);
  CHECK(with.exact == without.exact);
  CHECK(with.exact_count() > 3);
  CHECK(with.answers == without.answers);
}

TEST_CASE("scores do not depend on the team's size") {
  for (const ModelKind kind : kEveryKind) {
    const Split split = uneven_data(kind, 700);
    const Scores alone = scored(half_trained_on_uneven(kind), split);
    CHECK(alone.exact.size() == 700);
    for (const std::size_t size : {2, 3}) {
      const Scores scores = scored(half_trained_on_uneven(kind), split, size);
      CHECK(scores.sums.loss == alone.sums.loss);
      CHECK(scores.exact == alone.exact);
      CHECK(scores.right == alone.right);
      CHECK(scores.answers == alone.answers);
      CHECK(scores.confidence == alone.confidence);
    }
  }
}

TEST_CASE("scores belong to their samples, in any order") {
  for (const ModelKind kind : kEveryKind) {
    const Checkpoint& checkpoint = half_trained_on_uneven(kind);
    const Split split = uneven_data(kind, 300);
    Split backwards;
    for (std::int64_t sample = 300; sample-- > 0;) backwards.append(split, sample);
    const Scores scores = scored(checkpoint, split), other = scored(checkpoint, backwards);
    CHECK(std::abs(scores.loss() - other.loss()) < 1e-5);
    CHECK(scores.sums.tokens == other.sums.tokens);
    std::vector<std::uint8_t> exact = other.exact;
    std::ranges::reverse(exact);
    CHECK(scores.exact == exact);
    for (std::size_t i = 0; i < scores.confidence.size(); ++i)
      CHECK(std::abs(scores.confidence[i] - other.confidence[299 - i]) < 1e-5);
  }
}

TEST_CASE("scoring reports how many samples are done, up to the last, and can be stopped") {
  const Split split = random_sequences(400, 16, 16);
  const Transformer model = random_checkpoint(config_for(ModelKind::kEncoder, split)).model(16);
  for (const std::size_t size : {1, 2}) {
    ThreadTeam team(size);
    std::mutex mutex;
    std::vector<std::int64_t> reported;
    score(model, split, team, {}, [&](std::int64_t done) {
      const std::lock_guard lock(mutex);
      reported.push_back(done);
    });
    CHECK(reported.size() > 2);
    CHECK(std::ranges::max(reported) == 400);
    CHECK_THROWS_AS(score(model, split, team, {},
                          [](std::int64_t done) {
                            if (done > 100) throw std::runtime_error("stop");
                          }),
                    std::runtime_error);
  }
}

TEST_CASE("samples longer than a scoring batch are scored one by one") {
  const Split split = random_sequences(3, 1600, 1700);
  TransformerConfig config = config_for(ModelKind::kEncoder, split);
  config.encoding = Encoding::kAlibi;
  const Scores scores = scored(random_checkpoint(config), split);
  CHECK(scores.size() == 3);
  CHECK(std::isfinite(scores.loss()));
}

}  // namespace
}  // namespace headway::testing
