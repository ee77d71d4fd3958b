#include "lib/nn/seq2seq_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"

namespace headway {

std::string AttentionSite::name() const {
  return fmt::format("{}.{}.{}", module == AttentionModule::kEncoder ? "encoder" : "decoder", layer,
                     module == AttentionModule::kDecoderCross ? "cross" : "self");
}

std::string AttentionSite::label() const {
  const char* shown = module == AttentionModule::kEncoder       ? "Encoder"
                      : module == AttentionModule::kDecoderSelf ? "Decoder Self"
                                                                : "Decoder Cross";
  return fmt::format("{} L{}", shown, layer);
}

std::string AttentionSite::module_name() const {
  return module == AttentionModule::kEncoder       ? "encoder"
         : module == AttentionModule::kDecoderSelf ? "decoder-self"
                                                   : "decoder-cross";
}

std::vector<AttentionSite> Seq2SeqConfig::sites() const {
  std::vector<AttentionSite> sites;
  for (std::int64_t layer = 0; layer < n_layers; ++layer) {
    sites.push_back({AttentionModule::kEncoder, layer, sites.size()});
  }
  for (std::int64_t layer = 0; layer < n_layers; ++layer) {
    sites.push_back({AttentionModule::kDecoderSelf, layer, sites.size()});
    sites.push_back({AttentionModule::kDecoderCross, layer, sites.size()});
  }
  return sites;
}

std::vector<int> Seq2SeqConfig::heads_of(std::size_t site) const {
  if (!kept.empty()) return kept.at(site);
  std::vector<int> all;
  for (int head = 0; head < n_heads; ++head) all.push_back(head);
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
    std::vector<int> left;
    for (const int head : heads_of(site.index)) {
      if (std::find(removed.begin(), removed.end(), HeadId{site.index, head}) == removed.end()) {
        left.push_back(head);
      }
    }
    smaller.kept.push_back(std::move(left));
  }
  return smaller;
}

void Seq2SeqConfig::check() const {
  check_transformer();
  check_size("vocabulary", vocabulary);
  if (kept.empty()) return;
  if (kept.size() != static_cast<std::size_t>(3 * n_layers)) {
    throw Error(fmt::format("kept heads are given for {} attentions, but there are {}", kept.size(),
                            3 * n_layers));
  }
  for (const std::vector<int>& heads : kept) {
    for (std::size_t i = 0; i < heads.size(); ++i) {
      if (heads[i] < 0 || heads[i] >= n_heads || (i > 0 && heads[i] <= heads[i - 1])) {
        throw Error("kept heads must be ascending numbers below n_heads");
      }
    }
  }
}

Json to_json(const Seq2SeqConfig& config) {
  Json heads = Json::object();
  for (const AttentionSite& site : config.sites()) heads[site.name()] = config.heads_of(site.index);
  Json json = to_json(static_cast<const TransformerShape&>(config));
  json.update({{"vocabulary", config.vocabulary}, {"heads", heads}});
  return json;
}

Seq2SeqConfig seq2seq_config_from(const Json& json, const std::string& name) {
  Seq2SeqConfig config;
  try {
    read_transformer(json, config);
    read_integer(json, "vocabulary", config.vocabulary);
    config.check();
    for (const AttentionSite& site : config.sites()) {
      config.kept.push_back(json.at("heads").at(site.name()).get<std::vector<int>>());
    }
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
