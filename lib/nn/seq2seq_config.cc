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
  for (const auto& [name, value] : {std::pair{"d_model", d_model}, std::pair{"n_heads", n_heads},
                                    std::pair{"n_layers", n_layers}, std::pair{"d_ff", d_ff},
                                    std::pair{"vocabulary", vocabulary}}) {
    if (value < 1 || value > 1 << 20) {
      throw Error(fmt::format("{} must be between 1 and {}, not {}", name, 1 << 20, value));
    }
  }
  if (n_layers > 64) throw Error(fmt::format("n_layers must be at most 64, not {}", n_layers));
  if (d_model % n_heads != 0) {
    throw Error(fmt::format("d_model ({}) must be divisible by n_heads ({})", d_model, n_heads));
  }
  for (const double share : {dropout, attention_dropout}) {
    if (!(share >= 0 && share < 1)) {
      throw Error(fmt::format("dropout must be at least 0 and below 1, not {}", share));
    }
  }
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
  return {{"d_model", config.d_model},       {"n_heads", config.n_heads},
          {"n_layers", config.n_layers},     {"d_ff", config.d_ff},
          {"dropout", config.dropout},       {"attention_dropout", config.attention_dropout},
          {"vocabulary", config.vocabulary}, {"heads", heads}};
}

Seq2SeqConfig seq2seq_config_from(const Json& json, const std::string& name) {
  Seq2SeqConfig config;
  try {
    json.at("d_model").get_to(config.d_model);
    json.at("n_heads").get_to(config.n_heads);
    json.at("n_layers").get_to(config.n_layers);
    json.at("d_ff").get_to(config.d_ff);
    json.at("dropout").get_to(config.dropout);
    json.at("attention_dropout").get_to(config.attention_dropout);
    json.at("vocabulary").get_to(config.vocabulary);
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
