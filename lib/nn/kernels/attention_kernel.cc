#include "lib/nn/kernels/attention_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lib/nn/kernels/aligned_scratch.h"
#include "lib/nn/kernels/floats16.h"
#include "lib/nn/kernels/instruction_set.h"
#include "lib/nn/kernels/short_attention.h"
#include "lib/nn/kernels/transpose.h"

namespace headway {
namespace {

// Keys begin … end - 1.
struct Keys {
  std::int64_t begin, end;
};

struct Head {
  std::int64_t b, h;
  std::int64_t length;  // later keys are padding
  Keys seen;            // by a query at position 0, if there were keys before it
};

// The keys that a bias does not hide from a query at position 0 of this head: all others are hidden
// from it, but these may be, too.
Keys seen_from_start(const DistanceBias<const float>& bias, std::int64_t head) {
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  // Without distances nothing is hidden from any query, however many queries there are.
  if (!bias.values || bias.key_positions || bias.query_positions) return {-kFar, kFar};
  const float* const row = bias.row(head, 0);
  Keys seen{1 - bias.reach, bias.reach};
  while (seen.begin < seen.end && row[seen.begin] == -INFINITY) ++seen.begin;
  while (seen.begin < seen.end && row[seen.end - 1] == -INFINITY) --seen.end;
  return seen;
}

// `kQueries` queries at a time, so that each loaded key or value is used as often, and `kGroup`
// registers of `kLanes` columns: enough independent sums to keep both multipliers busy. Queries
// that are missing in the last group are zeros. Neither number changes a result.
template <int Queries, int Group>
struct Attention {
  static constexpr std::int64_t kLanes = kFloats16;
  static constexpr int kQueries = Queries, kGroup = Group;
  using Vector = Floats16;

  HEADWAY_INLINE static Vector load(const float* from) { return load16(from); }
  HEADWAY_INLINE static void store(float* to, Vector vector) { store16(to, vector); }
  static constexpr std::int64_t round_up(std::int64_t count) {
    return (count + kLanes - 1) / kLanes * kLanes;
  }

  // Sizes of one head, and of its scratch memory in whole registers.
  struct Sizes {
    std::int64_t keys, head_size;
    std::int64_t padded_keys, padded_size;

    explicit Sizes(const AttentionShape& shape)
        : keys(shape.keys),
          head_size(shape.head_size),
          padded_keys(round_up(shape.keys)),
          padded_size(round_up(shape.head_size)) {}
  };

  // One head's rows with positions in the lanes: [S / lanes, D, lanes], zero-padded. A row of
  // scores is then a sum of rows, without sums across lanes, and memory is read in order.
  HEADWAY_INLINE static void pack_columns(HeadRows<const float> rows, std::int64_t first_row,
                                          std::int64_t head, const Sizes& sizes,
                                          float* __restrict out) {
    const std::int64_t S = sizes.keys, D = sizes.head_size, whole = D / kTransposed * kTransposed;
    for (std::int64_t key = 0; key < sizes.padded_keys; key += kTransposed) {
      const float* const first = rows.data + (first_row + key) * rows.stride + head * D;
      const std::int64_t count = std::clamp<std::int64_t>(S - key, 0, kTransposed);
      float* const columns = out + key / kLanes * kLanes * D + key % kLanes;  // [D], stride kLanes
      for (std::int64_t d = 0; d < whole; d += kTransposed)
        transpose(first + d, rows.stride, count, columns + d * kLanes, kLanes);
      for (std::int64_t d = whole; d < D; ++d) {
        for (std::int64_t i = 0; i < kTransposed; ++i)
          columns[d * kLanes + i] = i < count ? first[i * rows.stride + d] : 0;
      }
    }
  }

