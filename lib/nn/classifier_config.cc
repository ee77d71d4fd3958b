#include "lib/nn/classifier_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "lib/base/error.h"

namespace headway {

std::size_t number_of_name(std::span<const std::string_view> names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw Error(fmt::format("'{}' is none of {}", name, fmt::join(names, ", ")));
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<PoolFeature> ClassifierConfig::features() const {
  switch (pooling) {
    case Pooling::kMean:
      return {PoolFeature::kMean};
    case Pooling::kMax:
      return {PoolFeature::kMax};
    case Pooling::kMin:
      return {PoolFeature::kMin};
    case Pooling::kLast:
      return {PoolFeature::kLast};
    case Pooling::kMulti:
      break;
  }
  return {PoolFeature::kMin, PoolFeature::kLeastDifference, PoolFeature::kMeanDifference,
          PoolFeature::kFirst, PoolFeature::kLast};
}

void ClassifierConfig::check() const {
  check_transformer();
  check_size("vocabulary", vocabulary);
  check_size("classes", classes);
  check_size("trained_from", trained_from);
  check_size("trained_to", trained_to);
  check_size("buckets", buckets);
  check_size("farthest", farthest);
  // Sequences are labelled 0 or 1.
  if (classes < 2) throw Error(fmt::format("classes must be at least 2, not {}", classes));
  if (encoding == Encoding::kRope && head_size() % 2 != 0) {
    throw Error(fmt::format("rope turns pairs of dimensions: d_model / n_heads ({}) must be even",
                            head_size()));
  }
  if (encoding == Encoding::kAlibi && alibi == AlibiShape::kDirectional && n_heads < 2) {
    throw Error(
        "directional alibi needs a head that looks back and one that looks ahead: n_heads must be "
        "at least 2");
  }
  if (encoding == Encoding::kRelative &&
      (buckets < 4 || buckets % 2 != 0 || farthest <= buckets / 4)) {
    throw Error(fmt::format(
        "relative positions need an even number of at least 4 buckets, and farthest ({}) above a "
        "quarter of them ({})",
        farthest, buckets));
  }
  if (!(position_scale >= 0 && position_scale <= 1000)) {
    throw Error(fmt::format("position_scale must be between 0 and 1000, not {}", position_scale));
  }
  if (trained_from > trained_to) throw Error("trained_from must not be above trained_to");
}

Json to_json(const ClassifierConfig& config) {
  Json json = to_json(static_cast<const TransformerShape&>(config));
  json.update({{"vocabulary", config.vocabulary},
               {"classes", config.classes},
               {"encoding", name_in(kEncodingNames, config.encoding)},
               {"pooling", name_in(kPoolingNames, config.pooling)},
               {"trained_from", config.trained_from},
               {"trained_to", config.trained_to},
               {"position_scale", config.position_scale},
               {"position_seed", config.position_seed},
               {"beyond", name_in(kBeyondNames, config.beyond)},
               {"alibi", name_in(kAlibiNames, config.alibi)},
               {"buckets", config.buckets},
               {"farthest", config.farthest}});
  return json;
}

ClassifierConfig classifier_config_from(const Json& json, const std::string& name) {
  ClassifierConfig config;
  const auto text = [&](const char* key) { return json.at(key).get<std::string>(); };
  try {
    read_transformer(json, config);
    read_integer(json, "vocabulary", config.vocabulary);
    read_integer(json, "classes", config.classes);
    read_integer(json, "trained_from", config.trained_from);
    read_integer(json, "trained_to", config.trained_to);
    read_integer(json, "buckets", config.buckets);
    read_integer(json, "farthest", config.farthest);
    json.at("position_scale").get_to(config.position_scale);
    if (!json.at("position_seed").is_number_unsigned()) {
      throw Error("the model's position_seed is no whole number from 0 on");
    }
    json.at("position_seed").get_to(config.position_seed);
    config.encoding = value_of<Encoding>(kEncodingNames, text("encoding"));
    config.pooling = value_of<Pooling>(kPoolingNames, text("pooling"));
    config.beyond = value_of<Beyond>(kBeyondNames, text("beyond"));
    config.alibi = value_of<AlibiShape>(kAlibiNames, text("alibi"));
    config.check();
  } catch (const Json::exception& error) {
    throw Error(
        fmt::format("{}: the model's description is not as expected: {}", name, error.what()));
  } catch (const Error& error) {
    throw error.within(name);
  }
  return config;
}

}  // namespace headway
