#include "tests/nn/plain_seq2seq.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

namespace headway::testing {
namespace {

using at::Tensor;

class PlainSeq2Seq {
 public:
  PlainSeq2Seq(const Seq2SeqConfig& config, const ParameterMap& parameters)
      : config_(config), parameters_(parameters) {}

  Tensor logits(const Seq2SeqBatch& batch) const {
    const std::int64_t S = batch.inputs.size(1), T = batch.fed.size(1);
    Tensor padding = at::zeros({batch.inputs.size(0), 1, 1, S}, at::kBool);  // [B, 1, 1, S]
    if (batch.lengths.defined()) padding = at::arange(S) >= batch.lengths.view({-1, 1, 1, 1});
    const Tensor future = at::ones({T, T}, at::kBool).triu(1);

    Tensor encoded = embed(batch.inputs, "encoder.embedding");  // [B, S, d]
    for (std::int64_t layer = 0; layer < config_.n_layers; ++layer) {
      const std::string name = fmt::format("encoder.{}", layer);
      encoded = attend_self(encoded, name + ".self", padding);
      encoded = feed(encoded, name + ".feed");
    }
    Tensor decoded = embed(batch.fed, "decoder.embedding");  // [B, T, d]
    for (std::int64_t layer = 0; layer < config_.n_layers; ++layer) {
      const std::string name = fmt::format("decoder.{}", layer);
      decoded = attend_self(decoded, name + ".self", future);
      decoded = attend_cross(decoded, encoded, name + ".cross", padding);
      decoded = feed(decoded, name + ".feed");
    }
    return linear(decoded, "read_out").flatten(0, 1);
  }

 private:
  const Tensor& at(const std::string& name) const { return parameters_.at(name); }

  Tensor linear(const Tensor& x, const std::string& name) const {
    return at::matmul(x, at(name + ".weight").t()) + at(name + ".bias");
  }

  Tensor embed(const Tensor& tokens, const std::string& table) const {
    const std::int64_t d = config_.d_model;
    const Tensor rows = at::embedding(at(table), tokens.to(at::kLong));
    const Tensor position = at::arange(tokens.size(1), at::kDouble).unsqueeze(1);
    const Tensor wave = at::pow(10000.0, at::arange(0, d, 2, at::kDouble) / static_cast<double>(d));
    const Tensor angle = position / wave;  // [T, d / 2]
    const Tensor positions = at::stack({angle.sin(), angle.cos()}, 2).flatten(1);
    return rows * std::sqrt(static_cast<double>(d)) + positions;
  }

  Tensor heads(const Tensor& x) const {  // [B, T, H * D] -> [B, H, T, D]
    return x.unflatten(2, {config_.n_heads, config_.head_size()}).transpose(1, 2);
  }

  Tensor add_norm(const Tensor& x, const Tensor& branch, const std::string& name) const {
    const Tensor sum = x + branch;
    const Tensor centred = sum - sum.mean(-1, true);
    const Tensor variance = (centred * centred).mean(-1, true);
    return centred / at::sqrt(variance + 1e-5) * at(name + ".norm.gain") + at(name + ".norm.bias");
  }

  Tensor mix(const Tensor& x, const Tensor& q, const Tensor& k, const Tensor& v,
             const std::string& name, const Tensor& hidden) const {
    const Tensor scores = at::matmul(heads(q), heads(k).transpose(2, 3)) /
                          std::sqrt(static_cast<double>(config_.head_size()));
    const Tensor weights = at::softmax(scores.masked_fill(hidden, -INFINITY), -1);
    const Tensor z = at::matmul(weights, heads(v)).transpose(1, 2).flatten(2);  // [B, T, H * D]
    return add_norm(x, linear(z, name + ".out"), name);
  }

  Tensor attend_self(const Tensor& x, const std::string& name, const Tensor& hidden) const {
    const auto qkv = linear(x, name + ".qkv").chunk(3, 2);
    return mix(x, qkv[0], qkv[1], qkv[2], name, hidden);
  }

  Tensor attend_cross(const Tensor& x, const Tensor& memory, const std::string& name,
                      const Tensor& hidden) const {
    const auto kv = linear(memory, name + ".kv").chunk(2, 2);
    return mix(x, linear(x, name + ".q"), kv[0], kv[1], name, hidden);
  }

  Tensor feed(const Tensor& x, const std::string& name) const {
    return add_norm(x, linear(at::relu(linear(x, name + ".in")), name + ".out"), name);
  }

  const Seq2SeqConfig& config_;
  const ParameterMap& parameters_;
};

}  // namespace

ParameterMap double_leaves(const Parameters& parameters) {
  ParameterMap leaves = parameters.views(false);
  for (auto& [name, leaf] : leaves) leaf = leaf.to(at::kDouble).set_requires_grad(true);
  return leaves;
}

Tensor plain_logits(const Seq2SeqConfig& config, const ParameterMap& parameters,
                    const Seq2SeqBatch& batch) {
  return PlainSeq2Seq(config, parameters).logits(batch);
}

}  // namespace headway::testing
