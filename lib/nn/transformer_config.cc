#include "lib/nn/transformer_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace headway {
namespace {

// At most 2^20, so that sizes can be multiplied.
void check_between(const char* name, std::int64_t value, std::int64_t least) {
  constexpr std::int64_t kMost = 1 << 20;
  if (value < least || value > kMost)
    throw Error("{} must be between {} and {}, not {}", name, least, kMost, value);
}

void check_sizes(const TransformerConfig& config) {
  check_between("d_model", config.d_model, 1);
  check_between("n_heads", config.n_heads, 1);
  check_between("n_layers", config.n_layers, 1);
  check_between("d_ff", config.d_ff, 1);
  check_between("vocabulary", config.vocabulary, 1);
  check_between("trained_from", config.trained_from, 1);
  check_between("trained_to", config.trained_to, 1);
  check_between("offset", config.offset, 0);
  check_between("buckets", config.buckets, 1);
  check_between("farthest", config.farthest, 1);
  if (config.n_layers > 64) throw Error("n_layers must be at most 64, not {}", config.n_layers);
  if (config.d_model % config.n_heads != 0)
    throw Error("d_model ({}) must be divisible by n_heads ({})", config.d_model, config.n_heads);
  for (const double share : {config.dropout, config.attention_dropout}) {
    if (!(share >= 0 && share < 1))
      throw Error("dropout must be at least 0 and below 1, not {}", share);
  }
  if (config.kind == ModelKind::kEncoder) {
    check_between("classes", config.classes, 2);
  } else if (config.classes != 0) {
    throw Error("only an encoder has classes, not {}", config.classes);
  }
}

void check_positions(const TransformerConfig& config) {
  if (config.encoding == Encoding::kRope && config.head_size() % 2 != 0)
    throw Error("rope turns pairs of dimensions: d_model / n_heads ({}) must be even",
                config.head_size());
  if (config.has_encoder() && config.encoding == Encoding::kAlibi &&
      config.alibi == AlibiShape::kDirectional && config.n_heads < 2)
    throw Error(
        "directional alibi needs a head that looks back and one that looks ahead: n_heads must be "
        "at least 2");
  // Causal attention has all buckets on one side, unless the data gives the positions. Half of a
  // side's buckets hold one distance each.
  const bool one_side = config.has_decoder() && config.positions == PositionSource::kCounted;
  const std::int64_t near = config.buckets / (one_side ? 2 : 4);
  if (config.encoding == Encoding::kRelative &&
      (config.buckets < 4 || config.buckets % 2 != 0 || config.farthest <= near))
    throw Error(
        "relative positions need an even number of at least 4 buckets, and farthest ({}) above "
        "{}, a {} of them",
        config.farthest, near, one_side ? "half" : "quarter");
  if (!(config.position_scale >= 0 && config.position_scale <= 1000))
    throw Error("position_scale must be between 0 and 1000, not {}", config.position_scale);
  if (config.trained_from > config.trained_to)
    throw Error("trained_from must not be above trained_to");
  if (config.encoding == Encoding::kNone &&
      (config.positions == PositionSource::kData || config.offset > 0))
    throw Error("encoding none does not use positions: 'positions' and 'offset' have no effect");
}

void check_kept(const TransformerConfig& config) {
  if (config.kept.empty()) return;
  const std::vector<Site> sites = config.sites();
  if (config.kept.size() != sites.size())
    throw Error("kept units are given for {} sublayers, but there are {}", config.kept.size(),
                sites.size());
  for (const Site& site : sites) {
    const std::vector<int>& units = config.kept[site.index];
    const std::int64_t most = site.is_feed() ? 1 : config.n_heads;
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (units[i] < 0 || units[i] >= most || (i > 0 && units[i] <= units[i - 1]))
        throw Error("the units of '{}' must be ascending numbers below {}", site.name(), most);
    }
  }
}

}  // namespace

std::vector<PoolFeature> TransformerConfig::features() const {
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

std::vector<Site> TransformerConfig::sites() const {
  std::vector<Site> sites;
  const auto add = [&](Module module, std::int64_t layer) {
    sites.push_back({module, layer, sites.size()});
  };
  const bool has_feed = ffn != FeedKind::kNone;
  for (std::int64_t layer = 0; has_encoder() && layer < n_layers; ++layer) {
    add(Module::kEncoder, layer);
    if (has_feed) add(Module::kEncoderFeed, layer);
  }
  for (std::int64_t layer = 0; has_decoder() && layer < n_layers; ++layer) {
    add(Module::kDecoderSelf, layer);
    if (has_encoder()) add(Module::kDecoderCross, layer);
    if (has_feed) add(Module::kDecoderFeed, layer);
  }
  return sites;
}

std::vector<int> TransformerConfig::units_of(std::size_t site) const {
  if (!kept.empty()) return kept.at(site);
  std::vector<int> all(sites().at(site).is_feed() ? 1 : static_cast<std::size_t>(n_heads));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<Unit> TransformerConfig::units() const {
  std::vector<Unit> all;
  for (const Site& site : sites()) {
    for (const int unit : units_of(site.index)) all.push_back({site.index, unit});
  }
  return all;
}

std::vector<Unit> TransformerConfig::heads() const {
  std::vector<Unit> all = units();
  const std::vector<Site> known = sites();
  std::erase_if(all, [&](const Unit& unit) { return known[unit.site].is_feed(); });
  return all;
}

std::string TransformerConfig::name(Unit unit) const {
  const Site site = sites().at(unit.site);
  return site.is_feed() ? site.name() : fmt::format("{}.{}", site.name(), unit.head);
}

std::string TransformerConfig::label(Unit unit) const {
  const Site site = sites().at(unit.site);
  return site.is_feed() ? site.label() : fmt::format("{} H{}", site.label(), unit.head);
}

TransformerConfig TransformerConfig::without(const std::vector<Unit>& removed) const {
  TransformerConfig smaller = *this;
  smaller.kept.clear();
  for (const Site& site : sites()) {
    smaller.kept.push_back(units_of(site.index));
    std::erase_if(smaller.kept.back(), [&](int unit) {
      return std::ranges::find(removed, Unit{site.index, unit}) != removed.end();
    });
  }
  return smaller;
}

void TransformerConfig::check() const {
  check_sizes(*this);
  check_positions(*this);
  check_kept(*this);
}

Json to_json(const TransformerConfig& config) {
  Json json = to_json_fields(config);
  for (const Site& site : config.sites()) json["units"][site.name()] = config.units_of(site.index);
  return json;
}

TransformerConfig transformer_config_from(const Json& json) {
  TransformerConfig config;
  read_fields(json, "the model", config);
  config.check();
  const Json& units = json.at("units");
  for (const Site& site : config.sites())
    config.kept.push_back(units.at(site.name()).get<std::vector<int>>());
  config.check();
  if (to_json(config)["units"] != units)
    throw Error(
        "the model's 'units' should list the numbers of the units of each sublayer, and "
        "nothing else");
  return config;
}

}  // namespace headway
