// Shapes of models: their sites and units, what cannot be, and their description in files.
#include "lib/nn/transformer_config.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>

#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using Names = std::vector<std::string>;

TransformerConfig default_config(ModelKind kind = ModelKind::kEncoderDecoder) {
  TransformerConfig config;
  config.kind = kind;
  if (kind == ModelKind::kEncoder) config.classes = 2;
  return config;
}

Names site_names(const TransformerConfig& config) {
  Names names;
  for (const Site& site : config.sites()) names.push_back(site.name());
  return names;
}

TEST_CASE("a model's sites come in the order of computation") {
  TransformerConfig config = default_config();
  CHECK(site_names(config) == Names{"encoder.0.self", "encoder.0.feed", "encoder.1.self",
                                    "encoder.1.feed", "decoder.0.self", "decoder.0.cross",
                                    "decoder.0.feed", "decoder.1.self", "decoder.1.cross",
                                    "decoder.1.feed"});
  config.ffn = FeedKind::kNone;
  CHECK(site_names(config) == Names{"encoder.0.self", "encoder.1.self", "decoder.0.self",
                                    "decoder.0.cross", "decoder.1.self", "decoder.1.cross"});
  CHECK(site_names(default_config(ModelKind::kEncoder)) ==
        Names{"encoder.0.self", "encoder.0.feed", "encoder.1.self", "encoder.1.feed"});
  CHECK(site_names(default_config(ModelKind::kDecoder)) ==
        Names{"decoder.0.self", "decoder.0.feed", "decoder.1.self", "decoder.1.feed"});
  const std::vector<Site> sites = default_config().sites();
  for (std::size_t i = 0; i < sites.size(); ++i) CHECK(sites[i].index == i);
}

TEST_CASE("the study's model has 24 heads and 4 feed-forward layers, with names and labels") {
  const TransformerConfig config = default_config();
  const std::vector<Unit> heads = config.heads(), units = config.units();
  REQUIRE(heads.size() == 24);
  REQUIRE(units.size() == 28);
  CHECK(config.name(heads[0]) == "encoder.0.self.0");
  CHECK(config.label(heads[6]) == "Encoder L1 H2");
  CHECK(config.label(heads[11]) == "Decoder Self L0 H3");
  CHECK(config.name(heads[12]) == "decoder.0.cross.0");
  CHECK(config.label(heads[23]) == "Decoder Cross L1 H3");
  CHECK(config.name(units[4]) == "encoder.0.feed");
  CHECK(config.label(units[4]) == "Encoder FFN L0");
  CHECK(config.name(units[27]) == "decoder.1.feed");
  CHECK(config.label(units[27]) == "Decoder FFN L1");
  CHECK(config.sites()[8].block() == "decoder.1");
  CHECK(config.sites()[8].block_label() == "Decoder Block L1");
  CHECK(config.sites()[3].block_label() == "Encoder Block L1");
}

TEST_CASE("a pruned model keeps its units' numbers") {
  TransformerConfig config = default_config();
  config.n_layers = 1;  // encoder.0.self, .feed, decoder.0.self, .cross, .feed
  const TransformerConfig smaller =
      config.without({{0, 0}, {0, 2}, {2, 3}, {4, kWholeFeed}}).without({{2, 0}, {0, 0}});
  CHECK(smaller.kept ==
        std::vector<std::vector<int>>{{1, 3}, {kWholeFeed}, {1, 2}, {0, 1, 2, 3}, {}});
  CHECK(smaller.heads().size() == 8);
  CHECK(smaller.units().size() == 9);
  CHECK(smaller.name(smaller.heads()[1]) == "encoder.0.self.3");
}

TEST_CASE("several features are pooled only if the pooling says so") {
  TransformerConfig config = default_config(ModelKind::kEncoder);
  for (const Pooling pooling : {Pooling::kMean, Pooling::kMax, Pooling::kMin, Pooling::kLast}) {
    config.pooling = pooling;
    CHECK(config.features().size() == 1);
  }
  config.pooling = Pooling::kMulti;
  const std::vector<PoolFeature> several = {PoolFeature::kMin, PoolFeature::kLeastDifference,
                                            PoolFeature::kMeanDifference, PoolFeature::kFirst,
                                            PoolFeature::kLast};
  CHECK((config.features() == several));
}

