// A classifier's scores against their definition.
#include "lib/train/scoring.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <mutex>

#include "tests/nn/tiny_classifiers.h"

namespace headway::testing {
namespace {

ClassifierScores scored(const ClassifierCheckpoint& checkpoint, const LabelledSequences& sequences,
                        std::size_t team_size = 1) {
  ThreadTeam team(team_size);
  return score(checkpoint.model(sequences.width), sequences, team);
}

TEST_CASE("a classifier's scores match their names") {
  const ClassifierCheckpoint checkpoint =
      random_classifier(tiny_classifier(Encoding::kRope, Pooling::kMulti));
  const LabelledSequences sequences = random_sequences(300, 1, 12);
  const ClassifierScores scores = scored(checkpoint, sequences);
  REQUIRE(scores.probability.size() == 300);
  REQUIRE(scores.right.size() == 300);
  double loss = 0, right = 0;
  for (std::int64_t i = 0; i < 300; ++i) {
    CAPTURE(i);
    const std::vector<std::int64_t> one = {i};
    DropoutStream none;
    const at::Tensor logits = checkpoint.model(12).forward(make_batch(sequences, one), none);
    const at::Tensor likely = at::log_softmax(logits[0].to(at::kDouble), 0);  // [2]
    const auto index = static_cast<std::size_t>(i);
    const std::int32_t label = sequences.labels[index];
    loss -= likely[label].item<double>();
    const bool is_right = likely.argmax().item<std::int64_t>() == label;
    right += is_right;
    CHECK(std::abs(scores.probability[index] - std::exp(likely[1].item<double>())) < 1e-5);
    CHECK(scores.right[index] == is_right);
  }
  CHECK(right > 60);  // both answers occur
  CHECK(right < 240);
  CHECK(std::abs(scores.loss() - loss / 300) < 1e-5);
  CHECK(std::abs(scores.accuracy() - right / 300) < 1e-12);
}

TEST_CASE("a classifier's scores do not depend on the team's size") {
  const ClassifierCheckpoint checkpoint = random_classifier(tiny_classifier());
  const LabelledSequences sequences = random_sequences(700, 2, 16);
  const ClassifierScores alone = scored(checkpoint, sequences);
  for (const std::size_t size : {2, 3}) {
    const ClassifierScores together = scored(checkpoint, sequences, size);
    CHECK(together.loss_sum == alone.loss_sum);
    CHECK(together.probability == alone.probability);
    CHECK(together.right == alone.right);
  }
}

TEST_CASE("a classifier's scores belong to their samples, in any order") {
  const ClassifierCheckpoint checkpoint = random_classifier(tiny_classifier());
  const LabelledSequences sequences = random_sequences(400, 2, 16);
  LabelledSequences backwards;
  backwards.width = sequences.width;
  for (std::int64_t i = 400; i-- > 0;) {
    append_sequence(sequences.sequence(i), sequences.labels[static_cast<std::size_t>(i)],
                    backwards);
  }
  const ClassifierScores scores = scored(checkpoint, sequences);
  const ClassifierScores other = scored(checkpoint, backwards);
  CHECK(std::abs(scores.loss() - other.loss()) < 1e-6);
  for (std::size_t i = 0; i < 400; ++i) {
    CHECK(std::abs(scores.probability[i] - other.probability[399 - i]) < 1e-5);
  }
}

TEST_CASE("a classifier with extreme confidence is right or wrong, never NaN") {
  ClassifierCheckpoint checkpoint = random_classifier(tiny_classifier());
  const ParameterMap parameters = checkpoint.parameters.views(false);
  parameters.at("classify.1.weight").zero_();
  const LabelledSequences sequences = labelled({{1, 2}, {2, 1}, {3, 4}});
  for (const float lead : {1e4F, -1e4F}) {
    CAPTURE(lead);
    parameters.at("classify.1.bias")[0] = 0;
    parameters.at("classify.1.bias")[1] = lead;
    const ClassifierScores scores = scored(checkpoint, sequences);
    const float sure = lead > 0 ? 1 : 0;
    CHECK(scores.probability == std::vector<float>{sure, sure, sure});
    CHECK(scores.accuracy() == (lead > 0 ? 2.0 / 3 : 1.0 / 3));
    CHECK(std::isfinite(scores.loss()));
  }
  // Undecided does not count as answer 1.
  parameters.at("classify.1.bias")[1] = 0;
  const ClassifierScores undecided = scored(checkpoint, sequences);
  CHECK(undecided.probability[0] == 0.5F);
  CHECK(undecided.right == std::vector<std::uint8_t>{0, 1, 0});
  CHECK(std::abs(undecided.loss() - std::log(2)) < 1e-6);
}

TEST_CASE("scoring reports how many sequences are done, up to the last, and can be stopped") {
  const ClassifierCheckpoint checkpoint = random_classifier(tiny_classifier());
  const LabelledSequences sequences = random_sequences(400, 16, 16);
  const Classifier model = checkpoint.model(16);
  for (const std::size_t size : {1, 2}) {
    ThreadTeam team(size);
    std::mutex mutex;
    std::vector<std::int64_t> reported;
    score(model, sequences, team, [&](std::int64_t done) {
      const std::lock_guard lock(mutex);
      reported.push_back(done);
    });
    CHECK(reported.size() > 2);
    CHECK(*std::max_element(reported.begin(), reported.end()) == 400);
    CHECK_THROWS_AS(score(model, sequences, team,
                          [](std::int64_t done) {
                            if (done > 100) throw std::runtime_error("stop");
                          }),
                    std::runtime_error);
  }
}

TEST_CASE("sequences longer than a scoring batch are scored one by one") {
  const ClassifierCheckpoint checkpoint = random_classifier(tiny_classifier(Encoding::kAlibi));
  const LabelledSequences sequences = random_sequences(2, 1600, 1700);
  const ClassifierScores scores = scored(checkpoint, sequences);
  CHECK(scores.probability.size() == 2);
  CHECK(std::isfinite(scores.loss()));
}

}  // namespace
}  // namespace headway::testing
