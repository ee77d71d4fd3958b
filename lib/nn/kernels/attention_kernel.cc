#include "lib/nn/kernels/attention_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

namespace headway {
namespace {

constexpr std::int64_t kLanes = 8;
// Eight floats, in registers of whatever width the processor has.
typedef float Lanes __attribute__((vector_size(kLanes * sizeof(float))));

HEADWAY_INLINE Lanes load(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
HEADWAY_INLINE void store(float* to, Lanes lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

constexpr std::int64_t round_up(std::int64_t count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}

// Queries are handled four at a time: what is loaded of a key or a value then serves four.
constexpr int kQueries = 4;

// Sizes of one head's problem, and of its scratch memory, whose rows are whole registers.
struct Sizes {
  std::int64_t keys, head_size;
  std::int64_t padded_keys, padded_size;
};

// One head's rows with the positions in the lanes: [D, S], zero in the padding. With them a row of
// scores is a sum of rows, and nothing is added across lanes.
HEADWAY_INLINE void transpose(HeadRows<const float> rows, std::int64_t first_row, std::int64_t head,
                              const Sizes& sizes, float* __restrict out) {
  const auto [S, D, padded, padded_size] = sizes;
  for (std::int64_t s = 0; s < S; ++s) {
    const float* row = rows.data + (first_row + s) * rows.stride + head * D;
    for (std::int64_t d = 0; d < D; ++d) out[d * padded + s] = row[d];
  }
  for (std::int64_t d = 0; d < D; ++d) {
    for (std::int64_t s = S; s < padded; ++s) out[d * padded + s] = 0;
  }
}

// One head's rows behind each other: [count, D], zero in the padding.
HEADWAY_INLINE void gather(HeadRows<const float> rows, std::int64_t first_row, std::int64_t head,
                           std::int64_t count, const Sizes& sizes, float* __restrict out) {
  const std::int64_t D = sizes.head_size, padded = sizes.padded_size;
  for (std::int64_t s = 0; s < count; ++s) {
    const float* row = rows.data + (first_row + s) * rows.stride + head * D;
    for (std::int64_t d = 0; d < D; ++d) out[s * padded + d] = row[d];
    for (std::int64_t d = D; d < padded; ++d) out[s * padded + d] = 0;
  }
}

HEADWAY_INLINE void scatter(const float* __restrict from, std::int64_t first_row, std::int64_t head,
                            std::int64_t count, const Sizes& sizes, HeadRows<float> rows) {
  for (std::int64_t s = 0; s < count; ++s) {
    std::copy_n(from + s * sizes.padded_size, sizes.head_size,
                rows.data + (first_row + s) * rows.stride + head * sizes.head_size);
  }
}

// products[i, s] = sum over d of rows[i, d] * columns[d, s], of N rows.
template <int N>
HEADWAY_INLINE void multiply_columns(const float* __restrict rows, const float* __restrict columns,
                                     const Sizes& sizes, float* __restrict products) {
  const auto [S, D, padded, padded_size] = sizes;
  for (std::int64_t s = 0; s < padded; s += kLanes) {
    Lanes sums[N] = {};
    for (std::int64_t d = 0; d < D; ++d) {
      const Lanes column = load(columns + d * padded + s);
      for (int i = 0; i < N; ++i) sums[i] += rows[i * padded_size + d] * column;
    }
    for (int i = 0; i < N; ++i) store(products + i * padded + s, sums[i]);
  }
}

// sums[i, d] = sum over s of factors[i, s] * rows[s, d], of N rows of sums.
template <int N>
HEADWAY_INLINE void add_rows(const float* __restrict factors, const float* __restrict rows,
                             const Sizes& sizes, float* __restrict sums) {
  const auto [S, D, padded, padded_size] = sizes;
  for (std::int64_t d = 0; d < padded_size; d += kLanes) {
    Lanes totals[N] = {};
    for (std::int64_t s = 0; s < S; ++s) {
      const Lanes row = load(rows + s * padded_size + d);
      for (int i = 0; i < N; ++i) totals[i] += factors[i * padded + s] * row;
    }
    for (int i = 0; i < N; ++i) store(sums + i * padded_size + d, totals[i]);
  }
}

// sums[s, d] += sum over i of factors[i, s] * rows[i, d], of N rows.
template <int N>
HEADWAY_INLINE void spread_rows(const float* __restrict factors, const float* __restrict rows,
                                const Sizes& sizes, float* __restrict sums) {
  const auto [S, D, padded, padded_size] = sizes;
  for (std::int64_t d = 0; d < padded_size; d += kLanes) {
    Lanes row[N];
    for (int i = 0; i < N; ++i) row[i] = load(rows + i * padded_size + d);
    for (std::int64_t s = 0; s < S; ++s) {
      Lanes sum = load(sums + s * padded_size + d);
      for (int i = 0; i < N; ++i) sum += factors[i * padded + s] * row[i];
      store(sums + s * padded_size + d, sum);
    }
  }
}

// Softmax of the first `visible` of scores * scale + bias, in place; the rest becomes 0.
HEADWAY_INLINE void softmax(float* __restrict scores, std::int64_t visible, std::int64_t padded,
                            float scale, const float* __restrict bias) {
  float highest = -INFINITY;
  if (bias) {
    for (std::int64_t s = 0; s < visible; ++s) scores[s] = scores[s] * scale + bias[s];
#pragma omp simd reduction(max : highest)
    for (std::int64_t s = 0; s < visible; ++s) highest = std::max(highest, scores[s]);
    scale = 1;
  } else {
#pragma omp simd reduction(max : highest)
    for (std::int64_t s = 0; s < visible; ++s) highest = std::max(highest, scores[s]);
  }
  if (highest == -INFINITY) {  // no key at all, or the bias hides every one
    std::fill_n(scores, padded, 0.0F);
    return;
  }
  for (std::int64_t s = 0; s < padded; ++s) {
    const float weight = vector_exp((scores[s] - highest) * scale);
    scores[s] = s < visible ? weight : 0.0F;
  }
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t s = 0; s < padded; ++s) sum += scores[s];
  const float inverse = 1 / sum;
  for (std::int64_t s = 0; s < padded; ++s) scores[s] *= inverse;
}

// Memory of this thread, cut into stretches that begin at whole registers.
class Scratch {
 public:
  explicit Scratch(std::int64_t size) {
    thread_local std::vector<float> memory;
    if (memory.size() < static_cast<std::size_t>(size)) {
      memory.resize(static_cast<std::size_t>(size));
    }
    next_ = memory.data();
  }
  float* take(std::int64_t count) { return std::exchange(next_, next_ + count); }

 private:
  float* next_;
};

struct Head {
  std::int64_t b, h;
  std::int64_t length;  // keys from there on are padding
};

struct ForwardMemory {
  float* keys;     // [D, S]
  float* values;   // [S, D]
  float* queries;  // [kQueries, D]
  float* scores;   // [kQueries, S]
  float* sums;     // [kQueries, D]
};

// N queries of one head, from t on.
template <int N>
HEADWAY_INLINE void attend(const AttentionShape& shape, const AttentionInputs& inputs,
                           const AttentionMask& mask, const Dropout& dropout, const Head& head,
                           const Sizes& sizes, const ForwardMemory& memory, std::int64_t t,
                           float* weights, float* z) {
  const auto [B, H, T, S, D] = shape;
  const float scale = 1 / std::sqrt(static_cast<float>(D));
  gather(inputs.q, head.b * T + t, head.h, N, sizes, memory.queries);
  multiply_columns<N>(memory.queries, memory.keys, sizes, memory.scores);
  for (int i = 0; i < N; ++i) {
    float* scores = memory.scores + i * sizes.padded_keys;
    const std::int64_t visible =
        mask.causal ? std::min(head.length, t + i + 1 + S - T) : head.length;
    softmax(scores, visible, sizes.padded_keys, scale,
            mask.bias.values ? mask.bias.row(head.h, t + i) : nullptr);
    const std::int64_t row = (head.b * H + head.h) * T + t + i;
    if (weights) std::copy_n(scores, S, weights + row * S);
    if (!dropout.active()) continue;
    for (std::int64_t s = 0; s < S; ++s)
      scores[s] *= dropout.factor(static_cast<std::uint32_t>(row * S + s));
  }
  add_rows<N>(memory.scores, memory.values, sizes, memory.sums);
  scatter(memory.sums, head.b * T + t, head.h, N, sizes, {z, H * D});
}

struct BackwardMemory {
  float* keys;        // [S, D]
  float* values;      // [D, S]
  float* queries;     // [kQueries, D]
  float* slopes_z;    // [kQueries, D]
  float* slopes;      // [kQueries, S]: of the loss by weight, then by score
  float* kept;        // [kQueries, S]: weights after dropout
  float* sums;        // [kQueries, D]
  float* key_sums;    // [S, D]
  float* value_sums;  // [S, D]
};

template <int N>
HEADWAY_INLINE void attend_backward(const AttentionShape& shape, const AttentionInputs& inputs,
                                    const Dropout& dropout, const Head& head, const Sizes& sizes,
                                    const BackwardMemory& memory, std::int64_t t,
                                    const float* weights, const float* dz,
                                    const AttentionGradients& gradients) {
  const auto [B, H, T, S, D] = shape;
  const float scale = 1 / std::sqrt(static_cast<float>(D));
  gather(inputs.q, head.b * T + t, head.h, N, sizes, memory.queries);
  gather({dz, H * D}, head.b * T + t, head.h, N, sizes, memory.slopes_z);
  multiply_columns<N>(memory.slopes_z, memory.values, sizes, memory.slopes);
  for (int i = 0; i < N; ++i) {
    const std::int64_t row = (head.b * H + head.h) * T + t + i;
    const float* __restrict weight = weights + row * S;
    float* __restrict slopes = memory.slopes + i * sizes.padded_keys;
    float* __restrict kept = memory.kept + i * sizes.padded_keys;
    for (std::int64_t s = 0; s < S; ++s) kept[s] = 1;
    if (dropout.active()) {
      for (std::int64_t s = 0; s < S; ++s)
        kept[s] = dropout.factor(static_cast<std::uint32_t>(row * S + s));
    }
    float mean = 0;  // of the slopes, weighted: softmax moves no total
#pragma omp simd reduction(+ : mean)
    for (std::int64_t s = 0; s < S; ++s) {
      slopes[s] *= kept[s];
      mean += slopes[s] * weight[s];
    }
    for (std::int64_t s = 0; s < S; ++s) {
      slopes[s] = weight[s] * (slopes[s] - mean);  // 0 where it was masked
      kept[s] *= weight[s];
    }
    if (gradients.bias.values) {
      float* __restrict out = gradients.bias.row(head.h, t + i);
      for (std::int64_t s = 0; s < S; ++s) out[s] += slopes[s];
    }
    for (std::int64_t s = 0; s < S; ++s) slopes[s] *= scale;
  }
  spread_rows<N>(memory.kept, memory.slopes_z, sizes, memory.value_sums);
  spread_rows<N>(memory.slopes, memory.queries, sizes, memory.key_sums);
  add_rows<N>(memory.slopes, memory.keys, sizes, memory.sums);
  scatter(memory.sums, head.b * T + t, head.h, N, sizes, gradients.q);
}

Sizes sizes_of(const AttentionShape& shape) {
  return {shape.keys, shape.head_size, round_up(shape.keys), round_up(shape.head_size)};
}

}  // namespace

HEADWAY_VECTORISED
void attention_forward(const AttentionShape& shape, const AttentionInputs& inputs,
                       const AttentionMask& mask, const Dropout& dropout, float* weights,
                       float* z) {
  const Sizes sizes = sizes_of(shape);
  const std::int64_t matrix = sizes.padded_keys * sizes.padded_size;
  Scratch scratch(2 * matrix + kQueries * (2 * sizes.padded_size + sizes.padded_keys));
  const ForwardMemory memory{.keys = scratch.take(matrix),
                             .values = scratch.take(matrix),
                             .queries = scratch.take(kQueries * sizes.padded_size),
                             .scores = scratch.take(kQueries * sizes.padded_keys),
                             .sums = scratch.take(kQueries * sizes.padded_size)};
  const std::int64_t T = shape.queries, S = shape.keys;
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t h = 0; h < shape.heads; ++h) {
      const Head head{b, h, mask.key_lengths ? mask.key_lengths[b] : S};
      transpose(inputs.k, b * S, h, sizes, memory.keys);
      gather(inputs.v, b * S, h, S, sizes, memory.values);
      std::int64_t t = 0;
      for (; t + kQueries <= T; t += kQueries) {
        attend<kQueries>(shape, inputs, mask, dropout, head, sizes, memory, t, weights, z);
      }
      for (; t < T; ++t) {
        attend<1>(shape, inputs, mask, dropout, head, sizes, memory, t, weights, z);
      }
    }
  }
}

