#include "tests/nn/plain_transformer.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

#include "tests/nn/function_checks.h"

namespace headway::testing {
namespace {

using at::Tensor;

// The sequence that an attention reads from or writes to.
struct Sequence {
  Tensor x;          // [B, T, d]
  Tensor positions;  // int64 [B, T]
};

class PlainTransformer {
 public:
  PlainTransformer(const TransformerConfig& config, const ParameterMap& parameters,
                   DropoutStream dropout)
      : config_(config), parameters_(parameters), dropout_(dropout) {}

  Tensor logits(const Batch& batch) {
    Sequence encoded;
    Tensor padding;  // of the keys, [B, 1, 1, S]
    if (config_.has_encoder()) {
      const std::int64_t B = batch.inputs.size(0), S = batch.inputs.size(1);
      padding = at::zeros({B, 1, 1, S}, at::kBool);
      if (batch.lengths.defined()) padding = at::arange(S) >= batch.lengths.view({-1, 1, 1, 1});
      encoded = embed(batch.inputs, batch.input_positions, "encoder.");
      for (std::int64_t layer = 0; layer < config_.n_layers; ++layer) {
        const std::string block = fmt::format("encoder.{}", layer);
        attend(encoded, nullptr, block + ".self", padding);
        feed(encoded, block + ".feed");
      }
      if (config_.norm == NormPlace::kPre) encoded.x = norm(encoded.x, "encoder.norm");
    }
    if (!config_.has_decoder()) return classify(encoded.x, batch.lengths);
    const std::int64_t T = batch.fed.size(1);
    const Tensor future = at::ones({T, T}, at::kBool).triu(1);
    Sequence decoded = embed(batch.fed, batch.fed_positions, "decoder.");
    for (std::int64_t layer = 0; layer < config_.n_layers; ++layer) {
      const std::string block = fmt::format("decoder.{}", layer);
      attend(decoded, nullptr, block + ".self", future);
      if (config_.has_encoder()) attend(decoded, &encoded, block + ".cross", padding);
      feed(decoded, block + ".feed");
    }
    if (config_.norm == NormPlace::kPre) decoded.x = norm(decoded.x, "decoder.norm");
    return linear(decoded.x, "read_out").flatten(0, 1);
  }

 private:
  const Tensor& at(const std::string& name) const { return parameters_.at(name); }
  bool has_both() const { return config_.kind == ModelKind::kEncoderDecoder; }

  Tensor linear(const Tensor& x, const std::string& name) const {
    return at::matmul(x, at(name + ".weight").t()) + at(name + ".bias");
  }

  Tensor norm(const Tensor& x, const std::string& name) const {
    const Tensor centred = x - x.mean(-1, true);
    const Tensor deviation = at::sqrt((centred * centred).mean(-1, true) + 1e-5);
    return centred / deviation * at(name + ".gain") + at(name + ".bias");
  }

  static Tensor dropped(const Tensor& x, const Dropout& dropout) {
    return x * factors(dropout, x.sizes());
  }

  // What a sublayer reads, and the stream after it.
  Tensor before(const Tensor& x, const std::string& name) const {
    return config_.norm == NormPlace::kPre ? norm(x, name + ".norm") : x;
  }
  Tensor after(const Tensor& x, const Tensor& branch, const std::string& name) {
    const Tensor sum = x + dropped(branch, dropout_.next());
    return config_.norm == NormPlace::kPre ? sum : norm(sum, name + ".norm");
  }

  // [..., width / 2]: of each position and pair of dimensions.
  static Tensor angles(const Tensor& positions, std::int64_t width) {
    const Tensor wave =
        at::pow(10000.0, at::arange(0, width, 2, at::kDouble) / static_cast<double>(width));
    return positions.unsqueeze(-1) / wave;
  }

