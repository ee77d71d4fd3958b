// Pools a sequence of vectors into one: features over its positions, for each dimension. Ignores
// padding. Does not need LibTorch.
#pragma once

#include <cstdint>
#include <span>

namespace headway {

enum class PoolFeature {
  kMean,
  kMax,
  kMin,
  kFirst,
  kLast,
  // Over the differences x[t + 1] - x[t]; 0 for a sequence of length one.
  kLeastDifference,
  kMeanDifference,
};

struct PoolShape {
  std::int64_t batch = 0;                 // B
  std::int64_t length = 0;                // T
  std::int64_t width = 0;                 // d
  const std::int32_t* lengths = nullptr;  // [B], at least 1; null: all are T
  std::span<const PoolFeature> features;  // F
};

// pooled [B, F, d] from x [B, T, d]. places [B, F, d]: positions of the maxima and minima.
void pool_forward(const PoolShape& shape, const float* x, float* pooled, std::int32_t* places);
// Adds to dx [B, T, d]. dy [B, F, d].
void pool_backward(const PoolShape& shape, const std::int32_t* places, const float* dy, float* dx);

}  // namespace headway
