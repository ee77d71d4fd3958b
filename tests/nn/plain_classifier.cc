#include "tests/nn/plain_classifier.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

namespace headway::testing {
namespace {

using at::Tensor;

class PlainClassifier {
 public:
  PlainClassifier(const ClassifierConfig& config, const ParameterMap& parameters)
      : config_(config), parameters_(parameters) {}

  Tensor logits(const ClassifierBatch& batch) const {
    const std::int64_t B = batch.tokens.size(0), T = batch.tokens.size(1);
    Tensor padding = at::zeros({B, 1, 1, T}, at::kBool);
    if (batch.lengths.defined()) padding = at::arange(T) >= batch.lengths.view({-1, 1, 1, 1});
    Tensor x = embed(batch.tokens);  // [B, T, d]
    for (std::int64_t layer = 0; layer < config_.n_layers; ++layer) {
      const std::string name = fmt::format("encoder.{}", layer);
      x = add_norm(x, attend(x, name + ".self", padding), name + ".self");
      const Tensor inner = at::relu(linear(x, name + ".feed.in"));
      x = add_norm(x, linear(inner, name + ".feed.out"), name + ".feed");
    }
    std::vector<Tensor> rows;
    for (std::int64_t b = 0; b < B; ++b) {
      const std::int64_t length = batch.lengths.defined() ? batch.lengths[b].item<int>() : T;
      rows.push_back(pool(x[b].narrow(0, 0, length)));
    }
    return linear(at::relu(linear(at::stack(rows), "classify.0")), "classify.1");
  }

 private:
  Tensor linear(const Tensor& x, const std::string& name) const {
    return at::matmul(x, parameters_.at(name + ".weight").t()) + parameters_.at(name + ".bias");
  }

  Tensor add_norm(const Tensor& x, const Tensor& branch, const std::string& name) const {
    const Tensor centred = x + branch - (x + branch).mean(-1, true);
    const Tensor deviation = at::sqrt((centred * centred).mean(-1, true) + 1e-5);
    return centred / deviation * parameters_.at(name + ".norm.gain") +
           parameters_.at(name + ".norm.bias");
  }

  // [T, width / 2]: of each position and pair of dimensions.
  static Tensor angles(std::int64_t T, std::int64_t width) {
    const Tensor wave =
        at::pow(10000.0, at::arange(0, width, 2, at::kDouble) / static_cast<double>(width));
    return at::arange(T, at::kDouble).unsqueeze(1) / wave;
  }

  Tensor embed(const Tensor& tokens) const {
    const std::int64_t d = config_.d_model, T = tokens.size(1);
    const Tensor rows = at::embedding(parameters_.at("embedding"), tokens.to(at::kLong)) *
                        std::sqrt(static_cast<double>(d));
    if (config_.encoding == Encoding::kSinusoidal) {
      return rows + at::stack({angles(T, d).sin(), angles(T, d).cos()}, 2).flatten(1);
    }
    if (config_.encoding == Encoding::kLearned) {
      const Tensor place = at::arange(T).clamp_max(config_.trained_to - 1);
      return rows + parameters_.at("positions.learned").index_select(0, place);
    }
    return rows;
  }

  Tensor heads(const Tensor& x) const {  // [B, T, H * D] -> [B, H, T, D]
    return x.unflatten(2, {config_.n_heads, config_.head_size()}).transpose(1, 2);
  }

  Tensor turned(const Tensor& x) const {  // [B, H, T, D]
    if (config_.encoding != Encoding::kRope) return x;
    const Tensor angle = angles(x.size(2), config_.head_size());  // [T, D / 2]
    const Tensor real = x.slice(3, 0, x.size(3), 2), imaginary = x.slice(3, 1, x.size(3), 2);
    return at::stack({real * angle.cos() - imaginary * angle.sin(),
                      real * angle.sin() + imaginary * angle.cos()},
                     4)
        .flatten(3);
  }

  Tensor bias(std::int64_t T) const {  // [H, T, T]
    Tensor bias = at::zeros({config_.n_heads, T, T}, at::kDouble);
    if (config_.encoding == Encoding::kRelative) {
      std::vector<std::int64_t> buckets;
      for (std::int64_t t = 0; t < T; ++t) {
        for (std::int64_t s = 0; s < T; ++s) {
          buckets.push_back(t5_bucket(s - t, config_.buckets, config_.farthest));
        }
      }
      const Tensor rows = parameters_.at("positions.relative").index_select(0, at::tensor(buckets));
      return rows.view({T, T, config_.n_heads}).permute({2, 0, 1});
    }
    if (config_.encoding != Encoding::kAlibi) return bias;
    const Tensor distance = at::arange(T).unsqueeze(0) - at::arange(T).unsqueeze(1);  // s - t
    const std::int64_t back = config_.n_heads / 2;
    for (std::int64_t h = 0; h < config_.n_heads; ++h) {
      const bool both = config_.alibi == AlibiShape::kSymmetric, looks_back = h < back;
      const double slope = both         ? std::pow(2, -8.0 * static_cast<double>(h + 1) /
                                                          static_cast<double>(config_.n_heads))
                           : looks_back ? std::pow(0.5, h)
                                        : std::pow(0.25, h - back);
      bias[h] = distance.abs() * -slope;
      if (!both) bias[h].masked_fill_(looks_back ? distance > 0 : distance < 0, -INFINITY);
    }
    return bias;
  }

  Tensor attend(const Tensor& x, const std::string& name, const Tensor& padding) const {
    const auto qkv = linear(x, name + ".qkv").chunk(3, 2);
    const Tensor added = bias(x.size(1));
    // A query after a sequence's end may see no key: softmax must not turn that into NaN.
    const Tensor hidden = padding | added.isinf();
    const Tensor scores = at::matmul(turned(heads(qkv[0])), turned(heads(qkv[1])).transpose(2, 3)) /
                              std::sqrt(static_cast<double>(config_.head_size())) +
                          added.masked_fill(added.isinf(), 0);
    const Tensor weights = at::softmax(scores.masked_fill(hidden, -1e30), -1);
    const Tensor z = at::matmul(weights.masked_fill(hidden, 0), heads(qkv[2]));  // [B, H, T, D]
    return linear(z.transpose(1, 2).flatten(2), name + ".out");
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

  const ClassifierConfig& config_;
  const ParameterMap& parameters_;
};

}  // namespace

std::int64_t t5_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t farthest) {
  const std::int64_t first = distance > 0 ? buckets / 2 : 0, far = std::abs(distance);
  const std::int64_t exact = buckets / 4, m = buckets / 2 - exact;
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

Tensor plain_logits(const ClassifierConfig& config, const ParameterMap& parameters,
                    const ClassifierBatch& batch) {
  return PlainClassifier(config, parameters).logits(batch);
}

}  // namespace headway::testing
