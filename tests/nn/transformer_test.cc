// Whole models against plain tensor operations, and what they must not see.
#include "lib/nn/transformer.h"

#include <torch/csrc/autograd/autograd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cmath>

#include "lib/base/error.h"
#include "tests/nn/plain_transformer.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using at::Tensor;
using Catch::Matchers::Message;

// Gradients of a weighted sum of the logits, one for each leaf.
std::vector<Tensor> slopes_of(const Tensor& logits, const ParameterMap& leaves) {
  torch::autograd::variable_list inputs;
  for (const auto& [name, leaf] : leaves) inputs.push_back(leaf);
  const Tensor weights = draw(logits.sizes(), 99).to(logits.scalar_type());
  return torch::autograd::grad({(logits * weights).sum()}, inputs, {}, {}, {}, true);
}

double largest_of(const Tensor& tensor) {
  return tensor.numel() == 0 ? 0 : tensor.abs().max().item<double>();
}

void check_against_plain(const TransformerConfig& config, const Batch& batch,
                         std::int64_t longest = kLongest, const DropoutStream& dropout = {}) {
  const Checkpoint checkpoint = random_checkpoint(config);
  const ParameterMap leaves = checkpoint.parameters.views(true);
  const ParameterMap plain_leaves = double_leaves(checkpoint.parameters);
  DropoutStream stream = dropout;
  const Tensor mine = Transformer(config, leaves, longest).forward(batch, stream);
  const Tensor theirs = plain_logits(config, plain_leaves, batch, dropout);
  REQUIRE(mine.sizes() == theirs.sizes());
  CHECK(largest_difference(mine, theirs) < 1e-5 * (1 + largest_of(theirs)));
  const auto slopes = slopes_of(mine, leaves), expected = slopes_of(theirs, plain_leaves);
  std::size_t i = 0;
  for (const auto& [name, leaf] : leaves) {
    CAPTURE(name);
    REQUIRE(slopes[i].defined() == expected[i].defined());
    CHECK(slopes[i].defined());  // every parameter counts
    CHECK(largest_difference(slopes[i], expected[i]) < 2e-5 * (1 + largest_of(expected[i])));
    ++i;
  }
}

// Models of every kind, norm, encoding and source of positions.
template <class Check>
void for_every_encoding(const Check& check, std::int64_t layers = 1) {
  for (const ModelKind kind : kEveryKind) {
    for (const Encoding encoding : kEveryEncoding) {
      for (const PositionSource source : {PositionSource::kCounted, PositionSource::kData}) {
        if (encoding == Encoding::kNone && source == PositionSource::kData) continue;
        TransformerConfig config = tiny_config(kind, encoding, layers);
        config.positions = source;
        CAPTURE(name_of(kind), name_of(encoding), name_of(source));
        check(config);
      }
    }
  }
}

TEST_CASE("a model and its gradients match plain tensor operations, with every encoding") {
  for_every_encoding(
      [](TransformerConfig config) {
        for (const NormPlace norm : kEveryNorm) {
          CAPTURE(name_of(norm));
          config.norm = norm;
          check_against_plain(config, random_batch(config, 5, 9, 7));
        }
      },
      2);
}

TEST_CASE("outputs that are much longer than inputs match plain tensor operations") {
  for_every_encoding([](const TransformerConfig& config) {
    if (config.has_encoder() && config.has_decoder())
      check_against_plain(config, random_batch(config, 2, 3, 40), 128);
  });
}

TEST_CASE("rows that a batch repeats get the gradients of plain tensor operations") {
  for_every_encoding([](const TransformerConfig& config) {
    const Batch batch = random_batch(config, 60, 3, 2);
    if (config.positions == PositionSource::kCounted && config.has_encoder())
      CHECK(random_checkpoint(config).model(kLongest).begin(batch).encoder_repeats.are_there());
    check_against_plain(config, batch);
  });
}

TEST_CASE("a model and its gradients match plain tensor operations, with every feed-forward") {
  for (const ModelKind kind : kEveryKind) {
    for (const NormPlace norm : kEveryNorm) {
      for (const FeedKind feed : kEveryFeed) {
        CAPTURE(name_of(kind), name_of(norm), name_of(feed));
        TransformerConfig config = tiny_config(kind, 2);
        config.norm = norm;
        config.ffn = feed;
        check_against_plain(config, random_batch(config, 4, 5, 6));
      }
    }
  }
}

