// The operations between the matrix products of a transformer layer, each in one pass, and their
// gradients. Rows are the N positions; d is the model's width. Does not need LibTorch.
#pragma once

#include <cstdint>

#include "lib/nn/kernels/dropout.h"

namespace headway {

inline constexpr float kNormEpsilon = 1e-5F;

// y [N, d] = norm(residual + dropout(branch)) * gain + bias; without a branch (null) only the norm,
// and then there must be no dropout. Fills `normalised` [N, d] and
// `inverse_deviation` [N] for the gradient, unless they are null.
struct AddNorm {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  const float* gain = nullptr;  // [d]
  Dropout dropout;
};
void add_norm_forward(const AddNorm& op, const float* branch, const float* residual,
                      const float* bias, float* y, float* normalised, float* inverse_deviation);
// Overwrites all. Without dropout, `branch` and `residual` may be the same memory.
struct AddNormGradients {
  float* branch = nullptr;    // [N, d]
  float* residual = nullptr;  // [N, d]
  float* gain = nullptr;      // [d]
  float* bias = nullptr;      // [d]
};
void add_norm_backward(const AddNorm& op, const float* normalised, const float* inverse_deviation,
                       const float* dy, const AddNormGradients& gradients);

// y = residual + dropout(branch). Without a residual (null) y = dropout(branch), which is also the
// gradient of the branch, from that of y.
void add_dropout(std::int64_t count, const Dropout& dropout, const float* branch,
                 const float* residual, float* y);

// The gradient of dropout(relu(x)) = y: dx from dy, times `scale` if y > 0, else 0.
void relu_dropout_backward(std::int64_t count, float scale, const float* y, const float* dy,
                           float* dx);

// y [N, d] = dropout(table[token] * scale + positions[row % length]); positions may be null.
struct Embedding {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t length = 0;               // T: positions repeat every T rows
  const std::int32_t* tokens = nullptr;  // [N]
  float scale = 1;
  Dropout dropout;
};
void embedding_forward(const Embedding& op, const float* table, const float* positions, float* y);
// Adds to both; dpositions may be null.
void embedding_backward(const Embedding& op, const float* dy, float* dtable, float* dpositions);

// to [N, width]: the rows of `from` with these numbers [N].
void take_rows(std::int64_t rows, std::int64_t width, const std::int32_t* numbers,
               const float* from, float* to);
// Adds each row of `from` [N, width] to the row of `to` with its number, in order.
void add_rows(std::int64_t rows, std::int64_t width, const std::int32_t* numbers, const float* from,
              float* to);

// Cross entropy of logits [N, V] against targets [N]; skips rows whose target is `ignored`.
struct CrossEntropy {
  std::int64_t rows = 0;
  std::int64_t classes = 0;
  const std::int32_t* targets = nullptr;
  std::int32_t ignored = -1;
};
// The sum over rows. Writes its gradient times `scale` to `slopes` [N, V] unless that is null.
double cross_entropy(const CrossEntropy& op, const float* logits, float scale, float* slopes);

}  // namespace headway
