// Attention of one head with at most eight queries and keys, all in registers: queries are side by
// side in the lanes of vectors, so that the softmax over keys needs no sums across lanes, and heads
// are read and written where they lie, without packing. Inlined into the copies of the attention
// kernel for each instruction set.
#pragma once

#include <cmath>
#include <utility>

#include "lib/nn/kernels/attention_kernel.h"
#include "lib/nn/kernels/transpose.h"

namespace headway {

struct ShortAttention {
  static constexpr int kMost = kTransposed;  // queries, and keys
  typedef float Lanes __attribute__((vector_size(kMost * sizeof(float))));
  typedef std::uint32_t Words __attribute__((vector_size(kMost * sizeof(float))));
  typedef std::int32_t Integers __attribute__((vector_size(kMost * sizeof(float))));
  // [S, T] for keys in order, with queries in the lanes.
  struct ByKey {
    Lanes of[kMost];
  };

  static bool fits(const AttentionShape& shape) {
    return shape.queries > 0 && shape.queries <= kMost && shape.keys > 0 && shape.keys <= kMost &&
           shape.head_size % kMost == 0 && shape.head_size <= kLargest;
  }
  static constexpr std::int64_t kLargest = 256;  // dimensions of a head

  HEADWAY_INLINE static Lanes load(const float* from) {
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
  }
  HEADWAY_INLINE static void store(float* to, Lanes lanes) {
    std::memcpy(to, &lanes, sizeof lanes);
  }

  // One head's rows [count, D] as columns [D, 8], with zeros for the rows that are missing.
  HEADWAY_INLINE static void turn(HeadRows<const float> rows, std::int64_t count, std::int64_t D,
                                  float* columns) {
    for (std::int64_t d = 0; d < D; d += kMost)
      transpose(rows.data + d, rows.stride, count, columns + d * kMost, kMost);
  }

  // products[s, t] = sum over d of columns[d, t] * rows[s, d].
  template <int Keys>
  HEADWAY_INLINE static void multiply(const float* columns, HeadRows<const float> rows,
                                      std::int64_t D, Lanes* products) {
    Lanes sums[Keys] = {};
    for (std::int64_t d = 0; d < D; ++d) {
      const Lanes column = load(columns + d * kMost);
      for (int s = 0; s < Keys; ++s) sums[s] += column * rows.data[s * rows.stride + d];
    }
    for (int s = 0; s < Keys; ++s) products[s] = sums[s];
  }
  HEADWAY_INLINE static ByKey products_of(const float* columns, HeadRows<const float> rows,
                                          std::int64_t keys, std::int64_t D) {
    ByKey products{};
    const auto of_keys = [&]<int... Less>(std::integer_sequence<int, Less...>)
        HEADWAY_INLINE_LAMBDA {
      ((keys == Less + 1 ? multiply<Less + 1>(columns, rows, D, products.of) : void()), ...);
    };
    of_keys(std::make_integer_sequence<int, kMost>());
    return products;
  }

  // to[o, d] = sum over i of factors[o * out + i * in] * from[i, d], for `Vectors` vectors of d.
  template <int Vectors>
  HEADWAY_INLINE static void mix_columns(const float* factors, std::int64_t out, std::int64_t in,
                                         std::int64_t outputs, std::int64_t inputs,
                                         HeadRows<const float> from, HeadRows<float> to) {
    for (std::int64_t o = 0; o < outputs; ++o) {
      Lanes sums[Vectors] = {};
      for (std::int64_t i = 0; i < inputs; ++i) {
        const float factor = factors[o * out + i * in];
        for (std::int64_t v = 0; v < Vectors; ++v)
          sums[v] += load(from.data + i * from.stride + v * kMost) * factor;
      }
      for (std::int64_t v = 0; v < Vectors; ++v)
        store(to.data + o * to.stride + v * kMost, sums[v]);
    }
  }
  HEADWAY_INLINE static void mix(const float* factors, std::int64_t out, std::int64_t in,
                                 std::int64_t outputs, std::int64_t inputs, std::int64_t D,
                                 HeadRows<const float> from, HeadRows<float> to) {
    std::int64_t d = 0;
    constexpr std::int64_t kFour = std::int64_t{4} * kMost;
    for (; d + kFour <= D; d += kFour)
      mix_columns<4>(factors, out, in, outputs, inputs, {from.data + d, from.stride},
                     {to.data + d, to.stride});
    for (; d < D; d += kMost)
      mix_columns<1>(factors, out, in, outputs, inputs, {from.data + d, from.stride},
                     {to.data + d, to.stride});
  }

  HEADWAY_INLINE static Integers counted() { return Integers{0, 1, 2, 3, 4, 5, 6, 7}; }

  // Dropout::factor of the weights of key s, where `first` is the first element of the head.
  HEADWAY_INLINE static Lanes factors_of(const Dropout& dropout, std::uint32_t first,
                                         std::uint32_t keys, std::uint32_t s) {
    Words element = reinterpret_cast<Words>(counted());
    element = element * keys + (first + s);
    Words x = element * 0x9e3779b9U ^ dropout.key_low;
    x = (x ^ (x >> 16)) * 0x7feb352dU + dropout.key_high;
    x = (x ^ (x >> 15)) * 0x846ca68bU;
    x ^= x >> 16;
    const Lanes kept = Lanes{} + dropout.scale;
    return x < dropout.threshold ? Lanes{} : kept;
  }