TEST_CASE("a classifier and its gradients match plain tensor operations, with every pooling") {
  for (const Pooling pooling : kEveryPooling) {
    for (const NormPlace norm : kEveryNorm) {
      CAPTURE(name_of(pooling), name_of(norm));
      TransformerConfig config = tiny_config(ModelKind::kEncoder, 2);
      config.pooling = pooling;
      config.norm = norm;
      check_against_plain(config, random_batch(config, 6, 9, 0));
    }
  }
}

TEST_CASE("sequences of one token and of many, without padding, match plain tensor operations") {
  for_every_encoding([](const TransformerConfig& config) {
    for (const std::int64_t length : {1, 20}) {
      CAPTURE(length);
      Batch batch = random_batch(config, 2, length, length);
      batch.lengths = Tensor();
      check_against_plain(config, batch, 3 * length);
    }
  });
}

TEST_CASE("more heads, other shapes of alibi and more classes match plain tensor operations") {
  for (const ModelKind kind : kEveryKind) {
    for (const AlibiShape shape : {AlibiShape::kSymmetric, AlibiShape::kDirectional}) {
      TransformerConfig config = tiny_config(kind, Encoding::kAlibi);
      config.alibi = shape;
      config.n_heads = 4;
      if (kind == ModelKind::kEncoder) config.classes = 3;
      for (const PositionSource source : {PositionSource::kCounted, PositionSource::kData}) {
        CAPTURE(name_of(kind), name_of(shape), name_of(source));
        config.positions = source;
        check_against_plain(config, random_batch(config, 6, 9, 5));
      }
    }
  }
}

// As with random offsets: each sample's positions start somewhere else.
TEST_CASE("a model that counts positions can be given others") {
  for_every_encoding([](const TransformerConfig& config) {
    if (config.positions == PositionSource::kData) return;
    Batch batch = random_batch(config, 3, 5, 4);
    const Tensor starts = at::tensor({0, 3, 11}, at::kInt).unsqueeze(1);
    if (config.has_encoder()) batch.input_positions = (at::arange(5, at::kInt) + starts);
    if (config.has_decoder()) batch.fed_positions = (at::arange(4, at::kInt) + starts);
    check_against_plain(config, batch);
    if (config.encoding == Encoding::kSinusoidal || config.encoding == Encoding::kLearned) return;
    // All that matters is the distance.
    Batch counted = batch;
    counted.input_positions = counted.fed_positions = Tensor();
    const Checkpoint checkpoint = random_checkpoint(config);
    CHECK(largest_difference(logits_of(checkpoint, batch), logits_of(checkpoint, counted)) < 1e-4);
  });
}

TEST_CASE("a later token that is fed changes its own logits and no earlier ones") {
  for_every_encoding([](const TransformerConfig& config) {
    if (!config.has_decoder()) return;
    const Checkpoint checkpoint = random_checkpoint(config);
    const Batch batch = random_batch(config, 2, 5, 4);
    const Tensor before = logits_of(checkpoint, batch).view({2, 4, config.vocabulary});
    for (std::int64_t changed = 0; changed < 4; ++changed) {
      CAPTURE(changed);
      Batch other = batch;
      other.fed = batch.fed.clone();
      other.fed.select(1, changed).add_(1).remainder_(config.vocabulary);
      const Tensor after = logits_of(checkpoint, other).view({2, 4, config.vocabulary});
      CHECK(largest_difference(before.narrow(1, 0, changed), after.narrow(1, 0, changed)) == 0);
      CHECK(largest_difference(before.select(1, changed), after.select(1, changed)) > 1e-3);
    }
  });
}

TEST_CASE("a sample has the same logits alone and padded among longer ones") {
  for_every_encoding(
      [](const TransformerConfig& config) {
        if (!config.has_encoder()) return;
        const Checkpoint checkpoint = random_checkpoint(config);
        const Batch batch = random_batch(config, 7, 12, 3);
        const std::int64_t rows = config.has_decoder() ? 3 : 1;
        const Tensor together = logits_of(checkpoint, batch).unflatten(0, {7, rows});
        for (std::int64_t i = 0; i < 7; ++i) {
          const std::int64_t length = batch.lengths[i].item<std::int64_t>();
          const auto only = [&](const Tensor& all, std::int64_t width) {
            return all.defined() ? all.narrow(0, i, 1).narrow(1, 0, width).contiguous() : all;
          };
          Batch alone;
          alone.inputs = only(batch.inputs, length);
          alone.input_positions = only(batch.input_positions, length);
          alone.fed = only(batch.fed, 3);
          alone.fed_positions = only(batch.fed_positions, 3);
          CHECK(largest_difference(logits_of(checkpoint, alone), together[i]) < 5e-5);
        }
      },
      2);
}

