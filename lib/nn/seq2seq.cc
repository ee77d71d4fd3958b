#include "lib/nn/seq2seq.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/nn/positions.h"

namespace headway {

using at::Tensor;

std::vector<ParameterShape> parameter_shapes(const Seq2SeqConfig& config) {
  std::vector<ParameterShape> shapes;
  const auto [d, inner, head] = std::tuple(config.d_model, config.d_ff, config.head_size());
  using Start = ParameterShape::Start;
  shapes.push_back({"encoder.embedding", {config.vocabulary, d}, Start::kEmbedding});
  shapes.push_back({"decoder.embedding", {config.vocabulary, d}, Start::kEmbedding});
  for (const AttentionSite& site : config.sites()) {
    const bool cross = site.module == AttentionModule::kDecoderCross;
    const auto heads = static_cast<std::int64_t>(config.heads_of(site.index).size());
    declare_attention(site.name(), cross, d, heads, head, shapes);
    if (site.module == AttentionModule::kDecoderSelf) continue;
    declare_feed_forward(fmt::format("{}.{}.feed", cross ? "decoder" : "encoder", site.layer), d,
                         inner, shapes);
  }
  declare_linear("read_out", d, config.vocabulary, shapes);
  return shapes;
}

Tensor HeadHooks::pass(const AttentionSite& site, const AttentionResult& result) const {
  if (on_weights) on_weights(site, result.weights);
  return on_output ? on_output(site, result.z) : result.z;
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
  if (first + length > kLongestInput)
    throw Error("a sequence of {} tokens is longer than {}", first + length, kLongestInput);
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
      const auto& [self, feed] = encoder_[layer];
      walk.encoded = feed(self.absorb(walk.encoded, z, outer), dropout);
      break;
    }
    case AttentionModule::kDecoderSelf:
      walk.decoded = decoder_[layer].self.absorb(walk.decoded, z, outer);
      break;
    case AttentionModule::kDecoderCross: {
      const auto& [self, cross, feed] = decoder_[layer];
      walk.decoded = feed(cross.absorb(walk.decoded, z, outer), dropout);
      break;
    }
  }
  if (++walk.next != encoder_.size()) return;
  for (const DecoderLayer& decoder : decoder_) {
    walk.memory.push_back(decoder.cross.memory(walk.encoded));  // [B * S, 2 * H * D]
  }
}

void Seq2Seq::walk_to(std::size_t end, Seq2SeqWalk& walk, DropoutStream& dropout,
                      const HeadHooks& hooks) const {
  while (walk.next < end)
    absorb(walk, hooks.pass(sites_[walk.next], attend(walk, dropout)), dropout);
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
  walk_to(encoder_.size(), walk, none, hooks);
  return walk;
}

Tensor Seq2Seq::decode_step(const Seq2SeqWalk& encoded, const Tensor& tokens, std::int64_t position,
                            std::vector<Tensor>& cache, const HeadHooks& hooks) const {
  DropoutStream none;
  const std::int64_t batch = encoded.batch;
  Tensor x = embed_tokens(tokens.view({batch, 1}), output_table_, position);  // [B, d]
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
    const AttentionResult own =
        cross_attention(qkv.narrow(1, 0, width).contiguous(),
                        cache[layer].view({batch * (position + 1), 2 * width}), sizes, {});
    x = self.absorb(x, hooks.pass(sites_[site], own), {});
    sizes.keys = encoded.inputs;
    sizes.key_lengths = encoded.lengths;
    const AttentionResult other = cross.attend_cross(x, encoded.memory[layer], sizes, {});
    x = cross.absorb(x, hooks.pass(sites_[site + 1], other), {});
    x = feed(x, none);
  }
  return read_out_(x);
}

Tensor most_likely(const Tensor& logits) {
  const std::int64_t rows = logits.size(0), classes = logits.size(1);
  Tensor best = at::empty({rows}, at::kInt);
  const auto* scores = logits.data_ptr<float>();
  auto* out = best.data_ptr<std::int32_t>();
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* first = scores + row * classes;
    out[row] = static_cast<std::int32_t>(std::max_element(first, first + classes) - first);
  }
  return best;
}

Tensor greedy_decode(const Seq2Seq& model, const Tensor& inputs, const Tensor& lengths,
                     std::int32_t first_token, std::int64_t steps, const HeadHooks& hooks) {
  const c10::AutoGradMode without_gradients(false);
  const Seq2SeqWalk encoded = model.encode(inputs, lengths, hooks);
  const std::int64_t batch = encoded.batch;
  Tensor outputs = at::empty({batch, steps}, at::kInt);
  Tensor tokens = at::full({batch}, first_token, at::kInt);
  std::vector<Tensor> cache;
  for (std::int64_t step = 0; step < steps; ++step) {
    tokens = most_likely(model.decode_step(encoded, tokens, step, cache, hooks));
    outputs.select(1, step).copy_(tokens);
  }
  return outputs;
}

}  // namespace headway
