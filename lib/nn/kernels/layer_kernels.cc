#include "lib/nn/kernels/layer_kernels.h"

#include <algorithm>
#include <cmath>

namespace headway {

HEADWAY_VECTORISED
void add_norm_forward(const AddNorm& op, const float* branch, const float* residual,
                      const float* bias, float* y, float* normalised, float* inverse_deviation) {
  const std::int64_t d = op.width;
  const Dropout dropout = op.dropout;
  for (std::int64_t row = 0; row < op.rows; ++row) {
    const float* __restrict in = branch ? branch + row * d : nullptr;
    const float* __restrict base = residual + row * d;
    float* __restrict out = y + row * d;
    const auto first = static_cast<std::uint32_t>(row * d);
    float sum = 0;
    if (!in) {
#pragma omp simd reduction(+ : sum)
      for (std::int64_t i = 0; i < d; ++i) {
        out[i] = base[i];
        sum += out[i];
      }
    } else if (dropout.active()) {
#pragma omp simd reduction(+ : sum)
      for (std::int64_t i = 0; i < d; ++i) {
        out[i] = base[i] + in[i] * dropout.factor(first + static_cast<std::uint32_t>(i));
        sum += out[i];
      }
    } else {
#pragma omp simd reduction(+ : sum)
      for (std::int64_t i = 0; i < d; ++i) {
        out[i] = base[i] + in[i];
        sum += out[i];
      }
    }
    const float mean = sum / static_cast<float>(d);
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::int64_t i = 0; i < d; ++i) squares += (out[i] - mean) * (out[i] - mean);
    const float inverse = 1 / std::sqrt(squares / static_cast<float>(d) + kNormEpsilon);
    if (normalised) {
      float* __restrict kept = normalised + row * d;
      inverse_deviation[row] = inverse;
      for (std::int64_t i = 0; i < d; ++i) {
        kept[i] = (out[i] - mean) * inverse;
        out[i] = kept[i] * op.gain[i] + bias[i];
      }
    } else {
      for (std::int64_t i = 0; i < d; ++i)
        out[i] = (out[i] - mean) * inverse * op.gain[i] + bias[i];
    }
  }
}

HEADWAY_VECTORISED
void add_norm_backward(const AddNorm& op, const float* normalised, const float* inverse_deviation,
                       const float* dy, const AddNormGradients& gradients) {
  const std::int64_t d = op.width;
  const Dropout dropout = op.dropout;
  std::fill_n(gradients.gain, d, 0.0F);
  std::fill_n(gradients.bias, d, 0.0F);
  for (std::int64_t row = 0; row < op.rows; ++row) {
    const float* __restrict x = normalised + row * d;
    const float* __restrict slope = dy + row * d;
    float* __restrict out = gradients.residual + row * d;
    float* __restrict gain = gradients.gain;
    float* __restrict bias = gradients.bias;
    float mean = 0, along = 0;
#pragma omp simd reduction(+ : mean, along)
    for (std::int64_t i = 0; i < d; ++i) {
      const float scaled = slope[i] * op.gain[i];
      mean += scaled;
      along += scaled * x[i];
      gain[i] += slope[i] * x[i];
      bias[i] += slope[i];
    }
    mean /= static_cast<float>(d);
    along /= static_cast<float>(d);
    const float inverse = inverse_deviation[row];
    for (std::int64_t i = 0; i < d; ++i)
      out[i] = inverse * (slope[i] * op.gain[i] - mean - x[i] * along);
    if (gradients.branch == gradients.residual) continue;
    float* __restrict branch = gradients.branch + row * d;
    const auto first = static_cast<std::uint32_t>(row * d);
    for (std::int64_t i = 0; i < d; ++i)
      branch[i] = out[i] * dropout.factor(first + static_cast<std::uint32_t>(i));
  }
}

HEADWAY_VECTORISED
void add_dropout(std::int64_t count, const Dropout& dropout, const float* branch,
                 const float* residual, float* y) {
  const Dropout mask = dropout;
  const float* __restrict in = branch;
  const float* __restrict base = residual;
  float* __restrict out = y;
  if (base) {
    for (std::int64_t i = 0; i < count; ++i)
      out[i] = base[i] + in[i] * mask.factor(static_cast<std::uint32_t>(i));
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      out[i] = in[i] * mask.factor(static_cast<std::uint32_t>(i));
  }
}

