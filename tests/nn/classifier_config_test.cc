#include "lib/nn/classifier_config.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>

#include "lib/base/error.h"

namespace headway {
namespace {

std::string refusal_of(const ClassifierConfig& config) {
  try {
    config.check();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("an impossible classifier shape is refused with the reason") {
  const auto with = [](auto change) {
    ClassifierConfig config;
    change(config);
    return refusal_of(config);
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
  CHECK(with([](auto& c) { c.trained_from = 17; }) == "trained_from must not be above trained_to");
  CHECK(with([](auto& c) { c.trained_from = 16; }).empty());
}

TEST_CASE("a classifier has at least the two classes of its labels") {
  ClassifierConfig config;
  config.classes = 1;
  CHECK(refusal_of(config) == "classes must be at least 2, not 1");
  config.classes = 0;
  CHECK(refusal_of(config) == "classes must be between 1 and 1048576, not 0");
  config.classes = 3;
  CHECK(refusal_of(config).empty());
}

TEST_CASE("requirements of one encoding apply to that encoding only") {
  ClassifierConfig odd;
  odd.d_model = 12;
  odd.n_heads = 4;
  CHECK(refusal_of(odd).empty());
  odd.encoding = Encoding::kRope;
  CHECK(refusal_of(odd) == "rope turns pairs of dimensions: d_model / n_heads (3) must be even");

  ClassifierConfig alone;
  alone.n_heads = 1;
  CHECK(refusal_of(alone).empty());
  alone.encoding = Encoding::kAlibi;
  CHECK(refusal_of(alone) ==
        "directional alibi needs a head that looks back and one that looks ahead: n_heads must be "
        "at least 2");
  alone.alibi = AlibiShape::kSymmetric;
  CHECK(refusal_of(alone).empty());

  ClassifierConfig ranges;
  ranges.buckets = 3;
  ranges.farthest = 1;
  CHECK(refusal_of(ranges).empty());
  ranges.encoding = Encoding::kRelative;
  const auto refused = [&](std::int64_t buckets, std::int64_t farthest) {
    ranges.buckets = buckets;
    ranges.farthest = farthest;
    return refusal_of(ranges);
  };
  CHECK(refused(33, 128) ==
        "relative positions need an even number of at least 4 buckets, and farthest (128) above a "
        "quarter of them (33)");
  CHECK_FALSE(refused(2, 128).empty());
  CHECK_FALSE(refused(32, 8).empty());
  CHECK(refused(32, 9).empty());
  CHECK(refused(4, 2).empty());
}

TEST_CASE("a classifier's description survives a round trip") {
  for (std::size_t encoding = 0; encoding < std::size(kNamesOf<Encoding>); ++encoding) {
    ClassifierConfig config;
    config.d_model = 64;
    config.n_heads = 2;
    config.n_layers = 3;
    config.d_ff = 100;
    config.dropout = 0.25;
    config.attention_dropout = 0.5;
    config.vocabulary = 77;
    config.classes = 4;
    config.encoding = static_cast<Encoding>(encoding);
    config.pooling = static_cast<Pooling>(encoding % 5);
    config.trained_from = 3;
    config.trained_to = 19;
    config.position_scale = 0.125;
    config.position_seed = ~0ULL;
    config.beyond = Beyond::kUntrained;
    config.alibi = AlibiShape::kSymmetric;
    config.buckets = 16;
    config.farthest = 99;
    const Json json = *parse_json(to_json(config).dump());
    CHECK(json.size() == 18);
    const ClassifierConfig read = classifier_config_from(json);
    CHECK(to_json(read) == to_json(config));
    CHECK(read.encoding == config.encoding);
    CHECK(read.pooling == config.pooling);
    CHECK(read.beyond == config.beyond);
    CHECK(read.alibi == config.alibi);
    CHECK(read.position_seed == config.position_seed);
  }
}

std::string refusal_with(const char* key, const Json& value) {
  Json json = to_json(ClassifierConfig());
  json[key] = value;
  try {
    classifier_config_from(json);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("a description with a wrong value is refused, naming the value") {
  CHECK(refusal_with("d_model", 128).empty());
  CHECK(refusal_with("d_model", 8.5) ==
        "the model's 'd_model' should be a whole number, but is 8.5");
  CHECK(refusal_with("d_model", 128.0) ==
        "the model's 'd_model' should be a whole number, but is 128.0");
  CHECK(refusal_with("n_heads", "4") ==
        "the model's 'n_heads' should be a whole number, but is \"4\"");
  CHECK(refusal_with("encoding", "rotary") ==
        "the model's 'encoding' should be one of sinusoidal, learned, none, rope, alibi, "
        "relative, but is \"rotary\"");
  CHECK(refusal_with("pooling", "first") ==
        "the model's 'pooling' should be one of mean, max, min, last, multi, but is \"first\"");
  CHECK(refusal_with("beyond", "") ==
        "the model's 'beyond' should be one of clamp, untrained, but is \"\"");
  CHECK(refusal_with("alibi", "both") ==
        "the model's 'alibi' should be one of symmetric, directional, but is \"both\"");
  CHECK(refusal_with("n_heads", 3) == "d_model (128) must be divisible by n_heads (3)");
  CHECK(refusal_with("position_seed", 1.5) ==
        "the model's 'position_seed' should be a whole number from 0, but is 1.5");
  CHECK(refusal_with("position_seed", -1) ==
        "the model's 'position_seed' should be a whole number from 0, but is -1");
}

TEST_CASE("any nonsensical value in a description is refused") {
  const Json description = to_json(ClassifierConfig());
  for (const auto& [key, good] : description.items()) {
    const std::vector<Json> hostile = {-1, 1e300, true, Json(), Json::array({8}), Json::object()};
    for (const Json& value : hostile) {
      CAPTURE(key, value.dump());
      CHECK_FALSE(refusal_with(key.c_str(), value).empty());
    }
    Json missing = description;
    missing.erase(key);
    CAPTURE(key);
    CHECK_THROWS_AS(classifier_config_from(missing), Error);
  }
  const std::vector<Json> none = {Json(), 7, "d_model", Json::array(), Json::object()};
  for (const Json& json : none) {
    CAPTURE(json.dump());
    CHECK_THROWS_AS(classifier_config_from(json), Error);
  }
}

TEST_CASE("several features are pooled only if the pooling says so") {
  ClassifierConfig config;
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

}  // namespace
}  // namespace headway
