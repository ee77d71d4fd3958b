#include "lib/nn/kernels/attention_kernel.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headway {
namespace {

constexpr std::int64_t kLanes = 8;  // keys are handled in groups of a vector register

std::int64_t round_up(std::int64_t count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}

// One head's keys (or values) with the positions in the vector lanes: [D, S rounded up], the rest
// zero. With few keys and many dimensions, dot products over D would waste their time adding lanes.
HEADWAY_INLINE void transpose(HeadRows<const float> rows, std::int64_t first_row, std::int64_t head,
                              std::int64_t count, std::int64_t size, std::int64_t padded,
                              float* __restrict out) {
  for (std::int64_t s = 0; s < count; ++s) {
    const float* row = rows.data + (first_row + s) * rows.stride + head * size;
    for (std::int64_t d = 0; d < size; ++d) out[d * padded + s] = row[d];
  }
  for (std::int64_t d = 0; d < size; ++d) {
    for (std::int64_t s = count; s < padded; ++s) out[d * padded + s] = 0;
  }
}

// out[s] = sum over d of row[d] * columns[d, s].
HEADWAY_INLINE void dot_columns(const float* __restrict row, const float* __restrict columns,
                                std::int64_t size, std::int64_t padded, float* __restrict out) {
  for (std::int64_t s = 0; s < padded; s += kLanes) {
    float sum[kLanes] = {};
    for (std::int64_t d = 0; d < size; ++d) {
      const float factor = row[d];
      const float* column = columns + d * padded + s;
      for (std::int64_t lane = 0; lane < kLanes; ++lane) sum[lane] += factor * column[lane];
    }
    for (std::int64_t lane = 0; lane < kLanes; ++lane) out[s + lane] = sum[lane];
  }
}

HEADWAY_INLINE void add_scaled(float factor, const float* __restrict row, std::int64_t size,
                               float* __restrict out) {
  for (std::int64_t d = 0; d < size; ++d) out[d] += factor * row[d];
}

// Softmax of the first `visible` of scores * scale, in place; the rest becomes 0.
HEADWAY_INLINE void softmax(float* __restrict scores, std::int64_t visible, std::int64_t padded,
                            float scale) {
  float highest = -INFINITY;
  for (std::int64_t s = 0; s < visible; ++s) highest = std::max(highest, scores[s]);
  for (std::int64_t s = 0; s < padded; ++s) {
    const float weight = vector_exp((scores[s] - highest) * scale);
    scores[s] = s < visible ? weight : 0.0F;
  }
  float sum = 0;
  for (std::int64_t s = 0; s < visible; ++s) sum += scores[s];
  const float inverse = visible > 0 ? 1 / sum : 0;
  for (std::int64_t s = 0; s < padded; ++s) scores[s] *= inverse;
}

float* scratch(std::int64_t size) {
  thread_local std::vector<float> memory;
  if (memory.size() < static_cast<std::size_t>(size)) memory.resize(static_cast<std::size_t>(size));
  return memory.data();
}

}  // namespace

HEADWAY_VECTORISED
void attention_forward(const AttentionShape& shape, const AttentionInputs& inputs,
                       const AttentionMask& mask, const Dropout& dropout, float* weights,
                       float* z) {
  const auto [B, H, T, S, D] = shape;
  const std::int64_t padded = round_up(S);
  const float scale = 1 / std::sqrt(static_cast<float>(D));
  float* keys = scratch((D + 1) * padded);  // [D, S]
  float* scores = keys + D * padded;        // [S]
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int64_t length = mask.key_lengths ? mask.key_lengths[b] : S;
    for (std::int64_t h = 0; h < H; ++h) {
      transpose(inputs.k, b * S, h, S, D, padded, keys);
      for (std::int64_t t = 0; t < T; ++t) {
        const float* q = inputs.q.data + (b * T + t) * inputs.q.stride + h * D;
        const std::int64_t visible = mask.causal ? std::min(length, t + 1 + S - T) : length;
        dot_columns(q, keys, D, padded, scores);
        softmax(scores, visible, padded, scale);
        const std::int64_t row = (b * H + h) * T + t;
        std::copy_n(scores, S, weights + row * S);
        float* out = z + ((b * T + t) * H + h) * D;
        std::fill_n(out, D, 0.0F);
        for (std::int64_t s = 0; s < visible; ++s) {
          const float kept =
              dropout.active() ? dropout.factor(static_cast<std::uint32_t>(row * S + s)) : 1;
          add_scaled(scores[s] * kept, inputs.v.data + (b * S + s) * inputs.v.stride + h * D, D,
                     out);
        }
      }
    }
  }
}

HEADWAY_VECTORISED
void attention_backward(const AttentionShape& shape, const AttentionInputs& inputs,
                        const Dropout& dropout, const float* weights, const float* dz,
                        const AttentionGradients& gradients) {
  const auto [B, H, T, S, D] = shape;
  const std::int64_t padded = round_up(S);
  const float scale = 1 / std::sqrt(static_cast<float>(D));
  float* values = scratch((D + 2) * padded);  // [D, S]
  float* slopes = values + D * padded;        // [S]: of the loss by weight, then by score
  float* kept = slopes + padded;              // [S]: dropout's factors
  std::fill_n(kept, padded, 1.0F);
  for (std::int64_t b = 0; b < B; ++b) {
    for (std::int64_t h = 0; h < H; ++h) {
      transpose(inputs.v, b * S, h, S, D, padded, values);
      for (std::int64_t s = 0; s < S; ++s) {
        std::fill_n(gradients.k.data + (b * S + s) * gradients.k.stride + h * D, D, 0.0F);
        std::fill_n(gradients.v.data + (b * S + s) * gradients.v.stride + h * D, D, 0.0F);
      }
      for (std::int64_t t = 0; t < T; ++t) {
        const std::int64_t row = (b * H + h) * T + t;
        const float* weight = weights + row * S;
        const float* slope_z = dz + ((b * T + t) * H + h) * D;
        const float* q = inputs.q.data + (b * T + t) * inputs.q.stride + h * D;
        float* dq = gradients.q.data + (b * T + t) * gradients.q.stride + h * D;
        std::fill_n(dq, D, 0.0F);
        dot_columns(slope_z, values, D, padded, slopes);
        if (dropout.active()) {
          for (std::int64_t s = 0; s < S; ++s)
            kept[s] = dropout.factor(static_cast<std::uint32_t>(row * S + s));
        }
        float mean = 0;  // of the slopes, weighted: softmax moves no total
        for (std::int64_t s = 0; s < S; ++s) {
          slopes[s] *= kept[s];
          mean += slopes[s] * weight[s];
        }
        for (std::int64_t s = 0; s < S; ++s) {
          if (weight[s] == 0) continue;  // masked
          const std::int64_t key_row = b * S + s;
          add_scaled(weight[s] * kept[s], slope_z, D,
                     gradients.v.data + key_row * gradients.v.stride + h * D);
          const float slope = weight[s] * (slopes[s] - mean) * scale;
          add_scaled(slope, inputs.k.data + key_row * inputs.k.stride + h * D, D, dq);
          add_scaled(slope, q, D, gradients.k.data + key_row * gradients.k.stride + h * D);
        }
      }
    }
  }
}

}  // namespace headway