TEST_CASE("every pooling leaves out what follows a sequence's end") {
  for (const Pooling pooling : kEveryPooling) {
    CAPTURE(name_of(pooling));
    TransformerConfig config = tiny_config(ModelKind::kEncoder, 2);
    config.pooling = pooling;
    const Checkpoint checkpoint = random_checkpoint(config);
    const Batch batch = random_batch(config, 7, 12, 0);
    const Tensor together = logits_of(checkpoint, batch);
    for (std::int64_t i = 0; i < 7; ++i) {
      Batch alone;
      alone.inputs = batch.inputs.narrow(0, i, 1)
                         .narrow(1, 0, batch.lengths[i].item<std::int64_t>())
                         .contiguous();
      CHECK(largest_difference(logits_of(checkpoint, alone)[0], together[i]) < 5e-5);
    }
  }
}

TEST_CASE("what follows a sequence's end does not matter") {
  for_every_encoding([](TransformerConfig config) {
    if (!config.has_encoder()) return;
    config.pooling = Pooling::kMulti;
    const Checkpoint checkpoint = random_checkpoint(config);
    const Batch batch = random_batch(config, 7, 12, 3);
    Batch other = batch;
    const Tensor padding = at::arange(12) >= batch.lengths.unsqueeze(1);
    other.inputs = batch.inputs.masked_fill(padding, 7);
    REQUIRE_FALSE(at::equal(batch.inputs, other.inputs));
    CHECK(largest_difference(logits_of(checkpoint, batch), logits_of(checkpoint, other)) == 0);
  });
}

TEST_CASE("the longest position that a model is made for does not change its output") {
  for_every_encoding([](const TransformerConfig& config) {
    const Checkpoint checkpoint = random_checkpoint(config);
    const Batch batch = random_batch(config, 4, 8, 8);
    DropoutStream none;
    const Tensor shorter = checkpoint.model(24).forward(batch, none);
    CHECK(largest_difference(checkpoint.model(100).forward(batch, none), shorter) == 0);
  });
}

// Logits of two sequences, apart.
double apart(const TransformerConfig& config, const std::vector<std::int32_t>& a,
             const std::vector<std::int32_t>& b) {
  const Checkpoint checkpoint = random_checkpoint(config);
  const auto classified = [&](const std::vector<std::int32_t>& tokens) {
    Batch batch;
    batch.inputs = at::tensor(tokens, at::kInt).unsqueeze(0);
    return logits_of(checkpoint, batch);
  };
  return largest_difference(classified(a), classified(b));
}

TEST_CASE("without positions the order of the values does not matter, and with them it does") {
  const std::vector<std::int32_t> values = {3, 1, 4, 1, 5, 9}, others = {9, 1, 3, 5, 1, 4};
  for (const Encoding encoding : kEveryEncoding) {
    TransformerConfig config = tiny_config(ModelKind::kEncoder, encoding);
    for (const Pooling pooling : {Pooling::kMean, Pooling::kMax, Pooling::kMin}) {
      CAPTURE(name_of(encoding), name_of(pooling));
      config.pooling = pooling;
      const double difference = apart(config, values, others);
      if (encoding == Encoding::kNone) {
        CHECK(difference < 1e-5);
      } else {
        CHECK(difference > 1e-4);
      }
    }
  }
  TransformerConfig last = tiny_config(ModelKind::kEncoder, Encoding::kNone);
  last.pooling = Pooling::kLast;
  CHECK(apart(last, values, others) > 1e-4);
}

TEST_CASE("only symmetric alibi and no positions are the same read backwards") {
  const std::vector<std::int32_t> values = {3, 1, 4, 1, 5, 9}, back = {9, 5, 1, 4, 1, 3};
  for (const Encoding encoding : kEveryEncoding) {
    for (const AlibiShape shape : {AlibiShape::kSymmetric, AlibiShape::kDirectional}) {
      CAPTURE(name_of(encoding), name_of(shape));
      TransformerConfig config = tiny_config(ModelKind::kEncoder, encoding);
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
      const double difference = apart(tiny_config(ModelKind::kEncoder, encoding), {7},
                                      std::vector<std::int32_t>(length, 7));
      if (encoding == Encoding::kSinusoidal || encoding == Encoding::kLearned) {
        CHECK(difference > 1e-4);
      } else {
        CHECK(difference < 1e-5);
      }
    }
  }
}

