// Scaled dot-product attention for short sequences, all heads of a batch: scores, mask, softmax,
// dropout and the weighted sum in one pass, and its gradient. Plain memory; knows no LibTorch.
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

struct AttentionMask {
  bool causal = false;  // a query sees no key after itself; the last query is at the last key
  const std::int32_t* key_lengths = nullptr;  // [B]: keys from there on are padding; null: none is
};

struct AttentionInputs {
  HeadRows<const float> q;  // [B, T, H, D]
  HeadRows<const float> k;  // [B, S, H, D]
  HeadRows<const float> v;  // [B, S, H, D]
};

// weights [B, H, T, S] after softmax, before dropout; a query without any key has weights 0.
// z [B, T, H, D].
void attention_forward(const AttentionShape& shape, const AttentionInputs& inputs,
                       const AttentionMask& mask, const Dropout& dropout, float* weights, float* z);

struct AttentionGradients {
  HeadRows<float> q;  // [B, T, H, D]
  HeadRows<float> k;  // [B, S, H, D]
  HeadRows<float> v;  // [B, S, H, D]
};

// Overwrites the gradients. dz [B, T, H, D]; weights as attention_forward left them.
void attention_backward(const AttentionShape& shape, const AttentionInputs& inputs,
                        const Dropout& dropout, const float* weights, const float* dz,
                        const AttentionGradients& gradients);

}  // namespace headway
