// Positional encodings against their definitions.
#include "lib/nn/positions.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <set>

#include "tests/nn/plain_transformer.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"

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

TEST_CASE("causal relative buckets are all for what came before") {
  for (std::int64_t distance = -300; distance <= 300; ++distance) {
    CAPTURE(distance);
    CHECK(relative_bucket(distance, 32, 128, true) == t5_bucket(distance, 32, 128, true));
    CHECK(relative_bucket(distance, 6, 100, true) == t5_bucket(distance, 6, 100, true));
  }
  // 16 exact ones, then 16 up to 128 with steps of 8^(1/16).
  const std::vector<std::pair<std::int64_t, std::int64_t>> behind = {
      {0, 0}, {15, 15}, {16, 16}, {18, 16}, {19, 17}, {20, 17}, {21, 18}, {113, 31}, {1000, 31}};
  for (const auto& [far, bucket] : behind) {
    CAPTURE(far);
    CHECK(relative_bucket(-far, 32, 128, true) == bucket);
  }
}

Positions positions_of(const Checkpoint& checkpoint, std::int64_t longest,
                       PositionUse use = PositionUse::kEncoder) {
  return Positions(checkpoint.config, use, checkpoint.parameters.views(false), longest);
}

// Counted from 0: [length, d], or undefined.
Tensor added_by(const Positions& positions, std::int64_t length) {
  return positions.added({}, 0, length);
}

// What an encoding gives to each attention of a model.
void check_uses(const TransformerConfig& config, const std::vector<PositionUse>& known) {
  const Encoding encoding = config.encoding;
  const Checkpoint checkpoint = random_checkpoint(config);
  for (const PositionUse use :
       {PositionUse::kEncoder, PositionUse::kDecoder, PositionUse::kCross}) {
    CAPTURE(name_of(config.kind), name_of(encoding), static_cast<int>(use));
    const bool knows = std::ranges::find(known, use) != known.end();
    const Positions positions = positions_of(checkpoint, 9, use);
    const AttentionPositions inside = positions.in_attention();
    const bool adds = knows && use != PositionUse::kCross &&
                      (encoding == Encoding::kSinusoidal || encoding == Encoding::kLearned);
    CHECK(added_by(positions, 9).defined() == adds);
    CHECK(inside.turns.defined() == (knows && encoding == Encoding::kRope));
    CHECK(inside.bias.defined() ==
          (knows && (encoding == Encoding::kAlibi || encoding == Encoding::kRelative)));
    if (adds) CHECK(added_by(positions, 9).sizes() == at::IntArrayRef({9, 8}));
    if (inside.turns.defined()) CHECK(inside.turns.sizes() == at::IntArrayRef({9, 4}));
    if (inside.bias.defined()) CHECK(inside.bias.sizes() == at::IntArrayRef({2, 17}));
  }
}

TEST_CASE("each encoding is applied where it belongs: added, rotated by, or a bias") {
  using enum PositionUse;
  for (const Encoding encoding : kEveryEncoding) {
    check_uses(tiny_config(ModelKind::kEncoder, encoding), {kEncoder});
    check_uses(tiny_config(ModelKind::kDecoder, encoding), {kDecoder});
    TransformerConfig both = tiny_config(ModelKind::kEncoderDecoder, encoding);
    check_uses(both, {kEncoder, kDecoder});
    if (encoding == Encoding::kNone) continue;
    both.positions = PositionSource::kData;  // then both sequences count alike
    check_uses(both, {kEncoder, kDecoder, kCross});
  }
}

TEST_CASE("a decoder tells keys at higher positions apart, if the data gives the positions") {
  for (const PositionSource source : {PositionSource::kCounted, PositionSource::kData}) {
    TransformerConfig config = tiny_config(ModelKind::kDecoder, Encoding::kRelative);
    config.positions = source;
    const Tensor bias =
        positions_of(random_checkpoint(config), 9, PositionUse::kDecoder).in_attention().bias[0];
    const float here = bias[8].item<float>(), ahead = bias[9].item<float>(),
                back = bias[7].item<float>();
    CHECK(here != back);
    CHECK((ahead != here) == (source == PositionSource::kData));
    CHECK(ahead != back);
  }
}

std::vector<std::string> position_parameters(const TransformerConfig& config) {
  std::vector<std::string> names;
  for (const ParameterShape& shape : parameter_shapes(config)) {
    if (shape.name.find("positions") != std::string::npos)
      names.push_back(shape.name + " " + shape_text(shape.shape));
  }
  return names;
}

TEST_CASE("learned encodings are parameters, one table for each place where positions differ") {
  using Names = std::vector<std::string>;
  using enum ModelKind;
  for (const Encoding encoding :
       {Encoding::kSinusoidal, Encoding::kNone, Encoding::kRope, Encoding::kAlibi}) {
    for (const ModelKind kind : kEveryKind)
      CHECK(position_parameters(tiny_config(kind, encoding)).empty());
  }
  for (const ModelKind kind : {kEncoder, kDecoder}) {
    CHECK(position_parameters(tiny_config(kind, Encoding::kLearned)) ==
          Names{"positions.learned [6, 8]"});
    CHECK(position_parameters(tiny_config(kind, Encoding::kRelative)) ==
          Names{"positions.relative [8, 2]"});
  }
  TransformerConfig learned = tiny_config(kEncoderDecoder, Encoding::kLearned);
  TransformerConfig relative = tiny_config(kEncoderDecoder, Encoding::kRelative);
  CHECK(position_parameters(learned) ==
        Names{"encoder.positions.learned [6, 8]", "decoder.positions.learned [6, 8]"});
  CHECK(position_parameters(relative) ==
        Names{"encoder.positions.relative [8, 2]", "decoder.positions.relative [8, 2]"});
  learned.positions = relative.positions = PositionSource::kData;
  CHECK(position_parameters(learned) == Names{"positions.learned [6, 8]"});
  CHECK(position_parameters(relative) == Names{"encoder.positions.relative [8, 2]",
                                               "decoder.positions.relative [8, 2]",
                                               "decoder.positions.cross [8, 2]"});
}