HEADWAY_VECTORISED
void attention_backward(const AttentionShape& shape, const AttentionInputs& inputs,
                        const Dropout& dropout, const float* weights, const float* dz,
                        const AttentionGradients& gradients) {
  const Sizes sizes = sizes_of(shape);
  const std::int64_t matrix = sizes.padded_keys * sizes.padded_size;
  Scratch scratch(4 * matrix + kQueries * (3 * sizes.padded_size + 2 * sizes.padded_keys));
  const BackwardMemory memory{.keys = scratch.take(matrix),
                              .values = scratch.take(matrix),
                              .queries = scratch.take(kQueries * sizes.padded_size),
                              .slopes_z = scratch.take(kQueries * sizes.padded_size),
                              .slopes = scratch.take(kQueries * sizes.padded_keys),
                              .kept = scratch.take(kQueries * sizes.padded_keys),
                              .sums = scratch.take(kQueries * sizes.padded_size),
                              .key_sums = scratch.take(matrix),
                              .value_sums = scratch.take(matrix)};
  const std::int64_t T = shape.queries, S = shape.keys;
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t h = 0; h < shape.heads; ++h) {
      const Head head{b, h, S};
      gather(inputs.k, b * S, h, S, sizes, memory.keys);
      transpose(inputs.v, b * S, h, sizes, memory.values);
      std::fill_n(memory.key_sums, matrix, 0.0F);
      std::fill_n(memory.value_sums, matrix, 0.0F);
      std::int64_t t = 0;
      for (; t + kQueries <= T; t += kQueries) {
        attend_backward<kQueries>(shape, inputs, dropout, head, sizes, memory, t, weights, dz,
                                  gradients);
      }
      for (; t < T; ++t) {
        attend_backward<1>(shape, inputs, dropout, head, sizes, memory, t, weights, dz, gradients);
      }
      scatter(memory.key_sums, b * S, h, S, sizes, gradients.k);
      scatter(memory.value_sums, b * S, h, S, sizes, gradients.v);
    }
  }
}

}  // namespace headway
