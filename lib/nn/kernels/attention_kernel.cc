#include "lib/nn/kernels/attention_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

namespace headway {
namespace {

constexpr std::int64_t kLanes = 8;
// Eight floats, in registers of any width.
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

// Handles four queries at a time, so that each loaded key or value is used four times.
constexpr int kQueries = 4;
// And two registers of columns: eight independent sums keep both multipliers busy.
constexpr int kGroup = 2;

// Sizes of one head, and of its scratch memory in whole registers.
struct Sizes {
  std::int64_t keys, head_size;
  std::int64_t padded_keys, padded_size;
};

// One head's rows with positions in the lanes: [S / 8, D, 8], zero-padded. A row of scores is then
// a sum of rows, without sums across lanes, and memory is read in order.
HEADWAY_INLINE void pack_columns(HeadRows<const float> rows, std::int64_t first_row,
                                 std::int64_t head, const Sizes& sizes, float* __restrict out) {
  const auto [S, D, padded, padded_size] = sizes;
  for (std::int64_t group = 0; group < padded; group += kLanes) {
    const float* first = rows.data + (first_row + group) * rows.stride + head * D;
    const std::int64_t lanes = std::min(kLanes, S - group);
    for (std::int64_t d = 0; d < D; ++d) {
      float* __restrict column = out + (group / kLanes * D + d) * kLanes;
      for (std::int64_t lane = 0; lane < lanes; ++lane)
        column[lane] = first[lane * rows.stride + d];
      for (std::int64_t lane = lanes; lane < kLanes; ++lane) column[lane] = 0;
    }
  }
}

// One head's rows with dimensions in the lanes: [D / 8, S, 8], zero-padded.
HEADWAY_INLINE void pack_rows(HeadRows<const float> rows, std::int64_t first_row, std::int64_t head,
                              const Sizes& sizes, float* __restrict out) {
  const auto [S, D, padded, padded_size] = sizes;
  for (std::int64_t group = 0; group < padded_size; group += kLanes) {
    const float* row = rows.data + first_row * rows.stride + head * D + group;
    const std::int64_t lanes = std::min(kLanes, D - group);
    for (std::int64_t s = 0; s < S; ++s, row += rows.stride, out += kLanes) {
      if (lanes == kLanes) {
        store(out, load(row));
      } else {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) out[lane] = lane < lanes ? row[lane] : 0;
      }
    }
  }
}
HEADWAY_INLINE void unpack_rows(const float* __restrict from, std::int64_t first_row,
                                std::int64_t head, const Sizes& sizes, HeadRows<float> rows) {
  const auto [S, D, padded, padded_size] = sizes;
  for (std::int64_t group = 0; group < padded_size; group += kLanes) {
    float* row = rows.data + first_row * rows.stride + head * D + group;
    const std::int64_t lanes = std::min(kLanes, D - group);
    for (std::int64_t s = 0; s < S; ++s, row += rows.stride, from += kLanes) {
      if (lanes == kLanes) {
        store(row, load(from));
      } else {
        std::copy_n(from, lanes, row);
      }
    }
  }
}

// Some queries of one head: [count, D], zero-padded.
HEADWAY_INLINE void gather(HeadRows<const float> rows, std::int64_t first_row, std::int64_t head,
                           std::int64_t count, const Sizes& sizes, float* __restrict out) {
  const std::int64_t D = sizes.head_size, padded = sizes.padded_size;
  for (std::int64_t i = 0; i < count; ++i) {
    const float* __restrict row = rows.data + (first_row + i) * rows.stride + head * D;
    for (std::int64_t d = 0; d < D; ++d) out[i * padded + d] = row[d];
    for (std::int64_t d = D; d < padded; ++d) out[i * padded + d] = 0;
  }
}
HEADWAY_INLINE void scatter(const float* __restrict from, std::int64_t first_row, std::int64_t head,
                            std::int64_t count, const Sizes& sizes, HeadRows<float> rows) {
  const std::int64_t D = sizes.head_size;
  for (std::int64_t i = 0; i < count; ++i) {
    float* __restrict row = rows.data + (first_row + i) * rows.stride + head * D;
    for (std::int64_t d = 0; d < D; ++d) row[d] = from[i * sizes.padded_size + d];
  }
}

// products[i, s] = sum over d of rows[i, d] * columns[s / 8, d, s % 8], for N rows and G registers
// of columns.
template <int N, int G>
HEADWAY_INLINE void multiply_group(const float* __restrict rows, const float* __restrict columns,
                                   const Sizes& sizes, std::int64_t s, float* __restrict products) {
  const std::int64_t D = sizes.head_size;
  Lanes sums[G][N] = {};
  const float* group = columns + s * D;
  for (std::int64_t d = 0; d < D; ++d) {
    for (int g = 0; g < G; ++g) {
      const Lanes column = load(group + (g * D + d) * kLanes);
      for (int i = 0; i < N; ++i) sums[g][i] += rows[i * sizes.padded_size + d] * column;
    }
  }
  for (int g = 0; g < G; ++g) {
    for (int i = 0; i < N; ++i)
      store(products + i * sizes.padded_keys + s + g * kLanes, sums[g][i]);
  }
}
template <int N>
HEADWAY_INLINE void multiply_columns(const float* rows, const float* columns, const Sizes& sizes,
                                     float* products) {
  std::int64_t s = 0;
  for (; s + kGroup * kLanes <= sizes.padded_keys; s += kGroup * kLanes)
    multiply_group<N, kGroup>(rows, columns, sizes, s, products);
  if (s < sizes.padded_keys) multiply_group<N, 1>(rows, columns, sizes, s, products);
}

// sums[i, d] = sum over s of factors[i, s] * rows[d / 8, s, d % 8], for N sums and G registers.
template <int N, int G>
HEADWAY_INLINE void add_group(const float* __restrict factors, const float* __restrict rows,
                              const Sizes& sizes, std::int64_t d, float* __restrict sums) {
  const std::int64_t S = sizes.keys;
  Lanes totals[G][N] = {};
  const float* group = rows + d * S;
  for (std::int64_t s = 0; s < S; ++s) {
    for (int g = 0; g < G; ++g) {
      const Lanes row = load(group + (g * S + s) * kLanes);
      for (int i = 0; i < N; ++i) totals[g][i] += factors[i * sizes.padded_keys + s] * row;
    }
  }
  for (int g = 0; g < G; ++g) {
    for (int i = 0; i < N; ++i) store(sums + i * sizes.padded_size + d + g * kLanes, totals[g][i]);
  }
}
template <int N>
HEADWAY_INLINE void add_rows(const float* factors, const float* rows, const Sizes& sizes,
                             float* sums) {
  std::int64_t d = 0;
  for (; d + kGroup * kLanes <= sizes.padded_size; d += kGroup * kLanes)
    add_group<N, kGroup>(factors, rows, sizes, d, sums);
  if (d < sizes.padded_size) add_group<N, 1>(factors, rows, sizes, d, sums);
}

// sums[d / 8, s, d % 8] += sum over i of factors[i, s] * rows[i, d], for N rows.
template <int N>
HEADWAY_INLINE void spread_rows(const float* __restrict factors, const float* __restrict rows,
                                const Sizes& sizes, float* __restrict sums) {
  for (std::int64_t d = 0; d < sizes.padded_size; d += kLanes) {
    Lanes row[N];
    for (int i = 0; i < N; ++i) row[i] = load(rows + i * sizes.padded_size + d);
    float* group = sums + d * sizes.keys;
    for (std::int64_t s = 0; s < sizes.keys; ++s) {
      Lanes sum = load(group + s * kLanes);
      for (int i = 0; i < N; ++i) sum += factors[i * sizes.padded_keys + s] * row[i];
      store(group + s * kLanes, sum);
    }
  }
}

HEADWAY_INLINE float highest_of(const float* values, std::int64_t padded) {
  Lanes highest = load(values);
  for (std::int64_t s = kLanes; s < padded; s += kLanes) {
    const Lanes next = load(values + s);
    highest = next > highest ? next : highest;
  }
  float best = highest[0];
  for (int lane = 1; lane < kLanes; ++lane) best = highest[lane] > best ? highest[lane] : best;
  return best;
}

// In-place softmax of the first `visible` values of scores * scale + bias; the rest becomes 0. The
// bias of key s is at index s, or at positions[s] if there are any.
HEADWAY_INLINE void softmax(float* __restrict scores, std::int64_t visible, std::int64_t padded,
                            float scale, const float* __restrict bias,
                            const std::int32_t* __restrict positions) {
  if (bias && positions) {
    for (std::int64_t s = 0; s < visible; ++s) scores[s] = scores[s] * scale + bias[positions[s]];
    scale = 1;
  } else if (bias) {
    for (std::int64_t s = 0; s < visible; ++s) scores[s] = scores[s] * scale + bias[s];
    scale = 1;
  }
  for (std::int64_t s = visible; s < padded; ++s) scores[s] = -INFINITY;
  const float highest = highest_of(scores, padded);
  if (highest == -INFINITY) {  // no key, or the bias hides all
    std::fill_n(scores, padded, 0.0F);
    return;
  }
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t s = 0; s < padded; ++s) {
    scores[s] = vector_exp((scores[s] - highest) * scale);
    sum += scores[s];
  }
  const float inverse = 1 / sum;
  for (std::int64_t s = 0; s < padded; ++s) scores[s] *= inverse;
}

