// Matrix products for linear layers: the weight is packed once and used many times, and bias and
// activation are applied while a result is still in registers. Does not need LibTorch.
//
// Every element is one sum over the inner dimension, from first to last, of fused multiply-adds. So
// it depends neither on the width of a register nor on how rows are divided among calls: all
// processors with FMA give the same bits.
#pragma once

#include <cstdint>
#include <span>

#include "lib/nn/kernels/dropout.h"
#include "lib/nn/kernels/instruction_set.h"

namespace headway {

// The columns of a matrix [inner, columns] in panels of 32, each [inner, 32] and contiguous; the
// last one is padded with zeros.
inline constexpr std::int64_t kPanelWidth = 32;
constexpr std::int64_t panels_size(std::int64_t inner, std::int64_t columns) {
  return inner * ((columns + kPanelWidth - 1) / kPanelWidth * kPanelWidth);
}
// Of `from` [inner, columns].
void pack_panels(std::int64_t inner, std::int64_t columns, const float* from, float* panels);
// Of the transpose of `from` [columns, inner].
void pack_transposed_panels(std::int64_t inner, std::int64_t columns, const float* from,
                            float* panels);

// out [rows, columns] = left [rows, inner] * right + bias.
struct LinearProduct {
  std::int64_t rows = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
  const float* left = nullptr;
  const float* panels = nullptr;  // of `right` [inner, columns]
  const float* bias = nullptr;    // [columns]; null: 0
  float* out = nullptr;
};
void multiply(const LinearProduct& product, InstructionSet set = instruction_set());
// out = dropout(relu(left * right + bias)).
void multiply_relu_dropout(const LinearProduct& product, const Dropout& dropout,
                           InstructionSet set = instruction_set());

// What the gradient of a weight is made of: the rows that went into its layer, and the gradient of
// what came out.
struct LinearFactors {
  std::int64_t rows = 0;
  const float* in = nullptr;      // [rows, in]
  const float* slopes = nullptr;  // [rows, out]
};
// The gradients of a layer's weight [out, in] and bias [out], or of some outputs of it: the sums
// over the rows of all parts in order. Overwrites them.
struct LinearGradient {
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t first = 0;  // the outputs to compute: first … last - 1
  std::int64_t last = 0;
  float* weight = nullptr;
  float* bias = nullptr;
};
void multiply_factors(std::span<const LinearFactors> parts, const LinearGradient& gradient,
                      InstructionSet set = instruction_set());

}  // namespace headway
