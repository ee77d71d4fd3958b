// The whole classifier against plain tensor operations, and what it must not see.
#include "lib/nn/classifier.h"

#include <torch/csrc/autograd/autograd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "lib/base/error.h"
#include "lib/train/batches.h"
#include "tests/nn/plain_classifier.h"
#include "tests/nn/plain_seq2seq.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_classifiers.h"

namespace headway::testing {
namespace {

using at::Tensor;

ClassifierBatch batch_of(const LabelledSequences& sequences) {
  return make_batch(sequences, order_by_length(sequences));
}

Tensor classify(const ClassifierCheckpoint& checkpoint, const ClassifierBatch& batch) {
  DropoutStream none;
  return checkpoint.model(batch.tokens.size(1)).forward(batch, none);
}
Tensor classify(const ClassifierCheckpoint& checkpoint, const std::vector<std::int32_t>& sequence) {
  return classify(checkpoint, batch_of(labelled({sequence})));
}

std::vector<Tensor> gradients_of(const Tensor& logits, const ParameterMap& leaves) {
  torch::autograd::variable_list inputs;
  for (const auto& [name, parameter] : leaves) inputs.push_back(parameter);
  const Tensor weights = draw(logits.sizes(), 99).to(logits.scalar_type());
  return torch::autograd::grad({(logits * weights).sum()}, inputs);
}

void check_against_plain(const ClassifierConfig& config, const ClassifierBatch& batch,
                         std::int64_t longest) {
  const ClassifierCheckpoint checkpoint = random_classifier(config);
  const ParameterMap leaves = checkpoint.parameters.views(true);
  DropoutStream none;
  const Tensor mine = Classifier(config, leaves, longest).forward(batch, none);
  const ParameterMap plain_leaves = double_leaves(checkpoint.parameters);
  const Tensor theirs = plain_logits(config, plain_leaves, batch);
  REQUIRE(mine.sizes() == theirs.sizes());
  CHECK(largest_difference(mine, theirs) < 5e-5);
  const auto slopes = gradients_of(mine, leaves), expected = gradients_of(theirs, plain_leaves);
  std::size_t i = 0;
  for (const auto& [name, parameter] : leaves) {
    CAPTURE(name);
    CHECK(largest_difference(slopes[i], expected[i]) <
          2e-5 * (1 + expected[i].abs().max().item<double>()));
    ++i;
  }
}

TEST_CASE("the classifier and its gradients match plain tensor operations") {
  const ClassifierBatch padded = batch_of(random_sequences(6, 1, 9));
  REQUIRE(padded.lengths.defined());
  for (const Encoding encoding : kEveryEncoding) {
    for (const Pooling pooling : kEveryPooling) {
      CAPTURE(name_of(encoding), name_of(pooling));
      check_against_plain(tiny_classifier(encoding, pooling, 2), padded, 9);
    }
    CAPTURE(name_of(encoding));
    const ClassifierConfig config = tiny_classifier(encoding);
    check_against_plain(config, padded, 14);  // a model for longer sequences than it gets
    check_against_plain(config, batch_of(random_sequences(3, 5, 5)), 5);  // nothing padded
    check_against_plain(config, batch_of(random_sequences(2, 30, 30)), 30);
    check_against_plain(config, batch_of(random_sequences(2, 1, 1)), 1);
  }
}

TEST_CASE("so do those of a classifier with more heads and classes, and symmetric alibi") {
  ClassifierConfig config = tiny_classifier(Encoding::kAlibi, Pooling::kMulti);
  config.n_heads = 4;
  config.classes = 3;
  for (const AlibiShape shape : {AlibiShape::kSymmetric, AlibiShape::kDirectional}) {
    config.alibi = shape;
    check_against_plain(config, batch_of(random_sequences(6, 1, 9)), 9);
  }
  config.n_heads = 1;
  config.alibi = AlibiShape::kSymmetric;
  check_against_plain(config, batch_of(random_sequences(6, 1, 9)), 9);
}

TEST_CASE("a sequence has the same logits alone and padded among longer ones") {
  const LabelledSequences sequences = random_sequences(7, 1, 12);
  const ClassifierBatch batch = batch_of(sequences);
  REQUIRE(batch.lengths.defined());
  for (const Encoding encoding : kEveryEncoding) {
    for (const Pooling pooling : kEveryPooling) {
      CAPTURE(name_of(encoding), name_of(pooling));
      const ClassifierCheckpoint checkpoint =
          random_classifier(tiny_classifier(encoding, pooling, 2));
      const Tensor together = classify(checkpoint, batch);
      std::int64_t row = 0;
      for (const std::int64_t sample : order_by_length(sequences)) {
        const std::vector<std::int64_t> one = {sample};
        const ClassifierBatch alone = make_batch(sequences, one);
        CHECK(largest_difference(classify(checkpoint, alone)[0], together[row++]) < 2e-5);
      }
    }
  }
}

TEST_CASE("what follows a sequence's end does not matter") {
  ClassifierBatch batch = batch_of(random_sequences(7, 1, 12));
  ClassifierBatch other = batch;
  const Tensor padding = at::arange(12) >= batch.lengths.unsqueeze(1);
  other.tokens = batch.tokens.masked_fill(padding, 7);
  REQUIRE_FALSE(at::equal(batch.tokens, other.tokens));
  for (const Encoding encoding : kEveryEncoding) {
    CAPTURE(name_of(encoding));
    const ClassifierCheckpoint checkpoint =
        random_classifier(tiny_classifier(encoding, Pooling::kMulti, 2));
    CHECK(largest_difference(classify(checkpoint, batch), classify(checkpoint, other)) == 0);
  }
}

TEST_CASE("the length a model is made for does not change its output for shorter ones") {
  const ClassifierBatch batch = batch_of(random_sequences(7, 1, 12));
  for (const Encoding encoding : kEveryEncoding) {
    CAPTURE(name_of(encoding));
    const ClassifierCheckpoint checkpoint = random_classifier(tiny_classifier(encoding));
    DropoutStream none;
    const Tensor longer = checkpoint.model(100).forward(batch, none);
    CHECK(largest_difference(classify(checkpoint, batch), longer) == 0);
  }
}

// Logits of two sequences, apart.
double apart(const ClassifierConfig& config, const std::vector<std::int32_t>& a,
             const std::vector<std::int32_t>& b) {
  const ClassifierCheckpoint checkpoint = random_classifier(config);
  return largest_difference(classify(checkpoint, a), classify(checkpoint, b));
}

TEST_CASE("without positions the order of the values does not matter, and with them it does") {
  const std::vector<std::int32_t> values = {3, 1, 4, 1, 5, 9}, others = {9, 1, 3, 5, 1, 4};
  for (const Encoding encoding : kEveryEncoding) {
    for (const Pooling pooling : {Pooling::kMean, Pooling::kMax, Pooling::kMin}) {
      CAPTURE(name_of(encoding), name_of(pooling));
      const double difference = apart(tiny_classifier(encoding, pooling), values, others);
      if (encoding == Encoding::kNone) {
        CHECK(difference < 1e-5);
      } else {
        CHECK(difference > 1e-4);
      }
    }
  }
  CHECK(apart(tiny_classifier(Encoding::kNone, Pooling::kLast), values, others) > 1e-4);
}

TEST_CASE("only symmetric alibi and no positions are the same read backwards") {
  const std::vector<std::int32_t> values = {3, 1, 4, 1, 5, 9}, back = {9, 5, 1, 4, 1, 3};
  for (const Encoding encoding : kEveryEncoding) {
    for (const AlibiShape shape : {AlibiShape::kSymmetric, AlibiShape::kDirectional}) {
      CAPTURE(name_of(encoding), name_of(shape));
      ClassifierConfig config = tiny_classifier(encoding);
      config.alibi = shape;
      const bool both = encoding == Encoding::kNone ||
                        (encoding == Encoding::kAlibi && shape == AlibiShape::kSymmetric);
      CHECK((apart(config, values, back) < 1e-5) == both);
    }
  }
}

// If positions only affect attention, the mean of equal values is that value, at any position.
TEST_CASE("a repeated value looks the same at any length, unless positions are added") {
  for (const Encoding encoding : kEveryEncoding) {
    for (const std::size_t length : {2, 6, 40}) {
      CAPTURE(name_of(encoding), length);
      const double difference =
          apart(tiny_classifier(encoding), {7}, std::vector<std::int32_t>(length, 7));
      if (encoding == Encoding::kSinusoidal || encoding == Encoding::kLearned) {
        CHECK(difference > 1e-4);
      } else {
        CHECK(difference < 1e-5);
      }
    }
  }
}

TEST_CASE("a classifier's dropout is a function of its stream") {
  const ClassifierCheckpoint checkpoint = random_classifier(tiny_classifier());
  const ClassifierBatch batch = batch_of(random_sequences(5, 2, 9));
  const auto dropped = [&](DropoutRates rates, std::uint64_t seed) {
    DropoutStream stream(rates, RandomStream(seed));
    return checkpoint.model(9).forward(batch, stream);
  };
  const Tensor whole = classify(checkpoint, batch);
  CHECK(largest_difference(dropped({0, 0}, 1), whole) == 0);
  CHECK(largest_difference(dropped({0.3, 0}, 1), dropped({0.3, 0}, 1)) == 0);
  CHECK(largest_difference(dropped({0.3, 0}, 1), dropped({0.3, 0}, 2)) > 1e-3);
  CHECK(largest_difference(dropped({0.3, 0}, 1), whole) > 1e-3);
  CHECK(largest_difference(dropped({0, 0.3}, 1), whole) > 1e-3);
}

TEST_CASE("a sequence longer than a classifier was made for is refused") {
  const ClassifierCheckpoint checkpoint = random_classifier(tiny_classifier());
  const ClassifierBatch batch = batch_of(random_sequences(2, 7, 7));
  DropoutStream none;
  CHECK_THROWS_MATCHES(checkpoint.model(6).forward(batch, none), Error,
                       Catch::Matchers::Message("a sequence of 7 is longer than 6"));
}

TEST_CASE("a classifier of an impossible shape is refused on construction") {
  ClassifierConfig config = tiny_classifier();
  const ClassifierCheckpoint checkpoint = random_classifier(config);
  config.n_heads = 3;
  CHECK_THROWS_AS(Classifier(config, checkpoint.parameters.views(false), 6), Error);
}

}  // namespace
}  // namespace headway::testing