// Memory of this thread, in parts that start at whole registers.
class Scratch {
 public:
  explicit Scratch(std::int64_t size) {
    thread_local std::vector<float> memory;
    if (memory.size() < static_cast<std::size_t>(size))
      memory.resize(static_cast<std::size_t>(size));
    next_ = memory.data();
  }
  float* take(std::int64_t count) { return std::exchange(next_, next_ + count); }

 private:
  float* next_;
};

struct Head {
  std::int64_t b, h;
  std::int64_t length;  // later keys are padding
};

struct ForwardMemory {
  float* keys;     // [S / 8, D, 8]
  float* values;   // [D / 8, S, 8]
  float* queries;  // [kQueries, D]
  float* scores;   // [kQueries, S]
  float* sums;     // [kQueries, D]
};

// N queries of one head, starting at t.
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
            mask.bias.values ? mask.bias.row(head.h, mask.bias.query(head.b * T, t + i)) : nullptr,
            mask.bias.key_positions ? mask.bias.key_positions + head.b * S : nullptr);
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
  float* keys;        // [D / 8, S, 8]
  float* values;      // [S / 8, D, 8]
  float* queries;     // [kQueries, D]
  float* slopes_z;    // [kQueries, D]
  float* slopes;      // [kQueries, S]: gradient by weight, then by score
  float* kept;        // [kQueries, S]: weights after dropout
  float* sums;        // [kQueries, D]
  float* key_sums;    // [D / 8, S, 8]
  float* value_sums;  // [D / 8, S, 8]
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
    float mean = 0;               // weighted mean of the slopes, because softmax keeps the total
    const std::int64_t keys = S;  // C++20 has no structured bindings in such a loop
