// Scores of classifiers, against their definition.
#include <ATen/ops/log_softmax.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "lib/train/scoring.h"
#include "tests/nn/tiny_models.h"
#include "tests/train/half_trained.h"

namespace headway::testing {
namespace {

Scores scored_labels(const Checkpoint& checkpoint, const Split& split) {
  ThreadTeam team(1);
  return score(checkpoint.model(split.input_length), split, team);
}

TEST_CASE("a classifier's scores match their names") {
  const Checkpoint& checkpoint = half_trained_on_uneven(ModelKind::kEncoder);
  const Split split = random_sequences(300, 1, 9);
  const Scores scores = scored_labels(checkpoint, split);
  REQUIRE(scores.width == 1);
  REQUIRE(scores.confidence.size() == 300);
  double loss = 0, right = 0;
  std::vector<int> said(3);
  for (std::int64_t i = 0; i < 300; ++i) {
    CAPTURE(i);
    DropoutStream none;
    const at::Tensor logits =
        checkpoint.model(9).forward(make_batch(checkpoint.config, split, i, 1), none);
    const at::Tensor likely = at::log_softmax(logits[0].to(at::kDouble), 0);  // [3]
    const auto index = static_cast<std::size_t>(i);
    const std::int32_t label = split.labels[index];
    const auto answer = likely.argmax().item<std::int64_t>();
    loss -= likely[label].item<double>();
    right += answer == label;
    ++said[static_cast<std::size_t>(answer)];
    CHECK(scores.answers[index] == answer);
    CHECK(std::abs(scores.confidence[index] - std::exp(likely[answer].item<double>())) < 1e-5);
    CHECK(scores.exact[index] == (answer == label));
    CHECK(scores.right[index] == (answer == label));
  }
  CHECK(right > 60);  // right and wrong answers occur, and every class
  CHECK(right < 290);
  for (const int count : said) CHECK(count > 10);
  CHECK(scores.sums.tokens == 300);
  CHECK(std::abs(scores.loss() - loss / 300) < 1e-5);
  CHECK(std::abs(scores.exact_match() - right / 300) < 1e-12);
  CHECK(scores.token_accuracy() == scores.exact_match());
}

TEST_CASE("a classifier with extreme confidence is right or wrong, never NaN") {
  const Split split = labelled({{2, 1}, {1, 3, 2}, {3, 4}, {5, 6}});  // classes 0 1 2 2
  Checkpoint checkpoint = random_checkpoint(config_for(ModelKind::kEncoder, split));
  const ParameterMap parameters = checkpoint.parameters.views(false);
  parameters.at("classify.1.weight").zero_();
  for (std::int32_t favourite = 0; favourite < 3; ++favourite) {
    CAPTURE(favourite);
    parameters.at("classify.1.bias").zero_();
    parameters.at("classify.1.bias")[favourite] = 1e4F;
    const Scores scores = scored_labels(checkpoint, split);
    CHECK(scores.confidence == std::vector<float>(4, 1));
    CHECK(scores.answers == std::vector<std::int32_t>(4, favourite));
    CHECK(scores.exact_count() == (favourite == 2 ? 2 : 1));
    CHECK(std::isfinite(scores.loss()));
  }
  // An undecided classifier gives the first class.
  parameters.at("classify.1.bias").zero_();
  const Scores undecided = scored_labels(checkpoint, split);
  CHECK(std::abs(undecided.confidence[0] - 1.0F / 3) < 1e-6F);
  CHECK(undecided.exact == std::vector<std::uint8_t>{1, 0, 0, 0});
  CHECK(std::abs(undecided.loss() - std::log(3)) < 1e-6);
}

}  // namespace
}  // namespace headway::testing