HEADWAY_VECTORISED
void relu_dropout_forward(std::int64_t count, const Dropout& dropout, float* y) {
  float* __restrict out = y;
  if (!dropout.active()) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = out[i] > 0 ? out[i] : 0;
    return;
  }
  const Dropout mask = dropout;
  for (std::int64_t i = 0; i < count; ++i) {
    const float passed = out[i] > 0 ? out[i] : 0;
    out[i] = passed * mask.factor(static_cast<std::uint32_t>(i));
  }
}

HEADWAY_VECTORISED
void relu_dropout_backward(std::int64_t count, float scale, const float* y, const float* dy,
                           float* dx) {
  const float* __restrict value = y;
  const float* __restrict slope = dy;
  float* __restrict out = dx;
  for (std::int64_t i = 0; i < count; ++i) out[i] = value[i] > 0 ? slope[i] * scale : 0;
}

HEADWAY_VECTORISED
void sum_rows(std::int64_t rows, std::int64_t width, const float* x, float* sums) {
  float* __restrict out = sums;
  std::fill_n(out, width, 0.0F);
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* __restrict in = x + row * width;
    for (std::int64_t i = 0; i < width; ++i) out[i] += in[i];
  }
}

HEADWAY_VECTORISED
void embedding_forward(const Embedding& op, const float* table, const float* positions, float* y) {
  const std::int64_t d = op.width;
  const Dropout dropout = op.dropout;
  for (std::int64_t row = 0; row < op.rows; ++row) {
    const float* __restrict token = table + op.tokens[row] * d;
    float* __restrict out = y + row * d;
    if (positions) {
      const float* __restrict position = positions + row % op.length * d;
      for (std::int64_t i = 0; i < d; ++i) out[i] = token[i] * op.scale + position[i];
    } else {
      for (std::int64_t i = 0; i < d; ++i) out[i] = token[i] * op.scale;
    }
    if (!dropout.active()) continue;
    const auto first = static_cast<std::uint32_t>(row * d);
    for (std::int64_t i = 0; i < d; ++i)
      out[i] *= dropout.factor(first + static_cast<std::uint32_t>(i));
  }
}

HEADWAY_VECTORISED
void embedding_backward(const Embedding& op, const float* dy, float* dtable, float* dpositions) {
  const std::int64_t d = op.width;
  const Dropout dropout = op.dropout;
  for (std::int64_t row = 0; row < op.rows; ++row) {
    const float* __restrict slope = dy + row * d;
    float* __restrict out = dtable + op.tokens[row] * d;
    const auto first = static_cast<std::uint32_t>(row * d);
    for (std::int64_t i = 0; i < d; ++i) {
      const float kept =
          dropout.active() ? dropout.factor(first + static_cast<std::uint32_t>(i)) : 1;
      out[i] += slope[i] * kept * op.scale;
    }
    if (!dpositions) continue;
    float* __restrict position = dpositions + row % op.length * d;
    for (std::int64_t i = 0; i < d; ++i) {
      const float kept =
          dropout.active() ? dropout.factor(first + static_cast<std::uint32_t>(i)) : 1;
      position[i] += slope[i] * kept;
    }
  }
}

HEADWAY_VECTORISED
double cross_entropy(const CrossEntropy& op, const float* logits, float scale, float* slopes) {
  double total = 0;
  const std::int64_t classes = op.classes;
  for (std::int64_t row = 0; row < op.rows; ++row) {
    const float* in = logits + row * classes;
    float* out = slopes ? slopes + row * classes : nullptr;
    const std::int32_t target = op.targets[row];
    if (target == op.ignored) {
      if (out) std::fill_n(out, classes, 0.0F);
      continue;
    }
    const float highest = *std::max_element(in, in + classes);
    float sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) sum += vector_exp(in[c] - highest);
    total += std::log(static_cast<double>(sum)) + highest - in[target];
    if (!out) continue;
    for (std::int64_t c = 0; c < classes; ++c) out[c] = scale * vector_exp(in[c] - highest) / sum;
    out[target] -= scale;
  }
  return total;
}

}  // namespace headway
