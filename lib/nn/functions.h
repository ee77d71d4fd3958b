// The operations of a transformer as differentiable functions, each one node of the autograd graph,
// computed by our kernels. Tensors are float32 and contiguous; rows are positions: N = batch *
// length.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "lib/nn/kernels/dropout.h"
#include "lib/nn/kernels/pooling_kernel.h"
#include "lib/nn/weights.h"

namespace headway {

// x [N, in], weight [out, in], bias [out] -> [N, out].
at::Tensor linear(const at::Tensor& x, const Weight& weight, const at::Tensor& bias);
// dropout(relu(linear(x))).
at::Tensor linear_relu_dropout(const at::Tensor& x, const Weight& weight, const at::Tensor& bias,
                               const Dropout& dropout);

// norm(residual + dropout(branch)) * gain + bias, all [N, d].
at::Tensor add_norm(const at::Tensor& branch, const at::Tensor& residual, const at::Tensor& gain,
                    const at::Tensor& bias, const Dropout& dropout);

// norm(x) * gain + bias, [N, d].
at::Tensor norm(const at::Tensor& x, const at::Tensor& gain, const at::Tensor& bias);
// residual + dropout(branch), of the same shape; dropout(branch) if the residual is undefined.
at::Tensor add_dropped(const at::Tensor& branch, const at::Tensor& residual,
                       const Dropout& dropout);

// dropout(table[token] * scale + position). tokens int32 [B, T], table [V, d], positions [T, d],
// [B * T, d] or undefined -> [B * T, d].
at::Tensor embed(const at::Tensor& tokens, const at::Tensor& table, const at::Tensor& positions,
                 double scale, const Dropout& dropout);

// The rows of x [P, d] with these numbers, int32 [N] -> [N, d].
at::Tensor take_rows(const at::Tensor& x, const at::Tensor& numbers);

struct AttentionSizes {
  std::int64_t batch = 0;      // B
  std::int64_t heads = 0;      // H
  std::int64_t queries = 0;    // T
  std::int64_t keys = 0;       // S
  std::int64_t head_size = 0;  // D
  bool causal = false;         // the last query is at the last key
  at::Tensor key_lengths;      // int32 [B]; undefined: no padding
  // Whether to return the weights even without gradients: [T, S] for every head is much memory for
  // long sequences.
  bool keep_weights = true;
};
// A bias on scores by distance, [H, 2 * R - 1]: added to the score of a query at position t and a
// key at position s, at index s - t + R - 1; -infinity hides the key. Undefined: none.
struct ScoreBias {
  at::Tensor values;
  // Positions of queries int32 [B, T] and keys int32 [B, S], below R; undefined: counted from 0,
  // and R >= T, S.
  at::Tensor query_positions;
  at::Tensor key_positions;
};
struct AttentionResult {
  at::Tensor z;        // [B, T, H, D]
  at::Tensor weights;  // [B, H, T, S], before dropout, without gradient; undefined: not kept
};
// qkv [B * T, 3 * H * D]: queries, keys, values side by side.
AttentionResult self_attention(const at::Tensor& qkv, const ScoreBias& bias,
                               const AttentionSizes& sizes, const Dropout& dropout);
// q [B * T, H * D], kv [B * S, 2 * H * D].
AttentionResult cross_attention(const at::Tensor& q, const at::Tensor& kv, const ScoreBias& bias,
                                const AttentionSizes& sizes, const Dropout& dropout);

// Rotates the first `turned` parts of each row of x [B * T, P * H * D] by the angles of their
// positions, whose cosines and sines are turns [R, D] (no gradient). positions int32 [B, T] below
// R; undefined: counted from 0, and R >= T.
struct TurnSizes {
  std::int64_t length = 0;  // T
  std::int64_t heads = 0;
  std::int64_t parts = 0;   // P: 3 for queries, keys and values
  std::int64_t turned = 0;  // the first ones
};
at::Tensor turn(const at::Tensor& x, const at::Tensor& turns, const at::Tensor& positions,
                const TurnSizes& sizes);

// x [B * T, d], lengths int32 [B] or undefined (all are T) -> [B, F * d].
at::Tensor pool(const at::Tensor& x, std::int64_t batch, const at::Tensor& lengths,
                std::vector<PoolFeature> features);

// The sum over rows whose target is not `ignored`, times `scale`: a scalar. logits [N, V], targets
// int32 [N].
at::Tensor cross_entropy_sum(const at::Tensor& logits, const at::Tensor& targets,
                             std::int32_t ignored, double scale);

}  // namespace headway
