// Positional encodings against their definitions.
#include "lib/nn/positions.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <set>

#include "tests/nn/plain_classifier.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_classifiers.h"

namespace headway::testing {
namespace {

using at::Tensor;

TEST_CASE("sinusoidal positions are sines and cosines of increasing wavelengths") {
  const Tensor positions = sinusoidal_positions(1000, 6);
  REQUIRE(positions.sizes() == at::IntArrayRef({1000, 6}));
  for (const std::int64_t t : {0, 1, 7, 999}) {
    for (const std::int64_t pair : {0, 1, 2}) {
      CAPTURE(t, pair);
      const double angle =
          static_cast<double>(t) * std::pow(10000.0, -static_cast<double>(pair) / 3);
      CHECK(std::abs(positions[t][2 * pair].item<double>() - std::sin(angle)) < 1e-6);
      CHECK(std::abs(positions[t][2 * pair + 1].item<double>() - std::cos(angle)) < 1e-6);
    }
  }
}

TEST_CASE("symmetric alibi has the slopes of its paper") {
  const std::vector<AlibiHead> four = alibi_heads(4, AlibiShape::kSymmetric);
  const std::vector<AlibiHead> eight = alibi_heads(8, AlibiShape::kSymmetric);
  REQUIRE(four.size() == 4);
  REQUIRE(eight.size() == 8);
  for (std::size_t h = 0; h < 4; ++h) CHECK(four[h].slope == std::ldexp(1, -2 * (int(h) + 1)));
  for (std::size_t h = 0; h < 8; ++h) CHECK(eight[h].slope == std::ldexp(1, -(int(h) + 1)));
  for (const AlibiHead& head : four) CHECK((head.back && head.ahead));
}

TEST_CASE("directional alibi has heads that look back and heads that look ahead") {
  const auto described = [](std::int64_t heads) {
    std::vector<std::string> words;
    for (const AlibiHead& head : alibi_heads(heads, AlibiShape::kDirectional)) {
      CHECK(head.back != head.ahead);
      words.push_back(fmt::format("{} {}", head.back ? "back" : "ahead", head.slope));
    }
    return words;
  };
  using Words = std::vector<std::string>;
  CHECK(described(4) == Words{"back 1", "back 0.5", "ahead 1", "ahead 0.25"});
  CHECK(described(2) == Words{"back 1", "ahead 1"});
  CHECK(described(3) == Words{"back 1", "ahead 1", "ahead 0.25"});
}

TEST_CASE("alibi's bias decreases with distance, and is minus infinity where a head is blind") {
  const Tensor bias =
      alibi_bias({{0.5, true, true}, {1, true, false}, {0.25, false, true}}, 3);  // [3, 5]
  constexpr float kBlind = -INFINITY;
  const std::vector<float> expected = {-1,     -0.5,   0, -0.5,   -1,      //
                                       -2,     -1,     0, kBlind, kBlind,  //
                                       kBlind, kBlind, 0, -0.25,  -0.5};
  REQUIRE(bias.sizes() == at::IntArrayRef({3, 5}));
  CHECK(at::equal(bias.flatten(), at::tensor(expected)));
  const Tensor one = alibi_bias({{0.5, true, true}}, 1);
  REQUIRE(one.numel() == 1);
  CHECK(one.item<float>() == 0);
}

TEST_CASE("relative buckets follow the rule of T5") {
  for (std::int64_t distance = -300; distance <= 300; ++distance) {
    CAPTURE(distance);
    CHECK(relative_bucket(distance, 32, 128) == t5_bucket(distance, 32, 128));
    CHECK(relative_bucket(distance, 8, 16) == t5_bucket(distance, 8, 16));
    CHECK(relative_bucket(distance, 4, 2) == t5_bucket(distance, 4, 2));
    CHECK(relative_bucket(distance, 6, 100) == t5_bucket(distance, 6, 100));
  }
}

TEST_CASE("relative buckets change where T5's do") {
  // 8 exact ones each way, then one more at each half power of two: 8, 11.3, 16, 22.6, …, 90.5.
  const std::vector<std::pair<std::int64_t, std::int64_t>> behind = {
      {0, 0},   {1, 1},   {7, 7},   {8, 8},   {11, 8},   {12, 9},   {15, 9},
      {16, 10}, {22, 10}, {23, 11}, {31, 11}, {32, 12},  {45, 12},  {46, 13},
      {63, 13}, {64, 14}, {90, 14}, {91, 15}, {127, 15}, {128, 15}, {65536, 15}};
  for (const auto& [far, bucket] : behind) {
    CAPTURE(far);
    CHECK(relative_bucket(-far, 32, 128) == bucket);
    if (far > 0) CHECK(relative_bucket(far, 32, 128) == 16 + bucket);
  }
}

TEST_CASE("every bucket is used, and no others") {
  for (const std::int64_t buckets : {4, 6, 8, 14, 32}) {
    CAPTURE(buckets);
    std::set<std::int64_t> used;
    for (std::int64_t distance = -200; distance <= 200; ++distance) {
      used.insert(relative_bucket(distance, buckets, 128));
    }
    CHECK(*used.begin() == 0);
    CHECK(*used.rbegin() == buckets - 1);
    CHECK(used.size() >= static_cast<std::size_t>(buckets) - 1);  // 0 ahead is 0 behind
  }
}

Positions positions_of(const ClassifierCheckpoint& checkpoint, std::int64_t longest) {
  return Positions(checkpoint.config, checkpoint.parameters.views(false), longest);
}

TEST_CASE("each encoding is applied where it belongs: added, rotated by, or a bias") {
  for (const Encoding encoding : kEveryEncoding) {
    CAPTURE(name_of(encoding));
    const ClassifierCheckpoint checkpoint = random_classifier(tiny_classifier(encoding));
    const Positions positions = positions_of(checkpoint, 9);
    const AttentionPositions in_attention = positions.in_attention();
    CHECK(positions.added().defined() ==
          (encoding == Encoding::kSinusoidal || encoding == Encoding::kLearned));
    CHECK(in_attention.turns.defined() == (encoding == Encoding::kRope));
    CHECK(in_attention.bias.defined() ==
          (encoding == Encoding::kAlibi || encoding == Encoding::kRelative));
    if (positions.added().defined()) {
      CHECK(positions.added().sizes() == at::IntArrayRef({9, 8}));
    }
    if (in_attention.turns.defined()) {
      CHECK(in_attention.turns.sizes() == at::IntArrayRef({9, 4}));
    }
    if (in_attention.bias.defined()) {
      CHECK(in_attention.bias.sizes() == at::IntArrayRef({2, 17}));
    }
  }
}

TEST_CASE("a relative bias is that of its bucket, for each head") {
  const ClassifierCheckpoint checkpoint = random_classifier(tiny_classifier(Encoding::kRelative));
  const Tensor bias = positions_of(checkpoint, 30).in_attention().bias;  // [2, 59]
  const Tensor table = checkpoint.parameters.views(false).at("positions.relative");
  for (const std::int64_t distance : {-29, -6, -1, 0, 1, 2, 3, 5, 6, 29}) {
    CAPTURE(distance);
    CHECK(at::equal(bias.select(1, distance + 29), table[t5_bucket(distance, 8, 16)]));
  }
}

ClassifierCheckpoint learned_positions(Beyond beyond, std::uint64_t seed = 0) {
  ClassifierConfig config = tiny_classifier(Encoding::kLearned);
  config.beyond = beyond;
  config.position_seed = seed;
  return random_classifier(config);
}

TEST_CASE("learned positions are the trained ones as far as those go") {
  for (const Beyond beyond : {Beyond::kClamp, Beyond::kUntrained}) {
    const ClassifierCheckpoint checkpoint = learned_positions(beyond);
    const Tensor learned = checkpoint.parameters.views(false).at("positions.learned");
    for (const std::int64_t longest : {1, 6, 7, 20}) {
      CAPTURE(longest);
      const Tensor added = positions_of(checkpoint, longest).added();
      REQUIRE(added.size(0) >= longest);
      CHECK(at::equal(added.narrow(0, 0, 6), learned));
    }
  }
}

TEST_CASE("clamped positions stay at the last trained one") {
  const ClassifierCheckpoint checkpoint = learned_positions(Beyond::kClamp);
  const Tensor added = positions_of(checkpoint, 20).added();
  REQUIRE(added.size(0) == 20);
  for (std::int64_t t = 6; t < 20; ++t) CHECK(at::equal(added[t], added[5]));
  CHECK_FALSE(at::equal(added[4], added[5]));
}

TEST_CASE("untrained positions depend only on their seed, not on the trained ones") {
  const auto beyond = [](const ClassifierCheckpoint& checkpoint, std::int64_t longest) {
    return positions_of(checkpoint, longest).added().narrow(0, 6, longest - 6);
  };
  const ClassifierCheckpoint checkpoint = learned_positions(Beyond::kUntrained, 3);
  const Tensor rows = beyond(checkpoint, 20);
  CHECK(at::equal(rows.narrow(0, 0, 3), beyond(checkpoint, 9)));
  CHECK(at::equal(rows, beyond(random_classifier(checkpoint.config, 2), 20)));
  CHECK_FALSE(at::equal(rows, beyond(learned_positions(Beyond::kUntrained, 4), 20)));
  CHECK_FALSE(at::equal(rows[0], rows[1]));
}

TEST_CASE("untrained positions have the standard deviation that training starts from") {
  ClassifierConfig config = tiny_classifier(Encoding::kLearned);
  config.beyond = Beyond::kUntrained;
  config.d_model = 16;
  for (const double scale : {0.7, 0.1}) {
    config.position_scale = scale;
    const ClassifierCheckpoint checkpoint = random_classifier(config);
    const Tensor rows = positions_of(checkpoint, 2006).added().narrow(0, 6, 2000);
    CHECK(std::abs(rows.std().item<double>() - scale) < 0.02 * scale);  // 5 deviations
    CHECK(std::abs(rows.mean().item<double>()) < 0.03 * scale);
  }
  config.position_scale = 0.7;
  config.trained_to = 2000;
  Parameters start(parameter_shapes(config));
  start.draw(5);
  const double deviation = start.views(false).at("positions.learned").std().item<double>();
  CHECK(std::abs(deviation - 0.7) < 0.014);
}

}  // namespace
}  // namespace headway::testing
