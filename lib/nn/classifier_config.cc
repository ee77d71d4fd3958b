#include "lib/nn/classifier_config.h"

namespace headway {

std::vector<PoolFeature> ClassifierConfig::features() const {
  using enum PoolFeature;
  static const std::vector<PoolFeature> kFeatures[] = {
      // by pooling
      {kMean},
      {kMax},
      {kMin},
      {kLast},
      {kMin, kLeastDifference, kMeanDifference, kFirst, kLast}};
  return kFeatures[static_cast<std::size_t>(pooling)];
}

void ClassifierConfig::check() const {
  check_shape(*this);
  // Sequences are labelled 0 or 1.
  if (classes < 2) throw Error("classes must be at least 2, not {}", classes);
  if (encoding == Encoding::kRope && head_size() % 2 != 0)
    throw Error("rope turns pairs of dimensions: d_model / n_heads ({}) must be even", head_size());
  if (encoding == Encoding::kAlibi && alibi == AlibiShape::kDirectional && n_heads < 2)
    throw Error(
        "directional alibi needs a head that looks back and one that looks ahead: n_heads must be "
        "at least 2");
  if (encoding == Encoding::kRelative &&
      (buckets < 4 || buckets % 2 != 0 || farthest <= buckets / 4))
    throw Error(
        "relative positions need an even number of at least 4 buckets, and farthest ({}) above a "
        "quarter of them ({})",
        farthest, buckets);
  if (!(position_scale >= 0 && position_scale <= 1000))
    throw Error("position_scale must be between 0 and 1000, not {}", position_scale);
  if (trained_from > trained_to) throw Error("trained_from must not be above trained_to");
}

Json to_json(const ClassifierConfig& config) {
  return to_json_fields(config);
}

ClassifierConfig classifier_config_from(const Json& json) {
  ClassifierConfig config;
  read_fields(json, "the model", config);
  config.check();
  return config;
}

}  // namespace headway