TEST_CASE("a relative bias is that of its bucket, for each head") {
  for (const ModelKind kind : {ModelKind::kEncoder, ModelKind::kDecoder}) {
    const bool causal = kind == ModelKind::kDecoder;
    const Checkpoint checkpoint = random_checkpoint(tiny_config(kind, Encoding::kRelative));
    const Positions positions =
        positions_of(checkpoint, 30, causal ? PositionUse::kDecoder : PositionUse::kEncoder);
    const Tensor bias = positions.in_attention().bias;  // [2, 59]
    const Tensor table = checkpoint.parameters.views(false).at("positions.relative");
    for (const std::int64_t distance : {-29, -6, -1, 0, 1, 2, 3, 5, 6, 29}) {
      CAPTURE(distance);
      CHECK(at::equal(bias.select(1, distance + 29), table[t5_bucket(distance, 8, 16, causal)]));
    }
  }
}

TEST_CASE("causal alibi has the symmetric slopes, whatever the shape of the others") {
  for (const AlibiShape shape : {AlibiShape::kSymmetric, AlibiShape::kDirectional}) {
    TransformerConfig config = tiny_config(ModelKind::kEncoderDecoder, Encoding::kAlibi);
    config.alibi = shape;
    const Checkpoint checkpoint = random_checkpoint(config);
    const auto bias = [&](PositionUse use) {
      return positions_of(checkpoint, 5, use).in_attention().bias;
    };
    CHECK(at::equal(bias(PositionUse::kDecoder),
                    alibi_bias(alibi_heads(2, AlibiShape::kSymmetric), 5)));
    CHECK(at::equal(bias(PositionUse::kEncoder), alibi_bias(alibi_heads(2, shape), 5)));
  }
}

TEST_CASE("added positions are those that are given, or counted from the first") {
  const Positions positions = positions_of(random_checkpoint(tiny_config(ModelKind::kEncoder)), 20);
  const Tensor all = sinusoidal_positions(20, 8);
  CHECK(at::equal(positions.added({}, 5, 3), all.narrow(0, 5, 3)));
  const Tensor given = at::tensor({7, 0, 19, 3, 3, 2}, at::kInt).view({2, 3});
  CHECK(at::equal(positions.added(given, 5, 3), all.index_select(0, given.flatten())));
}

Checkpoint learned_positions(Beyond beyond, std::uint64_t seed = 0) {
  TransformerConfig config = tiny_config(ModelKind::kEncoder, Encoding::kLearned);
  config.beyond = beyond;
  config.position_seed = seed;
  return random_checkpoint(config);
}

TEST_CASE("learned positions are the trained ones as far as those go") {
  for (const Beyond beyond : {Beyond::kClamp, Beyond::kUntrained}) {
    const Checkpoint checkpoint = learned_positions(beyond);
    const Tensor learned = checkpoint.parameters.views(false).at("positions.learned");
    for (const std::int64_t longest : {1, 6, 7, 20}) {
      CAPTURE(longest);
      const std::int64_t both = std::min<std::int64_t>(longest, 6);
      const Tensor added = added_by(positions_of(checkpoint, longest), longest);
      REQUIRE(added.size(0) == longest);
      CHECK(at::equal(added.narrow(0, 0, both), learned.narrow(0, 0, both)));
    }
  }
}

TEST_CASE("clamped positions stay at the last trained one") {
  const Checkpoint checkpoint = learned_positions(Beyond::kClamp);
  const Tensor added = added_by(positions_of(checkpoint, 20), 20);
  for (std::int64_t t = 6; t < 20; ++t) CHECK(at::equal(added[t], added[5]));
  CHECK_FALSE(at::equal(added[4], added[5]));
}

TEST_CASE("untrained positions depend only on their seed, not on the trained ones") {
  const auto beyond = [](const Checkpoint& checkpoint, std::int64_t longest) {
    return added_by(positions_of(checkpoint, longest), longest).narrow(0, 6, longest - 6);
  };
  const Checkpoint checkpoint = learned_positions(Beyond::kUntrained, 3);
  const Tensor rows = beyond(checkpoint, 20);
  CHECK(at::equal(rows.narrow(0, 0, 3), beyond(checkpoint, 9)));
  CHECK(at::equal(rows, beyond(random_checkpoint(checkpoint.config, 2), 20)));
  CHECK_FALSE(at::equal(rows, beyond(learned_positions(Beyond::kUntrained, 4), 20)));
  CHECK_FALSE(at::equal(rows[0], rows[1]));
}

TEST_CASE("untrained positions have the standard deviation that training starts from") {
  TransformerConfig config = tiny_config(ModelKind::kEncoder, Encoding::kLearned);
  config.beyond = Beyond::kUntrained;
  config.d_model = 16;
  for (const double scale : {0.7, 0.1}) {
    config.position_scale = scale;
    const Checkpoint checkpoint = random_checkpoint(config);
    const Tensor rows = added_by(positions_of(checkpoint, 2006), 2006).narrow(0, 6, 2000);
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