std::string shape_refusal(const TransformerConfig& config) {
  try {
    config.check();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("an impossible shape is refused with the reason, whatever the kind of model") {
  for (const ModelKind kind : kEveryKind) {
    CAPTURE(name_of(kind));
    const auto with = [&](auto change) {
      TransformerConfig config = default_config(kind);
      change(config);
      return shape_refusal(config);
    };
    CHECK(with([](auto&) {}).empty());
    CHECK(with([](auto& c) { c.d_model = 0; }) == "d_model must be between 1 and 1048576, not 0");
    CHECK(with([](auto& c) { c.n_heads = -4; }) == "n_heads must be between 1 and 1048576, not -4");
    CHECK(with([](auto& c) { c.d_ff = 1 << 21; }) ==
          "d_ff must be between 1 and 1048576, not 2097152");
    CHECK(with([](auto& c) { c.vocabulary = 0; }) ==
          "vocabulary must be between 1 and 1048576, not 0");
    CHECK(with([](auto& c) { c.trained_from = 0; }) ==
          "trained_from must be between 1 and 1048576, not 0");
    CHECK(with([](auto& c) { c.trained_to = 0; }) ==
          "trained_to must be between 1 and 1048576, not 0");
    CHECK(with([](auto& c) { c.offset = -1; }) == "offset must be between 0 and 1048576, not -1");
    CHECK(with([](auto& c) { c.buckets = 0; }) == "buckets must be between 1 and 1048576, not 0");
    CHECK(with([](auto& c) { c.farthest = 0; }) == "farthest must be between 1 and 1048576, not 0");
    CHECK(with([](auto& c) { c.n_layers = 0; }) == "n_layers must be between 1 and 1048576, not 0");
    CHECK(with([](auto& c) { c.n_layers = 65; }) == "n_layers must be at most 64, not 65");
    CHECK(with([](auto& c) { c.n_heads = 3; }) == "d_model (128) must be divisible by n_heads (3)");
    CHECK(with([](auto& c) { c.dropout = 1; }) == "dropout must be at least 0 and below 1, not 1");
    CHECK(with([](auto& c) { c.attention_dropout = -0.5; }) ==
          "dropout must be at least 0 and below 1, not -0.5");
    CHECK(with([](auto& c) { c.dropout = NAN; }) ==
          "dropout must be at least 0 and below 1, not nan");
    CHECK(with([](auto& c) { c.position_scale = -1; }) ==
          "position_scale must be between 0 and 1000, not -1");
    CHECK(with([](auto& c) { c.position_scale = NAN; }) ==
          "position_scale must be between 0 and 1000, not nan");
    CHECK(with([](auto& c) { c.trained_from = 17; }) ==
          "trained_from must not be above trained_to");
    CHECK(with([](auto& c) { c.trained_from = 16; }).empty());
  }
}

TEST_CASE("an encoder has at least two classes, and the others have none") {
  TransformerConfig config = default_config(ModelKind::kEncoder);
  config.classes = 1;
  CHECK(shape_refusal(config) == "classes must be between 2 and 1048576, not 1");
  config.classes = 3;
  CHECK(shape_refusal(config).empty());
  for (const ModelKind kind : {ModelKind::kEncoderDecoder, ModelKind::kDecoder}) {
    config.kind = kind;
    CHECK(shape_refusal(config) == "only an encoder has classes, not 3");
  }
}

TEST_CASE("rope needs an even head size, and other encodings do not") {
  TransformerConfig odd = default_config();
  odd.d_model = 12;
  CHECK(shape_refusal(odd).empty());
  odd.encoding = Encoding::kRope;
  CHECK(shape_refusal(odd) == "rope turns pairs of dimensions: d_model / n_heads (3) must be even");
}

TEST_CASE("directional alibi needs two heads, where attention looks both ways") {
  for (const ModelKind kind : kEveryKind) {
    CAPTURE(name_of(kind));
    TransformerConfig alone = default_config(kind);
    alone.n_heads = 1;
    CHECK(shape_refusal(alone).empty());
    alone.encoding = Encoding::kAlibi;
    CHECK(shape_refusal(alone) == (kind == ModelKind::kDecoder
                                       ? ""
                                       : "directional alibi needs a head that looks back and one "
                                         "that looks ahead: n_heads must be at least 2"));
    alone.alibi = AlibiShape::kSymmetric;
    CHECK(shape_refusal(alone).empty());
  }
}

TEST_CASE("the ranges of relative positions must reach beyond those with one distance each") {
  const auto refused = [](ModelKind kind, std::int64_t buckets, std::int64_t farthest) {
    TransformerConfig config = default_config(kind);
    config.buckets = buckets;
    config.farthest = farthest;
    CHECK(shape_refusal(config).empty());  // other encodings have no ranges
    config.encoding = Encoding::kRelative;
    return shape_refusal(config);
  };
  using enum ModelKind;
  CHECK(refused(kEncoder, 33, 128) ==
        "relative positions need an even number of at least 4 buckets, and farthest (128) above 8, "
        "a quarter of them");
  CHECK(refused(kDecoder, 32, 16) ==
        "relative positions need an even number of at least 4 buckets, and farthest (16) above 16, "
        "a half of them");
  CHECK_FALSE(refused(kEncoder, 2, 128).empty());
  CHECK_FALSE(refused(kEncoder, 32, 8).empty());
  CHECK(refused(kEncoder, 32, 9).empty());
  CHECK(refused(kEncoder, 4, 2).empty());
  for (const ModelKind kind : {kEncoderDecoder, kDecoder}) {
    CHECK_FALSE(refused(kind, 32, 16).empty());
    CHECK(refused(kind, 32, 17).empty());
    CHECK(refused(kind, 4, 3).empty());
  }
}

TEST_CASE("a model without positions can neither move them nor take them from the data") {
  TransformerConfig config = default_config();
  config.encoding = Encoding::kNone;
  CHECK(shape_refusal(config).empty());
  constexpr const char* kNoEffect =
      "encoding none does not use positions: 'positions' and 'offset' have no effect";
  config.offset = 1;
  CHECK(shape_refusal(config) == kNoEffect);
  config.offset = 0;
  config.positions = PositionSource::kData;
  CHECK(shape_refusal(config) == kNoEffect);
  config.encoding = Encoding::kRope;
  config.offset = 7;
  CHECK(shape_refusal(config).empty());
}

TEST_CASE("kept units that do not exist are refused") {
  TransformerConfig config = default_config();
  config.kept = {{0}};
  CHECK(shape_refusal(config) == "kept units are given for 1 sublayers, but there are 10");
  const std::vector<std::vector<int>> wrong_heads = {{4}, {-1}, {1, 1}, {2, 1}};
  for (const std::vector<int>& wrong : wrong_heads) {
    config.kept = {{}, {}, {}, {}, {}, {}, {}, {}, wrong, {}};
    CHECK(shape_refusal(config) ==
          "the units of 'decoder.1.cross' must be ascending numbers below 4");
  }
  config.kept = {{}, {1}, {}, {}, {}, {}, {}, {}, {}, {}};
  CHECK(shape_refusal(config) == "the units of 'encoder.0.feed' must be ascending numbers below 1");
  config.kept[1] = {kWholeFeed};
  CHECK(shape_refusal(config).empty());
}

TEST_CASE("a description survives a round trip") {
  for (std::size_t i = 0; i < std::size(kNamesOf<Encoding>); ++i) {
    TransformerConfig config;
    config.kind = static_cast<ModelKind>(i % 3);
    config.d_model = 64;
    config.n_heads = 2;
    config.n_layers = 3;
    config.d_ff = 100;
    config.dropout = 0.25;
    config.attention_dropout = 0.5;
    config.norm = static_cast<NormPlace>(i % 2);
    config.ffn = static_cast<FeedKind>(i % 4);
    config.vocabulary = 77;
    config.classes = config.kind == ModelKind::kEncoder ? 4 : 0;
    config.encoding = static_cast<Encoding>(i);
    config.pooling = static_cast<Pooling>(i % 5);
    if (config.encoding != Encoding::kNone) {
      config.positions = PositionSource::kData;
      config.offset = 5;
    }
    config.trained_from = 3;
    config.trained_to = 19;
    config.position_scale = 0.125;
    config.position_seed = ~0ULL;
    config.beyond = Beyond::kUntrained;
    config.alibi = AlibiShape::kSymmetric;
    config.buckets = 16;
    config.farthest = 99;
    const TransformerConfig smaller = config.without({{1, 0}, {2, 1}});
    const Json json = *parse_json(to_json(smaller).dump());
    CHECK(json.size() == 24);
    const TransformerConfig read = transformer_config_from(json);
    CHECK(to_json(read) == json);
    CHECK(read.kept == smaller.kept);
    CHECK(read.kind == config.kind);
    CHECK(read.norm == config.norm);
    CHECK(read.ffn == config.ffn);
    CHECK(read.encoding == config.encoding);
    CHECK(read.positions == config.positions);
    CHECK(read.pooling == config.pooling);
    CHECK(read.beyond == config.beyond);
    CHECK(read.alibi == config.alibi);
    CHECK(read.position_seed == config.position_seed);
  }
}

std::string description_refusal(const Json& json) {
  try {
    transformer_config_from(json);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

std::string description_refusal(const char* key, const Json& value) {
  Json json = to_json(default_config(ModelKind::kEncoder));
  json[key] = value;
  return description_refusal(json);
}

TEST_CASE("a description with a wrong value is refused, naming the value") {
  CHECK(description_refusal("d_model", 128).empty());
  CHECK(description_refusal("d_model", 8.5) ==
        "the model's 'd_model' should be a whole number, but is 8.5");
  CHECK(description_refusal("d_model", 128.0) ==
        "the model's 'd_model' should be a whole number, but is 128.0");
  CHECK(description_refusal("n_heads", "4") ==
        "the model's 'n_heads' should be a whole number, but is \"4\"");
  CHECK(description_refusal("kind", "seq2seq") ==
        "the model's 'kind' should be one of encoder, encoder-decoder, decoder, but is "
        "\"seq2seq\"");
  CHECK(description_refusal("norm", "none") ==
        "the model's 'norm' should be one of post, pre, but is \"none\"");
  CHECK(description_refusal("ffn", "swiglu") ==
        "the model's 'ffn' should be one of relu, gelu, gated, none, but is \"swiglu\"");
  CHECK(description_refusal("encoding", "rotary") ==
        "the model's 'encoding' should be one of sinusoidal, learned, none, rope, alibi, "
        "relative, but is \"rotary\"");
  CHECK(description_refusal("positions", true) ==
        "the model's 'positions' should be one of counted, data, but is true");
  CHECK(description_refusal("pooling", "first") ==
        "the model's 'pooling' should be one of mean, max, min, last, multi, but is \"first\"");
  CHECK(description_refusal("beyond", "") ==
        "the model's 'beyond' should be one of clamp, untrained, but is \"\"");
  CHECK(description_refusal("alibi", "both") ==
        "the model's 'alibi' should be one of symmetric, directional, but is \"both\"");
  CHECK(description_refusal("n_heads", 3) == "d_model (128) must be divisible by n_heads (3)");
  CHECK(description_refusal("position_seed", -1) ==
        "the model's 'position_seed' should be a whole number from 0, but is -1");
}

TEST_CASE("any nonsensical value in a description is refused") {
  for (const ModelKind kind : kEveryKind) {
    const Json description = to_json(default_config(kind));
    for (const auto& [key, good] : description.items()) {
      const std::vector<Json> hostile = {-1, 1e300, true, Json(), Json::array({8}), Json::object()};
      for (const Json& value : hostile) {
        CAPTURE(key, value.dump());
        Json changed = description;
        changed[key] = value;
        CHECK_FALSE(description_refusal(changed).empty());
      }
      Json missing = description;
      missing.erase(key);
      CAPTURE(key);
      CHECK_FALSE(description_refusal(missing).empty());
    }
  }
  const std::vector<Json> none = {Json(), 7, "d_model", Json::array(), Json::object()};
  for (const Json& json : none) {
    CAPTURE(json.dump());
    CHECK_FALSE(description_refusal(json).empty());
  }
}

TEST_CASE("a description must list the units of every sublayer as numbers, and no others") {
  constexpr const char* kOthers =
      "the model's 'units' should list the numbers of the units of each sublayer, and nothing else";
  const Json good = to_json(default_config(ModelKind::kEncoder))["units"];
  const auto with = [&](auto change) {
    Json units = good;
    change(units);
    return description_refusal("units", units);
  };
  CHECK(with([](Json&) {}).empty());
  CHECK(with([](Json& units) { units["encoder.1.feed"] = Json::array(); }).empty());
  CHECK(with([](Json& units) { units["encoder.0.self"] = {0, 3}; }).empty());
  CHECK(with([](Json& units) { units["encoder.2.feed"] = {0}; }) == kOthers);
  CHECK(with([](Json& units) { units["encoder.0.self"] = {0.5, 1}; }) == kOthers);
  CHECK(with([](Json& units) {
          units["encoder.0.self"] = {1, 1LL << 33};
        }) == "the units of 'encoder.0.self' must be ascending numbers below 4");
  CHECK(with([](Json& units) { units["encoder.0.feed"] = {1}; }) ==
        "the units of 'encoder.0.feed' must be ascending numbers below 1");
  CHECK_FALSE(with([](Json& units) { units["encoder.0.self"] = "all"; }).empty());
  CHECK_FALSE(with([](Json& units) { units.erase("encoder.0.self"); }).empty());
}

}  // namespace
}  // namespace headway::testing
