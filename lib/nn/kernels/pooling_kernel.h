// From a sequence's vectors to one: features over its positions, each dimension on its own.
// Padding counts nothing. Plain memory; no LibTorch.
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
  // Of the differences x[t + 1] - x[t] between neighbours; 0 for a sequence of one.
  kLeastDifference,
  kMeanDifference,
};

struct PoolShape {
  std::int64_t batch = 0;                 // B
  std::int64_t length = 0;                // T
  std::int64_t width = 0;                 // d
  const std::int32_t* lengths = nullptr;  // [B], at least 1; null: all of them are T long
  std::span<const PoolFeature> features;  // F
};

// pooled [B, F, d] of x [B, T, d]. places [B, F, d]: where the largest or least was.
void pool_forward(const PoolShape& shape, const float* x, float* pooled, std::int32_t* places);
// Adds to dx [B, T, d]. dy [B, F, d].
void pool_backward(const PoolShape& shape, const std::int32_t* places, const float* dy, float* dx);

}  // namespace headway
