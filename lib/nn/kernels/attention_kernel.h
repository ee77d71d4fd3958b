// Scaled dot-product attention, all heads of a batch: scores, bias, mask, softmax, dropout and the
// weighted sum in one pass, and its gradient. Plain memory; knows no LibTorch.
#pragma once

#include <cstdint>

#include "lib/nn/kernels/dropout.h"

namespace headway {

struct AttentionShape {
  std::int64_t batch = 0;      // B
  std::int64_t heads = 0;      // H
  std::int64_t queries = 0;    // T
  std::int64_t keys = 0;       // S
  std::int64_t head_size = 0;  // D
};

// Heads side by side in rows of a wider matrix: position t of sample b is row b * T + t, and head h
// starts D * h floats into it. So queries, keys and values can be parts of one product's result.
template <class Float>
struct HeadRows {
  Float* data = nullptr;
  std::int64_t stride = 0;  // floats from one row to the next
};

// What is added to a score by how far its key is from its query, for each head: values
// [H, 2 * reach - 1], the one of query t and key s at s - t + reach - 1. -infinity hides the key.
template <class Float>
struct DistanceBias {
  Float* values = nullptr;  // null: none
  std::int64_t reach = 0;   // at least T and S

  // Of query t: the value of key s is at s.
  Float* row(std::int64_t head, std::int64_t t) const {
    return values + head * (2 * reach - 1) + reach - 1 - t;
  }
};

struct AttentionMask {
  bool causal = false;  // a query sees no key after itself; the last query is at the last key
  const std::int32_t* key_lengths = nullptr;  // [B]: keys from there on are padding; null: none is
  DistanceBias<const float> bias;
};

struct AttentionInputs {
  HeadRows<const float> q;  // [B, T, H, D]
  HeadRows<const float> k;  // [B, S, H, D]
  HeadRows<const float> v;  // [B, S, H, D]
};

// weights [B, H, T, S] after softmax, before dropout, or null: then memory grows with S alone, not
// with its square. A query without any key has weights 0. z [B, T, H, D].
void attention_forward(const AttentionShape& shape, const AttentionInputs& inputs,
                       const AttentionMask& mask, const Dropout& dropout, float* weights, float* z);

struct AttentionGradients {
  HeadRows<float> q;  // [B, T, H, D]
  HeadRows<float> k;  // [B, S, H, D]
  HeadRows<float> v;  // [B, S, H, D]
  DistanceBias<float> bias;
};

// Overwrites the gradients of q, k and v; adds to that of the bias, where it is asked for.
// dz [B, T, H, D]; weights as attention_forward left them.
void attention_backward(const AttentionShape& shape, const AttentionInputs& inputs,
                        const Dropout& dropout, const float* weights, const float* dz,
                        const AttentionGradients& gradients);

}  // namespace headway