  Sequence embed(const Tensor& tokens, const Tensor& given, const std::string& stack) const {
    const std::int64_t d = config_.d_model, B = tokens.size(0), T = tokens.size(1);
    const Tensor positions =
        given.defined() ? given.to(at::kLong) : at::arange(T).unsqueeze(0).expand({B, T});
    Tensor x = at::embedding(at((has_both() ? stack : "") + "embedding"), tokens.to(at::kLong)) *
               std::sqrt(static_cast<double>(d));
    if (config_.encoding == Encoding::kSinusoidal) {
      const Tensor angle = angles(positions, d);  // [B, T, d / 2]
      x = x + at::stack({angle.sin(), angle.cos()}, -1).flatten(2);
    } else if (config_.encoding == Encoding::kLearned) {
      const bool shared = !has_both() || config_.positions == PositionSource::kData;
      const Tensor& table = at((shared ? "" : stack) + "positions.learned");
      x = x + at::embedding(table, positions.clamp_max(config_.trained_to - 1));
    }
    return {x, positions};
  }

  Tensor heads(const Tensor& x) const {  // [B, T, H * D] -> [B, H, T, D]
    return x.unflatten(2, {config_.n_heads, config_.head_size()}).transpose(1, 2);
  }

  Tensor turned(const Tensor& x, const Tensor& positions) const {  // [B, H, T, D], [B, T]
    const Tensor angle = angles(positions, config_.head_size()).unsqueeze(1);  // [B, 1, T, D / 2]
    const Tensor real = x.slice(3, 0, x.size(3), 2), imaginary = x.slice(3, 1, x.size(3), 2);
    return at::stack({real * angle.cos() - imaginary * angle.sin(),
                      real * angle.sin() + imaginary * angle.cos()},
                     4)
        .flatten(3);
  }

  // The bias for these distances of keys from queries [B, T, S], by the table at `name`:
  // [B, H, T, S].
  Tensor bias(const Tensor& distances, const std::string& name, bool causal) const {
    if (config_.encoding == Encoding::kRelative) {
      Tensor buckets = distances.contiguous().clone();
      auto* values = buckets.data_ptr<std::int64_t>();
      for (std::int64_t i = 0; i < buckets.numel(); ++i)
        values[i] = t5_bucket(values[i], config_.buckets, config_.farthest,
                              causal && config_.positions == PositionSource::kCounted);
      return at::embedding(at(name), buckets).permute({0, 3, 1, 2});
    }
    std::vector<Tensor> biases;
    const std::int64_t H = config_.n_heads, back = H / 2;
    for (std::int64_t h = 0; h < H; ++h) {
      const bool both = causal || config_.alibi == AlibiShape::kSymmetric, looks_back = h < back;
      const double slope =
          both ? std::pow(2, -8.0 * static_cast<double>(h + 1) / static_cast<double>(H))
               : std::pow(looks_back ? 0.5 : 0.25, h - (looks_back ? 0 : back));
      biases.push_back(distances.abs() * -slope);
      if (!both) biases.back().masked_fill_(looks_back ? distances > 0 : distances < 0, -INFINITY);
    }
    return at::stack(biases, 1);
  }

  // Attention to itself, or to `other`.
  void attend(Sequence& own, const Sequence* other, const std::string& name, const Tensor& masked) {
    const Tensor in = before(own.x, name);
    Tensor q, k, v;
    if (other) {
      const auto kv = linear(other->x, name + ".kv").chunk(2, 2);
      q = heads(linear(in, name + ".q")), k = heads(kv[0]), v = heads(kv[1]);
    } else {
      const auto qkv = linear(in, name + ".qkv").chunk(3, 2);
      q = heads(qkv[0]), k = heads(qkv[1]), v = heads(qkv[2]);
    }
    const Tensor& key_positions = other ? other->positions : own.positions;
    // Between two sequences positions mean something only if the data gives them.
    const bool knows = !other || config_.positions == PositionSource::kData;
    if (knows && config_.encoding == Encoding::kRope)
      q = turned(q, own.positions), k = turned(k, key_positions);
    Tensor scores =
        at::matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<double>(config_.head_size()));
    Tensor hidden = masked;
    if (knows &&
        (config_.encoding == Encoding::kAlibi || config_.encoding == Encoding::kRelative)) {
      const bool in_decoder = name.starts_with("decoder");
      const Tensor added = bias(key_positions.unsqueeze(1) - own.positions.unsqueeze(2),
                                !has_both()  ? "positions.relative"
                                : other      ? "decoder.positions.cross"
                                : in_decoder ? "decoder.positions.relative"
                                             : "encoder.positions.relative",
                                in_decoder && !other);
      hidden = hidden | added.isinf();
      scores = scores + added.masked_fill(added.isinf(), 0);
    }
    // A query that sees no key has weights 0: softmax must not turn that into NaN.
    const Tensor weights = at::softmax(scores.masked_fill(hidden, -1e30), -1);
    const Tensor kept = dropped(weights.masked_fill(hidden, 0), dropout_.next_for_attention());
    const Tensor z = at::matmul(kept, v);  // [B, H, T, D]
    own.x = after(own.x, linear(z.transpose(1, 2).flatten(2), name + ".out"), name);
  }