  // weights[t, s], one row after the other, from and to the lanes.
  HEADWAY_INLINE static void write(const ByKey& by_key, const AttentionShape& shape,
                                   float* weights) {
    float rows[kMost * kMost];
    transpose(reinterpret_cast<const float*>(by_key.of), kMost, kMost, rows, kMost);
    for (std::int64_t t = 0; t < shape.queries; ++t) {
      for (std::int64_t s = 0; s < shape.keys; ++s)
        weights[t * shape.keys + s] = rows[t * kMost + s];
    }
  }
  HEADWAY_INLINE static ByKey read(const float* weights, const AttentionShape& shape) {
    float rows[kMost * kMost] = {};
    for (std::int64_t t = 0; t < shape.queries; ++t) {
      for (std::int64_t s = 0; s < shape.keys; ++s)
        rows[t * kMost + s] = weights[t * shape.keys + s];
    }
    ByKey by_key;
    transpose(rows, kMost, kMost, reinterpret_cast<float*>(by_key.of), kMost);
    return by_key;
  }

  // Softmax over the keys that each query sees; a query that sees none has weights 0.
  HEADWAY_INLINE static void softmax(ByKey& scores, std::int64_t keys, Integers visible,
                                     float scale) {
    const Lanes least = Lanes{} - INFINITY;
    Lanes highest = least;
    for (int s = 0; s < keys; ++s) {
      scores.of[s] = visible > s ? scores.of[s] : least;
      highest = scores.of[s] > highest ? scores.of[s] : highest;
    }
    highest = highest == least ? Lanes{} : highest;
    Lanes sums = {};
    for (int s = 0; s < keys; ++s) {
      scores.of[s] = vector_exp((scores.of[s] - highest) * scale);
      sums += scores.of[s];
    }
    const Lanes inverse = sums > 0 ? 1 / sums : Lanes{};
    for (int s = 0; s < keys; ++s) scores.of[s] *= inverse;
  }

  // Rows of head h of sample b.
  template <class Float>
  HEADWAY_INLINE static HeadRows<Float> at(HeadRows<Float> rows, std::int64_t b, std::int64_t h,
                                           std::int64_t length, std::int64_t D) {
    return {rows.data + b * length * rows.stride + h * D, rows.stride};
  }

  HEADWAY_INLINE static void forward(const AttentionShape& shape, const AttentionInputs& inputs,
                                     const AttentionMask& mask, const Dropout& dropout,
                                     float* weights, float* z) {
    const auto [B, H, T, S, D] = shape;
    const float scale = 1 / std::sqrt(static_cast<float>(D));
    float queries[kLargest * kMost];
    for (std::int64_t b = 0; b < B; ++b) {
      const auto length = static_cast<std::int32_t>(mask.key_lengths ? mask.key_lengths[b] : S);
      Integers visible = Integers{} + length;
      if (mask.causal) {
        const Integers seen = counted() + static_cast<std::int32_t>(1 + S - T);
        visible = seen < visible ? seen : visible;
      }
      for (std::int64_t h = 0; h < H; ++h) {
        const std::int64_t first = (b * H + h) * T * S;
        turn(at(inputs.q, b, h, T, D), T, D, queries);
        ByKey scores = products_of(queries, at(inputs.k, b, h, S, D), S, D);
        softmax(scores, S, visible, scale);
        if (weights) write(scores, shape, weights + first);
        for (int s = 0; dropout.active() && s < S; ++s)
          scores.of[s] *= factors_of(dropout, static_cast<std::uint32_t>(first),
                                     static_cast<std::uint32_t>(S), static_cast<std::uint32_t>(s));
        mix(reinterpret_cast<const float*>(scores.of), 1, kMost, T, S, D, at(inputs.v, b, h, S, D),
            at(HeadRows<float>{z, H * D}, b, h, T, D));
      }
    }
  }

  HEADWAY_INLINE static void backward(const AttentionShape& shape, const AttentionInputs& inputs,
                                      const Dropout& dropout, const float* weights, const float* dz,
                                      const AttentionGradients& gradients) {
    const auto [B, H, T, S, D] = shape;
    const float scale = 1 / std::sqrt(static_cast<float>(D));
    float columns[kLargest * kMost];
    for (std::int64_t b = 0; b < B; ++b) {
      for (std::int64_t h = 0; h < H; ++h) {
        const std::int64_t first = (b * H + h) * T * S;
        const HeadRows<const float> slopes_z = at(HeadRows<const float>{dz, H * D}, b, h, T, D);
        turn(slopes_z, T, D, columns);
        ByKey slopes = products_of(columns, at(inputs.v, b, h, S, D), S, D);  // by kept weight
        const ByKey given = read(weights + first, shape);
        ByKey kept = given;
        Lanes mean = {};  // weighted mean of the slopes, because softmax keeps the total
        for (int s = 0; s < S; ++s) {
          if (dropout.active()) {
            const Lanes factors =
                factors_of(dropout, static_cast<std::uint32_t>(first),
                           static_cast<std::uint32_t>(S), static_cast<std::uint32_t>(s));
            kept.of[s] *= factors;
            slopes.of[s] *= factors;
          }
          mean += slopes.of[s] * given.of[s];
        }
        for (int s = 0; s < S; ++s)
          slopes.of[s] = given.of[s] * (slopes.of[s] - mean) * scale;  // by score
        const auto* by_score = reinterpret_cast<const float*>(slopes.of);
        mix(reinterpret_cast<const float*>(kept.of), kMost, 1, S, T, D, slopes_z,
            at(gradients.v, b, h, S, D));
        mix(by_score, kMost, 1, S, T, D, at(inputs.q, b, h, T, D), at(gradients.k, b, h, S, D));
        mix(by_score, 1, kMost, T, S, D, at(inputs.k, b, h, S, D), at(gradients.q, b, h, T, D));
      }
    }
  }
};

}  // namespace headway
