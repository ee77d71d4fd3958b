#include "lib/nn/seq2seq.h"

#include <ATen/ops/cat.h>
#include <fmt/format.h>

#include <cmath>

#include "lib/base/error.h"
#include "lib/nn/positions.h"

namespace headway {

using at::Tensor;

std::vector<ParameterShape> parameter_shapes(const Seq2SeqConfig& config) {
  std::vector<ParameterShape> shapes;
  const auto [d, inner, head] = std::tuple(config.d_model, config.d_ff, config.head_size());
  const auto heads_at = [&](const AttentionSite& site) {
    return static_cast<std::int64_t>(config.heads_of(site.index).size());
  };
  using Start = ParameterShape::Start;
  shapes.push_back({"encoder.embedding", {config.vocabulary, d}, Start::kEmbedding});
  shapes.push_back({"decoder.embedding", {config.vocabulary, d}, Start::kEmbedding});
  for (const AttentionSite& site : config.sites()) {
    const bool cross = site.module == AttentionModule::kDecoderCross;
    (cross ? declare_cross_attention : declare_self_attention)(site.name(), d, heads_at(site), head,
                                                               shapes);
    if (site.module == AttentionModule::kDecoderSelf) continue;
    declare_feed_forward(fmt::format("{}.{}.feed", cross ? "decoder" : "encoder", site.layer), d,
                         inner, shapes);
  }
  declare_linear("read_out", d, config.vocabulary, shapes);
  return shapes;
}

Seq2Seq::Seq2Seq(Seq2SeqConfig config, const ParameterMap& parameters)
    : config_(std::move(config)), sites_(config_.sites()) {
  config_.check();
  input_table_ = parameters.at("encoder.embedding");
  output_table_ = parameters.at("decoder.embedding");
  const auto attention = [&](const std::string& prefix, std::size_t site) {
    return attention_of(parameters, prefix,
                        static_cast<std::int64_t>(config_.heads_of(site).size()),
                        config_.head_size());
  };
  for (const AttentionSite& site : sites_) {
    if (site.module == AttentionModule::kEncoder) {
      encoder_.push_back({attention(site.name(), site.index),
                          feed_forward_of(parameters, fmt::format("encoder.{}.feed", site.layer))});
    } else if (site.module == AttentionModule::kDecoderSelf) {
      decoder_.push_back({attention(site.name(), site.index), {}, {}});
    } else {
      decoder_.back().cross = attention(site.name(), site.index);
      decoder_.back().feed =
          feed_forward_of(parameters, fmt::format("decoder.{}.feed", site.layer));
    }
  }
  read_out_ = linear_of(parameters, "read_out");
  positions_ = sinusoidal_positions(kLongestInput, config_.d_model);
}

Tensor Seq2Seq::embed_tokens(const Tensor& tokens, const Tensor& table, std::int64_t first) const {
  const std::int64_t length = tokens.size(1);
  if (first + length > kLongestInput) {
    throw Error(
        fmt::format("a sequence of {} tokens is longer than {}", first + length, kLongestInput));
  }
  return embed(tokens, table, positions_.narrow(0, first, length),
               std::sqrt(static_cast<double>(config_.d_model)), {});
}

Seq2SeqWalk Seq2Seq::begin(const Seq2SeqBatch& batch) const {
  Seq2SeqWalk walk;
  walk.batch = batch.inputs.size(0);
  walk.inputs = batch.inputs.size(1);
  walk.lengths = batch.lengths;
  walk.encoded = embed_tokens(batch.inputs, input_table_, 0);
  if (batch.fed.defined()) {
    walk.outputs = batch.fed.size(1);
    walk.decoded = embed_tokens(batch.fed, output_table_, 0);
  }
  return walk;
}

AttentionResult Seq2Seq::attend(const Seq2SeqWalk& walk, DropoutStream& dropout) const {
  const AttentionSite& site = sites_.at(walk.next);
  const auto layer = static_cast<std::size_t>(site.layer);
  AttentionSizes sizes{
      .batch = walk.batch, .queries = walk.outputs, .keys = walk.outputs, .key_lengths = {}};
  switch (site.module) {
    case AttentionModule::kEncoder:
      sizes.queries = sizes.keys = walk.inputs;
      sizes.key_lengths = walk.lengths;
      return encoder_[layer].self.attend_self(walk.encoded, sizes, dropout.next_for_attention());
    case AttentionModule::kDecoderSelf:
      sizes.causal = true;
      return decoder_[layer].self.attend_self(walk.decoded, sizes, dropout.next_for_attention());
    case AttentionModule::kDecoderCross:
      break;
  }
  sizes.keys = walk.inputs;
  sizes.key_lengths = walk.lengths;
  return decoder_[layer].cross.attend_cross(walk.decoded, walk.memory[layer], sizes,
                                            dropout.next_for_attention());
}

void Seq2Seq::absorb(Seq2SeqWalk& walk, const Tensor& z, DropoutStream& dropout) const {
  const AttentionSite& site = sites_.at(walk.next);
  const auto layer = static_cast<std::size_t>(site.layer);
  const Dropout outer = dropout.next();
  switch (site.module) {
    case AttentionModule::kEncoder: {
      const Tensor x = encoder_[layer].self.absorb(walk.encoded, z, outer);
      const Dropout inner = dropout.next();
      walk.encoded = encoder_[layer].feed(x, inner, dropout.next());
      break;
    }
    case AttentionModule::kDecoderSelf:
      walk.decoded = decoder_[layer].self.absorb(walk.decoded, z, outer);
      break;
    case AttentionModule::kDecoderCross: {
      const Tensor x = decoder_[layer].cross.absorb(walk.decoded, z, outer);
      const Dropout inner = dropout.next();
      walk.decoded = decoder_[layer].feed(x, inner, dropout.next());
      break;
    }
  }
  if (++walk.next == encoder_.size()) remember_encoded(walk);
}

void Seq2Seq::remember_encoded(Seq2SeqWalk& walk) const {
  walk.memory.clear();
  for (const DecoderLayer& layer : decoder_) {
    walk.memory.push_back(layer.cross.memory(walk.encoded));  // [B * S, 2 * H * D]
  }
}

void Seq2Seq::finish(Seq2SeqWalk& walk, DropoutStream& dropout, const HeadHooks& hooks) const {
  while (walk.next < sites_.size()) {
    const AttentionSite& site = sites_[walk.next];
    AttentionResult result = attend(walk, dropout);
    if (hooks.on_weights) hooks.on_weights(site, result.weights);
    absorb(walk, hooks.on_output ? hooks.on_output(site, result.z) : result.z, dropout);
  }
}

Tensor Seq2Seq::logits(const Seq2SeqWalk& walk) const {
  return read_out_(walk.decoded);
}

Tensor Seq2Seq::forward(const Seq2SeqBatch& batch, DropoutStream& dropout,
                        const HeadHooks& hooks) const {
  Seq2SeqWalk walk = begin(batch);
  finish(walk, dropout, hooks);
  return logits(walk);
}

Seq2SeqWalk Seq2Seq::encode(const Tensor& inputs, const Tensor& lengths,
                            const HeadHooks& hooks) const {
  DropoutStream none;
  Seq2SeqWalk walk = begin({inputs, lengths, {}, {}});
  while (walk.next < encoder_.size()) {
    const AttentionSite& site = sites_[walk.next];
    const AttentionResult result = attend(walk, none);
    if (hooks.on_weights) hooks.on_weights(site, result.weights);
    absorb(walk, hooks.on_output ? hooks.on_output(site, result.z) : result.z, none);
  }
  return walk;
}

Tensor Seq2Seq::decode_step(const Seq2SeqWalk& encoded, const Tensor& tokens, std::int64_t position,
                            std::vector<Tensor>& cache, const HeadHooks& hooks) const {
  DropoutStream none;
  const std::int64_t batch = encoded.batch;
  Tensor x = embed_tokens(tokens.view({batch, 1}), output_table_, position);  // [B, d]
  const auto seen = [&](std::size_t site, AttentionResult result) {
    if (hooks.on_weights) hooks.on_weights(sites_[site], result.weights);
    return hooks.on_output ? hooks.on_output(sites_[site], result.z) : result.z;
  };
  cache.resize(decoder_.size());
  for (std::size_t layer = 0; layer < decoder_.size(); ++layer) {
    const auto& [self, cross, feed] = decoder_[layer];
    const std::size_t site = encoder_.size() + 2 * layer;
    const std::int64_t width = self.heads * self.head_size;
    const Tensor qkv = self.project(x);  // [B, 3 * H * D]
    const Tensor fresh = qkv.narrow(1, width, 2 * width).view({batch, 1, 2 * width});
    cache[layer] = cache[layer].defined() ? at::cat({cache[layer], fresh}, 1) : fresh.contiguous();
    AttentionSizes sizes{.batch = batch,
                         .heads = self.heads,
                         .queries = 1,
                         .keys = position + 1,
                         .head_size = self.head_size,
                         .key_lengths = {}};
    x = self.absorb(
        x,
        seen(site,
             cross_attention(qkv.narrow(1, 0, width).contiguous(),
                             cache[layer].view({batch * (position + 1), 2 * width}), sizes, {})),
        {});
    sizes.keys = encoded.inputs;
    sizes.key_lengths = encoded.lengths;
    x = cross.absorb(x, seen(site + 1, cross.attend_cross(x, encoded.memory[layer], sizes, {})),
                     {});
    x = feed(x, {}, {});
  }
  return read_out_(x);
}

}  // namespace headway
