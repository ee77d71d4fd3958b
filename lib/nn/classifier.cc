#include "lib/nn/classifier.h"

#include <fmt/format.h>

#include <cmath>

#include "lib/base/error.h"

namespace headway {

using at::Tensor;

std::vector<ParameterShape> parameter_shapes(const ClassifierConfig& config) {
  std::vector<ParameterShape> shapes;
  const std::int64_t d = config.d_model;
  shapes.push_back({"embedding", {config.vocabulary, d}, ParameterShape::Start::kEmbedding});
  declare_positions(config, shapes);
  for (std::int64_t layer = 0; layer < config.n_layers; ++layer) {
    declare_attention(fmt::format("encoder.{}.self", layer), false, d, config.n_heads,
                      config.head_size(), shapes);
    declare_feed_forward(fmt::format("encoder.{}.feed", layer), d, config.d_ff, shapes);
  }
  const auto features = static_cast<std::int64_t>(config.features().size());
  if (features > 1) declare_linear("pool", features * d, d, shapes);
  declare_linear("classify.0", d, d, shapes);
  declare_linear("classify.1", d, config.classes, shapes);
  return shapes;
}

Classifier::Classifier(const ClassifierConfig& config, const ParameterMap& parameters,
                       std::int64_t longest)
    : config_(config), longest_(longest) {
  config_.check();
  table_ = parameters.at("embedding");
  positions_ = Positions(config_, parameters, longest);
  for (std::int64_t layer = 0; layer < config_.n_layers; ++layer)
    layers_.push_back({attention_of(parameters, fmt::format("encoder.{}.self", layer),
                                    config_.n_heads, config_.head_size()),
                       feed_forward_of(parameters, fmt::format("encoder.{}.feed", layer))});
  if (config_.features().size() > 1) gather_ = linear_of(parameters, "pool");
  widen_ = linear_of(parameters, "classify.0");
  choose_ = linear_of(parameters, "classify.1");
}

Tensor Classifier::embed_tokens(const Tensor& tokens) const {
  const std::int64_t length = tokens.size(1);
  if (length > longest_) throw Error("a sequence of {} is longer than {}", length, longest_);
  const Tensor& added = positions_.added();
  return embed(tokens, table_, added.defined() ? added.narrow(0, 0, length) : added,
               std::sqrt(static_cast<double>(config_.d_model)), {});
}

Tensor Classifier::forward(const ClassifierBatch& batch, DropoutStream& dropout) const {
  const std::int64_t size = batch.tokens.size(0), length = batch.tokens.size(1);
  const AttentionSizes sizes{.batch = size,
                             .queries = length,
                             .keys = length,
                             .key_lengths = batch.lengths,
                             .keep_weights = false};
  const AttentionPositions in_attention = positions_.in_attention();
  Tensor x = embed_tokens(batch.tokens);  // [B * T, d]
  for (const Layer& layer : layers_) {
    const AttentionResult result =
        layer.self.attend_self(x, sizes, dropout.next_for_attention(), in_attention);
    x = layer.feed(layer.self.absorb(x, result.z, dropout.next()), dropout);
  }
  Tensor pooled = pool(x, size, batch.lengths, config_.features());  // [B, F * d]
  if (gather_.weight.defined()) pooled = gather_(pooled);            // [B, d]
  return choose_(linear_relu_dropout(pooled, widen_.weight, widen_.bias, dropout.next()));
}

}  // namespace headway