  // One head's rows with dimensions in the lanes: [D / lanes, S, lanes], zero-padded.
  HEADWAY_INLINE static void pack_rows(HeadRows<const float> rows, std::int64_t first_row,
                                       std::int64_t head, const Sizes& sizes,
                                       float* __restrict out) {
    const std::int64_t S = sizes.keys, D = sizes.head_size;
    for (std::int64_t group = 0; group < sizes.padded_size; group += kLanes) {
      const float* row = rows.data + first_row * rows.stride + head * D + group;
      const std::int64_t lanes = std::min(kLanes, D - group);
      for (std::int64_t s = 0; s < S; ++s, row += rows.stride, out += kLanes) {
        if (lanes == kLanes) {
          store(out, load(row));
        } else {
          for (std::int64_t lane = 0; lane < kLanes; ++lane)
            out[lane] = lane < lanes ? row[lane] : 0;
        }
      }
    }
  }
  HEADWAY_INLINE static void unpack_rows(const float* __restrict from, std::int64_t first_row,
                                         std::int64_t head, const Sizes& sizes,
                                         HeadRows<float> rows) {
    const std::int64_t S = sizes.keys, D = sizes.head_size;
    for (std::int64_t group = 0; group < sizes.padded_size; group += kLanes) {
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

  // Some queries of one head: [kQueries, D], zero-padded.
  HEADWAY_INLINE static void gather(HeadRows<const float> rows, std::int64_t first_row,
                                    std::int64_t head, std::int64_t count, const Sizes& sizes,
                                    float* __restrict out) {
    const std::int64_t D = sizes.head_size, padded = sizes.padded_size;
    for (std::int64_t i = 0; i < count; ++i) {
      const float* __restrict row = rows.data + (first_row + i) * rows.stride + head * D;
      for (std::int64_t d = 0; d < D; ++d) out[i * padded + d] = row[d];
      for (std::int64_t d = D; d < padded; ++d) out[i * padded + d] = 0;
    }
    std::fill_n(out + count * padded, (kQueries - count) * padded, 0.0F);
  }
  HEADWAY_INLINE static void scatter(const float* __restrict from, std::int64_t first_row,
                                     std::int64_t head, std::int64_t count, const Sizes& sizes,
                                     HeadRows<float> rows) {
    const std::int64_t D = sizes.head_size;
    for (std::int64_t i = 0; i < count; ++i) {
      float* __restrict row = rows.data + (first_row + i) * rows.stride + head * D;
      for (std::int64_t d = 0; d < D; ++d) row[d] = from[i * sizes.padded_size + d];
    }
  }

  // Factors [kQueries, inner], and packed columns [C / lanes, inner, lanes]; some of the inner
  // dimension.
  struct Factors {
    const float* rows;
    std::int64_t stride;
    Keys used;           // of the inner dimension
    std::int64_t inner;  // all of it
  };

  // to[i, c] = sum over k of rows[i, k] * columns[c / lanes, k, c % lanes], for G registers of
  // columns from c on.
  template <int G>
  HEADWAY_INLINE static void multiply_group(const Factors& factors, const float* __restrict columns,
                                            float* __restrict to, std::int64_t to_stride) {
    const float* __restrict rows = factors.rows;
    const std::int64_t row_stride = factors.stride, inner = factors.inner;
    Vector sums[G][kQueries] = {};
    for (std::int64_t k = factors.used.begin; k < factors.used.end; ++k) {
      for (int g = 0; g < G; ++g) {
        const Vector column = load(columns + (g * inner + k) * kLanes);
        for (int i = 0; i < kQueries; ++i) sums[g][i] += rows[i * row_stride + k] * column;
      }
    }
    for (int g = 0; g < G; ++g) {
      for (int i = 0; i < kQueries; ++i) store(to + i * to_stride + g * kLanes, sums[g][i]);
    }
  }
  // Of some columns, which begin and end at whole registers.
  HEADWAY_INLINE static void multiply(const Factors& factors, const float* columns, Keys some,
                                      float* to, std::int64_t to_stride) {
    std::int64_t c = some.begin;
    for (; c + kGroup * kLanes <= some.end; c += kGroup * kLanes)
      multiply_group<kGroup>(factors, columns + c * factors.inner, to + c, to_stride);
    for (; c < some.end; c += kLanes)
      multiply_group<1>(factors, columns + c * factors.inner, to + c, to_stride);
  }
  // products[i, s] = sum over d of rows[i, d] * columns[s / lanes, d, s % lanes], for some s.
  HEADWAY_INLINE static void multiply_columns(const float* rows, const float* columns,
                                              const Sizes& sizes, Keys some, float* products) {
    multiply({rows, sizes.padded_size, {0, sizes.head_size}, sizes.head_size}, columns, some,
             products, sizes.padded_keys);
  }
  // sums[i, d] = sum over some s of factors[i, s] * rows[d / lanes, s, d % lanes].
  HEADWAY_INLINE static void add_rows(const float* factors, const float* rows, const Sizes& sizes,
                                      Keys some, float* sums) {
    multiply({factors, sizes.padded_keys, {some.begin, std::min(some.end, sizes.keys)}, sizes.keys},
             rows, {0, sizes.padded_size}, sums, sizes.padded_size);
  }

  // sums[d / lanes, s, d % lanes] += sum over i of factors[i, s] * rows[i, d]; or =.
  template <bool Adds>
  HEADWAY_INLINE static void spread_rows(const float* __restrict factors,
                                         const float* __restrict rows, const Sizes& sizes,
                                         float* __restrict sums) {
    for (std::int64_t d = 0; d < sizes.padded_size; d += kLanes) {
      Vector row[kQueries];
      for (int i = 0; i < kQueries; ++i) row[i] = load(rows + i * sizes.padded_size + d);
      float* group = sums + d * sizes.keys;
      for (std::int64_t s = 0; s < sizes.keys; ++s) {
        Vector sum = Adds ? load(group + s * kLanes) : Vector{};
        for (int i = 0; i < kQueries; ++i) sum += factors[i * sizes.padded_keys + s] * row[i];
        store(group + s * kLanes, sum);
      }
    }
  }

  HEADWAY_INLINE static float highest_of(const float* values, Keys some) {
    if (some.begin == some.end) return -INFINITY;
    Vector highest = load(values + some.begin);  // which stays if it is NaN
    for (std::int64_t s = some.begin + kLanes; s < some.end; s += kLanes) {
      const Vector next = load(values + s);
      highest = next > highest ? next : highest;
    }
    float parts[kLanes];
    store(parts, highest);
    return *std::max_element(parts, parts + kLanes);
  }

  // In-place softmax of some scores * scale + bias, of which those from `visible` on become 0. The
  // bias of key s is at index s, or at positions[s] if there are any.
  HEADWAY_INLINE static void softmax(float* __restrict scores, Keys some, std::int64_t visible,
                                     float scale, const float* __restrict bias,
                                     const std::int32_t* __restrict positions) {
    if (bias && positions) {
      for (std::int64_t s = some.begin; s < visible; ++s)
        scores[s] = scores[s] * scale + bias[positions[s]];
      scale = 1;
    } else if (bias) {
      for (std::int64_t s = some.begin; s < visible; ++s) scores[s] = scores[s] * scale + bias[s];
      scale = 1;
    }
    for (std::int64_t s = std::max(some.begin, visible); s < some.end; ++s) scores[s] = -INFINITY;
    const float highest = highest_of(scores, some);
    if (highest == -INFINITY) {  // no key, or the bias hides all
      std::fill_n(scores + some.begin, some.end - some.begin, 0.0F);
      return;
    }
    Vector sums = {};
    for (std::int64_t s = some.begin; s < some.end; s += kLanes) {
      const Vector exponentials = vector_exp((load(scores + s) - highest) * scale);
      store(scores + s, exponentials);
      sums += exponentials;
    }
    const float inverse = 1 / sum_of(sums);
    for (std::int64_t s = some.begin; s < some.end; s += kLanes)
      store(scores + s, load(scores + s) * inverse);
  }

  // Multiplies the weights of a row, the elements of the mask from `first` on, with their factors.
  HEADWAY_INLINE static void drop(const Dropout& dropout, std::uint32_t first, std::int64_t count,
                                  float* __restrict row) {
    for (std::int64_t s = 0; s < count; ++s)
      row[s] *= dropout.factor(first + static_cast<std::uint32_t>(s));
  }

  struct ForwardMemory {
    float* keys;     // [S / lanes, D, lanes]
    float* values;   // [D / lanes, S, lanes]
    float* queries;  // [kQueries, D]
    float* scores;   // [kQueries, S]
    float* sums;     // [kQueries, D]
  };

  // Where some queries of a head may see keys, in whole registers: the others are not computed.
  HEADWAY_INLINE static Keys seen_by(const AttentionShape& shape, const AttentionMask& mask,
                                     const Head& head, std::int64_t t, std::int64_t count) {
    const std::int64_t last = t + count - 1;
    std::int64_t begin = std::max<std::int64_t>(0, t + head.seen.begin);
    std::int64_t end = std::min(head.length, last + head.seen.end);
    if (mask.causal) end = std::min(end, last + 1 + shape.keys - shape.queries);
    begin = begin / kLanes * kLanes;
    return {begin, std::max(begin, round_up(end))};
  }

  // `count` queries of one head, starting at t.
  HEADWAY_INLINE static void attend(const AttentionShape& shape, const AttentionInputs& inputs,
                                    const AttentionMask& mask, const Dropout& dropout,
                                    const Head& head, const Sizes& sizes,
                                    const ForwardMemory& memory, std::int64_t t, std::int64_t count,
                                    float* weights, float* z) {
    const auto [B, H, T, S, D] = shape;
    const float scale = 1 / std::sqrt(static_cast<float>(D));
    gather(inputs.q, head.b * T + t, head.h, count, sizes, memory.queries);
    const Keys some = seen_by(shape, mask, head, t, count);
    multiply_columns(memory.queries, memory.keys, sizes, some, memory.scores);
    for (std::int64_t i = 0; i < count; ++i) {
      float* scores = memory.scores + i * sizes.padded_keys;
      const std::int64_t visible =
          std::min({head.length, some.end, mask.causal ? t + i + 1 + S - T : S});
      softmax(
          scores, some, visible, scale,
          mask.bias.values ? mask.bias.row(head.h, mask.bias.query(head.b * T, t + i)) : nullptr,
          mask.bias.key_positions ? mask.bias.key_positions + head.b * S : nullptr);
      const std::int64_t row = (head.b * H + head.h) * T + t + i;
      if (weights) {
        std::fill_n(weights + row * S, S, 0.0F);
        const std::int64_t end = std::min(some.end, S);
        std::copy(scores + some.begin, scores + std::max(some.begin, end),
                  weights + row * S + some.begin);
      }
      if (dropout.active())
        drop(dropout, static_cast<std::uint32_t>(row * S + some.begin), some.end - some.begin,
             scores + some.begin);
    }
    add_rows(memory.scores, memory.values, sizes, some, memory.sums);
    scatter(memory.sums, head.b * T + t, head.h, count, sizes, {z, H * D});
  }

  struct BackwardMemory {
    float* keys;        // [D / lanes, S, lanes]
    float* values;      // [S / lanes, D, lanes]
    float* queries;     // [kQueries, D]
    float* slopes_z;    // [kQueries, D]
    float* slopes;      // [kQueries, S]: gradient by weight, then by score
    float* kept;        // [kQueries, S]: weights after dropout
    float* weights;     // [S]: of one query
    float* sums;        // [kQueries, D]
    float* key_sums;    // [D / lanes, S, lanes]
    float* value_sums;  // [D / lanes, S, lanes]
  };

  HEADWAY_INLINE static void attend_backward(const AttentionShape& shape,
                                             const AttentionInputs& inputs, const Dropout& dropout,
                                             const Head& head, const Sizes& sizes,
                                             const BackwardMemory& memory, std::int64_t t,
                                             std::int64_t count, const float* weights,
                                             const float* dz, const AttentionGradients& gradients) {
    const auto [B, H, T, S, D] = shape;
    const std::int64_t padded = sizes.padded_keys;
    const float scale = 1 / std::sqrt(static_cast<float>(D));
    gather(inputs.q, head.b * T + t, head.h, count, sizes, memory.queries);
    gather({dz, H * D}, head.b * T + t, head.h, count, sizes, memory.slopes_z);
    const Keys all{0, padded};
    multiply_columns(memory.slopes_z, memory.values, sizes, all, memory.slopes);
    std::fill_n(memory.weights + S, padded - S, 0.0F);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = (head.b * H + head.h) * T + t + i;
      std::copy_n(weights + row * S, S, memory.weights);
      float* const slopes = memory.slopes + i * padded;
      float* const kept = memory.kept + i * padded;
      std::copy_n(memory.weights, padded, kept);
      if (dropout.active()) {
        drop(dropout, static_cast<std::uint32_t>(row * S), padded, kept);
        drop(dropout, static_cast<std::uint32_t>(row * S), padded, slopes);
      }
      Vector means = {};  // weighted mean of the slopes, because softmax keeps the total
      for (std::int64_t s = 0; s < padded; s += kLanes)
        means += load(slopes + s) * load(memory.weights + s);
      const float mean = sum_of(means);
      for (std::int64_t s = 0; s < padded; s += kLanes)
        store(slopes + s, load(memory.weights + s) * (load(slopes + s) - mean));  // 0 if masked
      if (gradients.bias.values) add_to_bias(head, S, T, t + i, slopes, gradients.bias);
      for (std::int64_t s = 0; s < padded; s += kLanes) store(slopes + s, load(slopes + s) * scale);
    }
    std::fill_n(memory.kept + count * padded, (kQueries - count) * padded, 0.0F);
    std::fill_n(memory.slopes + count * padded, (kQueries - count) * padded, 0.0F);
    if (t == 0) {
      spread_rows<false>(memory.kept, memory.slopes_z, sizes, memory.value_sums);
      spread_rows<false>(memory.slopes, memory.queries, sizes, memory.key_sums);
    } else {
      spread_rows<true>(memory.kept, memory.slopes_z, sizes, memory.value_sums);
      spread_rows<true>(memory.slopes, memory.queries, sizes, memory.key_sums);
    }
    add_rows(memory.slopes, memory.keys, sizes, all, memory.sums);
    scatter(memory.sums, head.b * T + t, head.h, count, sizes, gradients.q);
  }
  HEADWAY_INLINE static void add_to_bias(const Head& head, std::int64_t keys, std::int64_t queries,
                                         std::int64_t t, const float* __restrict slopes,
                                         const DistanceBias<float>& bias) {
    float* __restrict out = bias.row(head.h, bias.query(head.b * queries, t));
    if (const std::int32_t* positions = bias.key_positions) {
      positions += head.b * keys;
      for (std::int64_t s = 0; s < keys; ++s) out[positions[s]] += slopes[s];
    } else {
      for (std::int64_t s = 0; s < keys; ++s) out[s] += slopes[s];
    }
  }

  // The parts of a thread's scratch memory.
  static constexpr auto size_of = AlignedScratch::size_of;

  HEADWAY_INLINE static void forward(const AttentionShape& shape, const AttentionInputs& inputs,
                                     const AttentionMask& mask, const Dropout& dropout,
                                     float* weights, float* z) {
    const Sizes sizes(shape);
    const std::int64_t matrix = sizes.padded_keys * sizes.padded_size;
    const std::int64_t rows = kQueries * sizes.padded_size, scores = kQueries * sizes.padded_keys;
    AlignedScratch scratch(2 * size_of(matrix) + 2 * size_of(rows) + size_of(scores));
    const ForwardMemory memory{.keys = scratch.take(matrix),
                               .values = scratch.take(matrix),
                               .queries = scratch.take(rows),
                               .scores = scratch.take(scores),
                               .sums = scratch.take(rows)};
    const std::int64_t T = shape.queries, S = shape.keys;
    for (std::int64_t b = 0; b < shape.batch; ++b) {
      for (std::int64_t h = 0; h < shape.heads; ++h) {
        const Head head{b, h, mask.key_lengths ? mask.key_lengths[b] : S,
                        seen_from_start(mask.bias, h)};
        pack_columns(inputs.k, b * S, h, sizes, memory.keys);
        pack_rows(inputs.v, b * S, h, sizes, memory.values);
        for (std::int64_t t = 0; t < T; t += kQueries)
          attend(shape, inputs, mask, dropout, head, sizes, memory, t,
                 std::min<std::int64_t>(kQueries, T - t), weights, z);
      }
    }
  }

  HEADWAY_INLINE static void backward(const AttentionShape& shape, const AttentionInputs& inputs,
                                      const Dropout& dropout, const float* weights, const float* dz,
                                      const AttentionGradients& gradients) {
    const Sizes sizes(shape);
    const std::int64_t matrix = sizes.padded_keys * sizes.padded_size;
    const std::int64_t rows = kQueries * sizes.padded_size, scores = kQueries * sizes.padded_keys;
    AlignedScratch scratch(4 * size_of(matrix) + 3 * size_of(rows) + 2 * size_of(scores) +
                           size_of(sizes.padded_keys));
    const BackwardMemory memory{.keys = scratch.take(matrix),
                                .values = scratch.take(matrix),
                                .queries = scratch.take(rows),
                                .slopes_z = scratch.take(rows),
                                .slopes = scratch.take(scores),
                                .kept = scratch.take(scores),
                                .weights = scratch.take(sizes.padded_keys),
                                .sums = scratch.take(rows),
                                .key_sums = scratch.take(matrix),
                                .value_sums = scratch.take(matrix)};
    const std::int64_t T = shape.queries, S = shape.keys;
    for (std::int64_t b = 0; b < shape.batch; ++b) {
      for (std::int64_t h = 0; h < shape.heads; ++h) {
        const Head head{b, h, S, {}};
        pack_rows(inputs.k, b * S, h, sizes, memory.keys);
        pack_columns(inputs.v, b * S, h, sizes, memory.values);
        if (T == 0) {  // else the first queries overwrite them
          std::fill_n(memory.key_sums, matrix, 0.0F);
          std::fill_n(memory.value_sums, matrix, 0.0F);
        }
        for (std::int64_t t = 0; t < T; t += kQueries)
          attend_backward(shape, inputs, dropout, head, sizes, memory, t,
                          std::min<std::int64_t>(kQueries, T - t), weights, dz, gradients);
        unpack_rows(memory.key_sums, b * S, h, sizes, gradients.k);
        unpack_rows(memory.value_sums, b * S, h, sizes, gradients.v);
      }
    }
  }
};

// With as many registers as the instruction set has.
using LongOfAny = Attention<4, 1>;
using LongOfV4 = Attention<8, 2>;

// Each instruction set has its own copy of all that is inlined here.
#define HEADWAY_ATTENTION(Name, Long, ...)                                                       \
  struct Name {                                                                                  \
    __VA_ARGS__ static void forward(const AttentionShape& shape, const AttentionInputs& inputs,  \
                                    const AttentionMask& mask, const Dropout& dropout,           \
                                    float* weights, float* z) {                                  \
      if (ShortAttention::fits(shape) && !mask.bias.values) {                                    \
        ShortAttention::forward(shape, inputs, mask, dropout, weights, z);                       \
      } else {                                                                                   \
        Long::forward(shape, inputs, mask, dropout, weights, z);                                 \
      }                                                                                          \
    }                                                                                            \
    __VA_ARGS__ static void backward(const AttentionShape& shape, const AttentionInputs& inputs, \
                                     const Dropout& dropout, const float* weights,               \
                                     const float* dz, const AttentionGradients& gradients) {     \
      if (ShortAttention::fits(shape) && !gradients.bias.values) {                               \
        ShortAttention::backward(shape, inputs, dropout, weights, dz, gradients);                \
      } else {                                                                                   \
        Long::backward(shape, inputs, dropout, weights, dz, gradients);                          \
      }                                                                                          \
    }                                                                                            \
  };
HEADWAY_ATTENTION(Any, LongOfAny)
HEADWAY_ATTENTION(V3, LongOfAny, HEADWAY_TARGET("x86-64-v3"))
HEADWAY_ATTENTION(V4, LongOfV4, HEADWAY_TARGET("x86-64-v4"))
#undef HEADWAY_ATTENTION

}  // namespace

void attention_forward(const AttentionShape& shape, const AttentionInputs& inputs,
                       const AttentionMask& mask, const Dropout& dropout, float* weights, float* z,
                       InstructionSet set) {
  switch (set) {
    case InstructionSet::kV4:
      return V4::forward(shape, inputs, mask, dropout, weights, z);
    case InstructionSet::kV3:
      return V3::forward(shape, inputs, mask, dropout, weights, z);
    case InstructionSet::kAny:
      return Any::forward(shape, inputs, mask, dropout, weights, z);
  }
}

void attention_backward(const AttentionShape& shape, const AttentionInputs& inputs,
                        const Dropout& dropout, const float* weights, const float* dz,
                        const AttentionGradients& gradients, InstructionSet set) {
  switch (set) {
    case InstructionSet::kV4:
      return V4::backward(shape, inputs, dropout, weights, dz, gradients);
    case InstructionSet::kV3:
      return V3::backward(shape, inputs, dropout, weights, dz, gradients);
    case InstructionSet::kAny:
      return Any::backward(shape, inputs, dropout, weights, dz, gradients);
  }
}

void turn_rows(const Turning& op, HeadRows<const float> from, bool backwards, HeadRows<float> to) {
  vectorised([=]() HEADWAY_INLINE_LAMBDA {
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
  });
}

}  // namespace headway