  void feed(Sequence& own, const std::string& name) {
    if (config_.ffn == FeedKind::kNone) return;
    Tensor inner = linear(before(own.x, name), name + ".in");
    if (config_.ffn == FeedKind::kRelu) {
      inner = inner.clamp_min(0);
    } else if (config_.ffn == FeedKind::kGelu) {
      inner = inner * 0.5 * (1 + at::erf(inner / std::sqrt(2.0)));
    } else {
      const auto parts = inner.chunk(2, -1);
      inner = parts[0] / (1 + at::exp(-parts[0])) * parts[1];
    }
    inner = dropped(inner, dropout_.next());
    own.x = after(own.x, linear(inner, name + ".out"), name);
  }

  Tensor classify(const Tensor& encoded, const Tensor& lengths) {
    std::vector<Tensor> rows;
    for (std::int64_t b = 0; b < encoded.size(0); ++b) {
      const std::int64_t length = lengths.defined() ? lengths[b].item<int>() : encoded.size(1);
      rows.push_back(pool(encoded[b].narrow(0, 0, length)));
    }
    const Tensor wide = at::relu(linear(at::stack(rows), "classify.0"));
    return linear(dropped(wide, dropout_.next()), "classify.1");
  }

  Tensor pool(const Tensor& x) const {  // [length, d] -> [d]
    const std::int64_t length = x.size(0);
    switch (config_.pooling) {
      case Pooling::kMean:
        return x.mean(0);
      case Pooling::kMax:
        return std::get<0>(x.max(0));
      case Pooling::kMin:
        return std::get<0>(x.min(0));
      case Pooling::kLast:
        return x[length - 1];
      case Pooling::kMulti:
        break;
    }
    Tensor least = x[0] * 0, mean = least;  // of differences
    if (length > 1) {
      const Tensor differences = x.narrow(0, 1, length - 1) - x.narrow(0, 0, length - 1);
      least = std::get<0>(differences.min(0));
      mean = differences.mean(0);
    }
    return linear(at::cat({std::get<0>(x.min(0)), least, mean, x[0], x[length - 1]}), "pool");
  }

  const TransformerConfig& config_;
  const ParameterMap& parameters_;
  DropoutStream dropout_;
};

}  // namespace

ParameterMap double_leaves(const Parameters& parameters) {
  ParameterMap leaves = parameters.views(false);
  for (auto& [name, leaf] : leaves) leaf = leaf.to(at::kDouble).set_requires_grad(true);
  return leaves;
}

std::int64_t t5_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t farthest,
                       bool causal) {
  if (causal && distance > 0) return 0;
  const std::int64_t each_way = causal ? buckets : buckets / 2;
  const std::int64_t first = distance > 0 ? each_way : 0, far = std::abs(distance);
  const std::int64_t exact = each_way / 2, m = each_way - exact;
  if (far < exact) return first + far;
  const auto power = [](std::int64_t base, std::int64_t exponent) {
    return std::pow(static_cast<long double>(base), static_cast<long double>(exponent));
  };
  std::int64_t j = 0;
  while (j + 1 < m &&
         power(far, m) * power(exact, j + 1) >= power(farthest, j + 1) * power(exact, m)) {
    ++j;
  }
  return first + exact + j;
}

Tensor plain_logits(const TransformerConfig& config, const ParameterMap& parameters,
                    const Batch& batch, DropoutStream dropout) {
  return PlainTransformer(config, parameters, dropout).logits(batch);
}

}  // namespace headway::testing
