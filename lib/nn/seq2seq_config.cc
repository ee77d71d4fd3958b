#include "lib/nn/seq2seq_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace headway {

std::string AttentionSite::name() const {
  return fmt::format("{}.{}.{}", module == AttentionModule::kEncoder ? "encoder" : "decoder", layer,
                     module == AttentionModule::kDecoderCross ? "cross" : "self");
}

std::string AttentionSite::label() const {
  constexpr const char* kLabels[] = {"Encoder", "Decoder Self", "Decoder Cross"};
  return fmt::format("{} L{}", kLabels[static_cast<std::size_t>(module)], layer);
}

std::vector<AttentionSite> Seq2SeqConfig::sites() const {
  std::vector<AttentionSite> sites;
  for (std::int64_t layer = 0; layer < n_layers; ++layer)
    sites.push_back({AttentionModule::kEncoder, layer, sites.size()});
  for (std::int64_t layer = 0; layer < n_layers; ++layer) {
    sites.push_back({AttentionModule::kDecoderSelf, layer, sites.size()});
    sites.push_back({AttentionModule::kDecoderCross, layer, sites.size()});
  }
  return sites;
}

std::vector<int> Seq2SeqConfig::heads_of(std::size_t site) const {
  if (!kept.empty()) return kept.at(site);
  std::vector<int> all(static_cast<std::size_t>(n_heads));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<HeadId> Seq2SeqConfig::heads() const {
  std::vector<HeadId> all;
  for (std::size_t site = 0; site < static_cast<std::size_t>(3 * n_layers); ++site) {
    for (const int head : heads_of(site)) all.push_back({site, head});
  }
  return all;
}

std::string Seq2SeqConfig::name(HeadId head) const {
  return fmt::format("{}.{}", sites().at(head.site).name(), head.head);
}

std::string Seq2SeqConfig::label(HeadId head) const {
  return fmt::format("{} H{}", sites().at(head.site).label(), head.head);
}

Seq2SeqConfig Seq2SeqConfig::without(const std::vector<HeadId>& removed) const {
  Seq2SeqConfig smaller = *this;
  smaller.kept.clear();
  for (const AttentionSite& site : sites()) {
    smaller.kept.push_back(heads_of(site.index));
    std::erase_if(smaller.kept.back(), [&](int head) {
      return std::ranges::find(removed, HeadId{site.index, head}) != removed.end();
    });
  }
  return smaller;
}

void Seq2SeqConfig::check() const {
  check_shape(*this);
  if (kept.empty()) return;
  if (kept.size() != static_cast<std::size_t>(3 * n_layers))
    throw Error("kept heads are given for {} attentions, but there are {}", kept.size(),
                3 * n_layers);
  for (const std::vector<int>& heads : kept) {
    for (std::size_t i = 0; i < heads.size(); ++i) {
      if (heads[i] < 0 || heads[i] >= n_heads || (i > 0 && heads[i] <= heads[i - 1]))
        throw Error("kept heads must be ascending numbers below n_heads");
    }
  }
}

Json to_json(const Seq2SeqConfig& config) {
  Json json = to_json_fields(config);
  for (const AttentionSite& site : config.sites())
    json["heads"][site.name()] = config.heads_of(site.index);
  return json;
}

Seq2SeqConfig seq2seq_config_from(const Json& json) {
  Seq2SeqConfig config;
  read_fields(json, "the model", config);
  config.check();
  for (const AttentionSite& site : config.sites())
    config.kept.push_back(json.at("heads").at(site.name()).get<std::vector<int>>());
  config.check();
  return config;
}

}  // namespace headway
