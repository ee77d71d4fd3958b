// Scaled dot-product attention for all heads of a batch: scores, bias, mask, softmax, dropout and
// weighted sum in one pass, and its gradient. Does not need LibTorch.
#pragma once

#include <cstdint>

#include "lib/nn/kernels/dropout.h"
#include "lib/nn/kernels/instruction_set.h"

namespace headway {

struct AttentionShape {
  std::int64_t batch = 0;      // B
  std::int64_t heads = 0;      // H
  std::int64_t queries = 0;    // T
  std::int64_t keys = 0;       // S
  std::int64_t head_size = 0;  // D
};

// Heads side by side in the rows of a wider matrix: position t of sample b is row b * T + t, and
// head h starts at D * h. So queries, keys and values can be parts of one matrix.
template <class Float>
struct HeadRows {
  Float* data = nullptr;
  std::int64_t stride = 0;  // floats from one row to the next
};

// A bias on scores by distance, for each head: values [H, 2 * reach - 1]; query t and key s use
// index s - t + reach - 1. -infinity hides the key.
template <class Float>
struct DistanceBias {
  Float* values = nullptr;  // null: none
  std::int64_t reach = 0;   // at least T and S
  // Positions to use instead of t [B, T] and s [B, S], all below reach; null: none.
  const std::int32_t* query_positions = nullptr;
  const std::int32_t* key_positions = nullptr;

  // The position of query t of the sample whose first query is in row `first`.
  std::int64_t query(std::int64_t first, std::int64_t t) const {
    return query_positions ? query_positions[first + t] : t;
  }
  // A pointer such that the key at position s of a query at position t is at index s.
  Float* row(std::int64_t head, std::int64_t t) const {
    return values + head * (2 * reach - 1) + reach - 1 - t;
  }
};

struct AttentionMask {
  bool causal = false;  // queries see no later keys; the last query is at the last key
  const std::int32_t* key_lengths = nullptr;  // [B]: later keys are padding; null: no padding
  DistanceBias<const float> bias;
};

template <class Float>
struct AttentionRows {
  HeadRows<Float> q;  // [B, T, H, D]
  HeadRows<Float> k;  // [B, S, H, D]
  HeadRows<Float> v;  // [B, S, H, D]
};
using AttentionInputs = AttentionRows<const float>;

// weights [B, H, T, S] after softmax, before dropout; if null, memory grows with S, not with its
// square. A query without visible keys has weights 0. z [B, T, H, D].
void attention_forward(const AttentionShape& shape, const AttentionInputs& inputs,
                       const AttentionMask& mask, const Dropout& dropout, float* weights, float* z,
                       InstructionSet set = instruction_set());

struct AttentionGradients : AttentionRows<float> {
  DistanceBias<float> bias;
};

// Overwrites the gradients of q, k and v; adds to that of the bias if requested. dz [B, T, H, D];
// weights as written by attention_forward.
void attention_backward(const AttentionShape& shape, const AttentionInputs& inputs,
                        const Dropout& dropout, const float* weights, const float* dz,
                        const AttentionGradients& gradients,
                        InstructionSet set = instruction_set());

// Rotary positions: to [N, H, D] = from, with dimensions 2i and 2i + 1 of row n rotated by the
// angle whose cosine and sine are turns [R, D] at 2i and 2i + 1 of the row's position; backwards
// (the gradient): by its negative.
struct Turning {
  std::int64_t rows = 0;   // N
  std::int64_t heads = 0;  // H
  std::int64_t head_size = 0;
  std::int64_t length = 0;                  // rows count from 0 to length - 1, again and again
  const std::int32_t* positions = nullptr;  // [N], below R; null: those counts
  const float* turns = nullptr;             // [R, D]
};
void turn_rows(const Turning& op, HeadRows<const float> from, bool backwards, HeadRows<float> to);

}  // namespace headway