#pragma omp simd reduction(+ : mean)
    for (std::int64_t s = 0; s < keys; ++s) {
      slopes[s] *= kept[s];
      mean += slopes[s] * weight[s];
    }
    for (std::int64_t s = 0; s < S; ++s) {
      slopes[s] = weight[s] * (slopes[s] - mean);  // 0 if masked
      kept[s] *= weight[s];
    }
    if (gradients.bias.values) {
      float* __restrict out = gradients.bias.row(head.h, gradients.bias.query(head.b * T, t + i));
      if (const std::int32_t* positions = gradients.bias.key_positions) {
        positions += head.b * S;
        for (std::int64_t s = 0; s < S; ++s) out[positions[s]] += slopes[s];
      } else {
        for (std::int64_t s = 0; s < S; ++s) out[s] += slopes[s];
      }
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
      pack_columns(inputs.k, b * S, h, sizes, memory.keys);
      pack_rows(inputs.v, b * S, h, sizes, memory.values);
      std::int64_t t = 0;
      for (; t + kQueries <= T; t += kQueries)
        attend<kQueries>(shape, inputs, mask, dropout, head, sizes, memory, t, weights, z);
      for (; t < T; ++t)
        attend<1>(shape, inputs, mask, dropout, head, sizes, memory, t, weights, z);
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
      pack_rows(inputs.k, b * S, h, sizes, memory.keys);
      pack_columns(inputs.v, b * S, h, sizes, memory.values);
      std::fill_n(memory.key_sums, matrix, 0.0F);
      std::fill_n(memory.value_sums, matrix, 0.0F);
      std::int64_t t = 0;
      for (; t + kQueries <= T; t += kQueries)
        attend_backward<kQueries>(shape, inputs, dropout, head, sizes, memory, t, weights, dz,
                                  gradients);
      for (; t < T; ++t)
        attend_backward<1>(shape, inputs, dropout, head, sizes, memory, t, weights, dz, gradients);
      unpack_rows(memory.key_sums, b * S, h, sizes, gradients.k);
      unpack_rows(memory.value_sums, b * S, h, sizes, gradients.v);
    }
  }
}

HEADWAY_VECTORISED
void turn_rows(const Turning& op, HeadRows<const float> from, bool backwards, HeadRows<float> to) {
  const std::int64_t D = op.head_size;
  const float sign = backwards ? -1 : 1;
  for (std::int64_t row = 0; row < op.rows; ++row) {
    const std::int64_t position = op.positions ? op.positions[row] : row % op.length;
    const float* __restrict turn = op.turns + position * D;
    for (std::int64_t h = 0; h < op.heads; ++h) {
      const float* __restrict in = from.data + row * from.stride + h * D;
      float* __restrict out = to.data + row * to.stride + h * D;
      for (std::int64_t i = 0; i < D; i += 2) {
        const float cosine = turn[i], sine = sign * turn[i + 1];
        out[i] = in[i] * cosine - in[i + 1] * sine;
        out[i + 1] = in[i] * sine + in[i + 1] * cosine;
      }
    }
  }
}

}  // namespace headway