TEST_CASE("dropout is that of its stream, everywhere but in the embeddings, in this order") {
  for (const ModelKind kind : kEveryKind) {
    for (const NormPlace norm : kEveryNorm) {
      for (const FeedKind feed : kEveryFeed) {
        CAPTURE(name_of(kind), name_of(norm), name_of(feed));
        TransformerConfig config = tiny_config(kind, 2);
        config.norm = norm;
        config.ffn = feed;
        const Batch batch = random_batch(config, 4, 5, 4);
        for (const DropoutRates rates : {DropoutRates{0.3, 0}, {0, 0.3}, {0.2, 0.4}})
          check_against_plain(config, batch, kLongest, DropoutStream(rates, RandomStream(5)));
      }
    }
  }
}

TEST_CASE("another stream drops something else, and a stream without rates nothing") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config());
  const Batch batch = random_batch(checkpoint.config, 5, 5, 4);
  const auto dropped = [&](DropoutRates rates, std::uint64_t seed) {
    DropoutStream stream(rates, RandomStream(seed));
    return checkpoint.model(kLongest).forward(batch, stream);
  };
  CHECK(at::equal(dropped({0, 0}, 1), logits_of(checkpoint, batch)));
  CHECK(at::equal(dropped({0.3, 0}, 1), dropped({0.3, 0}, 1)));
  CHECK(largest_difference(dropped({0.3, 0}, 1), dropped({0.3, 0}, 2)) > 1e-3);
}

TEST_CASE("the width of feed-forward layers means nothing to a model without them") {
  for (const ModelKind kind : kEveryKind) {
    TransformerConfig config = tiny_config(kind);
    config.ffn = FeedKind::kNone;
    const Checkpoint checkpoint = random_checkpoint(config);
    config.d_ff = 999;
    const Checkpoint other = random_checkpoint(config);
    CHECK(bytes_of(checkpoint.parameters) == bytes_of(other.parameters));
    const Batch batch = random_batch(config, 2, 3, 3);
    CHECK(at::equal(logits_of(checkpoint, batch), logits_of(other, batch)));
  }
}

TEST_CASE("weights that stand side by side are drawn as each alone would be") {
  TransformerConfig config = tiny_config();
  config.d_model = 64;
  config.d_ff = 200;
  config.ffn = FeedKind::kGated;
  Parameters parameters(parameter_shapes(config));
  parameters.draw(3);
  const ParameterMap drawn = parameters.views(false);
  const auto check = [&](const std::string& name, double in, double out) {
    CAPTURE(name);
    const double limit = std::sqrt(6 / (in + out)), most = largest_of(drawn.at(name));
    CHECK(most <= limit * (1 + 1e-6));
    CHECK(most > 0.99 * limit);
  };
  check("encoder.0.self.qkv.weight", 64, 64);
  check("decoder.0.cross.q.weight", 64, 64);
  check("decoder.0.cross.kv.weight", 64, 64);
  check("encoder.0.feed.in.weight", 64, 200);
  check("encoder.0.feed.out.weight", 200, 64);
}

TEST_CASE("a sequence that reaches beyond the longest position is refused") {
  for (const ModelKind kind : kEveryKind) {
    TransformerConfig config = tiny_config(kind);
    const Transformer model = random_checkpoint(config).model(6);
    DropoutStream none;
    model.forward(random_batch(config, 2, 6, 6), none);
    CHECK_THROWS_MATCHES(model.forward(random_batch(config, 2, 7, 7), none), Error,
                         Message("a sequence of 7 is longer than 6"));
    Batch moved = random_batch(config, 2, 3, 3);
    moved.input_positions = moved.fed_positions =
        at::tensor({0, 1, 2, 4, 5, 6}, at::kInt).view({2, 3});
    CHECK_THROWS_MATCHES(model.forward(moved, none), Error, Message("position 6 is not below 6"));
  }
}

TEST_CASE("a model that takes positions from the data refuses a batch without") {
  for (const ModelKind kind : kEveryKind) {
    TransformerConfig config = tiny_config(kind);
    const Batch batch = random_batch(config, 2, 3, 3);
    config.positions = PositionSource::kData;
    CHECK_THROWS_MATCHES(logits_of(random_checkpoint(config), batch), Error,
                         Message("the model takes positions from the data, but a batch has none"));
  }
}

TEST_CASE("a model of an impossible shape is refused on construction") {
  TransformerConfig config = tiny_config();
  const Checkpoint checkpoint = random_checkpoint(config);
  config.n_heads = 3;
  CHECK_THROWS_AS(Transformer(config, checkpoint.parameters.views(false), 6), Error);
}

}  // namespace
}  // namespace headway::testing
