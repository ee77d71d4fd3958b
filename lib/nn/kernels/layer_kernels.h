// What stands between the matrix products of a transformer layer, each in one pass over memory, and
// its gradient. Rows are positions, N of them; d is the model's width. Plain memory; no LibTorch.
#pragma once

#include <cstdint>

#include "lib/nn/kernels/dropout.h"

namespace headway {

inline constexpr float kNormEpsilon = 1e-5F;

// y [N, d] = norm(residual + dropout(branch)) * gain + bias. Where `normalised` [N, d] and
// `inverse_deviation` [N] are given they are filled, for the gradient.
struct AddNorm {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  const float* gain = nullptr;  // [d]
  Dropout dropout;
};
void add_norm_forward(const AddNorm& op, const float* branch, const float* residual,
                      const float* bias, float* y, float* normalised, float* inverse_deviation);
// Overwrites all of them; branch_slope may be the same memory as residual_slope without dropout.
struct AddNormGradients {
  float* branch = nullptr;    // [N, d]
  float* residual = nullptr;  // [N, d]
  float* gain = nullptr;      // [d]
  float* bias = nullptr;      // [d]
};
void add_norm_backward(const AddNorm& op, const float* normalised, const float* inverse_deviation,
                       const float* dy, const AddNormGradients& gradients);

// y = dropout(relu(y)), in place.
void relu_dropout_forward(std::int64_t count, const Dropout& dropout, float* y);
// dx from dy: what passed (y > 0) was multiplied with `scale`, the rest with 0.
void relu_dropout_backward(std::int64_t count, float scale, const float* y, const float* dy,
                           float* dx);

// sums [d] = the sum of all rows of x [N, d].
void sum_rows(std::int64_t rows, std::int64_t width, const float* x, float* sums);

// y [N, d] = dropout(table[token] * scale + positions[row % length]); without positions, where
// null.
struct Embedding {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t length = 0;               // T: positions start anew every T rows
  const std::int32_t* tokens = nullptr;  // [N]
  float scale = 1;
  Dropout dropout;
};
void embedding_forward(const Embedding& op, const float* table, const float* positions, float* y);
// Adds to both; dpositions may be null.
void embedding_backward(const Embedding& op, const float* dy, float* dtable, float* dpositions);

// Cross entropy of logits [N, V] against targets [N]; rows whose target is `ignored` count nothing.
struct CrossEntropy {
  std::int64_t rows = 0;
  std::int64_t classes = 0;
  const std::int32_t* targets = nullptr;
  std::int32_t ignored = -1;
};
// The sum over rows. Where `slopes` [N, V] is given it becomes the sum's gradient times `scale`.
double cross_entropy(const CrossEntropy& op, const float* logits, float scale, float* slopes);

}  // namespace headway
