#include "lib/nn/kernels/pooling_kernel.h"

#include <algorithm>

#include "lib/nn/kernels/vectorised.h"

namespace headway {
namespace {

// The minimum over t of sign * (x[t] - x[t - lag]), and its position; with lag 0, of sign * x[t].
HEADWAY_INLINE void find_least(const float* __restrict x, std::int64_t length, std::int64_t d,
                               std::int64_t lag, float sign, float* __restrict least,
                               std::int32_t* __restrict places) {
  const std::int64_t first = lag > 0 ? 1 : 0;
  for (std::int64_t t = first; t < length; ++t) {
    for (std::int64_t i = 0; i < d; ++i) {
      const float value = sign * (x[t * d + i] - (lag > 0 ? x[(t - 1) * d + i] : 0));
      const bool better = t == first || value < least[i];
      least[i] = better ? value : least[i];
      places[i] = better ? static_cast<std::int32_t>(t) : places[i];
    }
  }
  for (std::int64_t i = 0; i < d; ++i) least[i] *= sign;
}

HEADWAY_INLINE void add_scaled(float factor, const float* __restrict from, std::int64_t d,
                               float* __restrict to) {
  for (std::int64_t i = 0; i < d; ++i) to[i] += factor * from[i];
}

HEADWAY_INLINE void pool_one(PoolFeature feature, const float* x, std::int64_t length,
                             std::int64_t d, float* out, std::int32_t* places) {
  std::fill_n(out, d, 0.0F);
  std::fill_n(places, d, 0);
  const float count = static_cast<float>(length);
  switch (feature) {
    case PoolFeature::kMean:
      for (std::int64_t t = 0; t < length; ++t) add_scaled(1 / count, x + t * d, d, out);
      return;
    case PoolFeature::kMax:
      return find_least(x, length, d, 0, -1, out, places);
    case PoolFeature::kMin:
      return find_least(x, length, d, 0, 1, out, places);
    case PoolFeature::kFirst:
      return add_scaled(1, x, d, out);
    case PoolFeature::kLast:
      return add_scaled(1, x + (length - 1) * d, d, out);
    case PoolFeature::kLeastDifference:
      return find_least(x, length, d, 1, 1, out, places);
    case PoolFeature::kMeanDifference:  // all but the first and last value cancel
      if (length < 2) return;
      add_scaled(1 / (count - 1), x + (length - 1) * d, d, out);
      add_scaled(-1 / (count - 1), x, d, out);
      return;
  }
}

HEADWAY_INLINE void unpool_one(PoolFeature feature, const std::int32_t* places, const float* dy,
                               std::int64_t length, std::int64_t d, float* dx) {
  const float count = static_cast<float>(length);
  switch (feature) {
    case PoolFeature::kMean:
      for (std::int64_t t = 0; t < length; ++t) add_scaled(1 / count, dy, d, dx + t * d);
      return;
    case PoolFeature::kMax:
    case PoolFeature::kMin:
      for (std::int64_t i = 0; i < d; ++i) dx[places[i] * d + i] += dy[i];
      return;
    case PoolFeature::kFirst:
      return add_scaled(1, dy, d, dx);
    case PoolFeature::kLast:
      return add_scaled(1, dy, d, dx + (length - 1) * d);
    case PoolFeature::kLeastDifference:
      if (length < 2) return;
      for (std::int64_t i = 0; i < d; ++i) {
        dx[places[i] * d + i] += dy[i];
        dx[(places[i] - 1) * d + i] -= dy[i];
      }
      return;
    case PoolFeature::kMeanDifference:
      if (length < 2) return;
      add_scaled(1 / (count - 1), dy, d, dx + (length - 1) * d);
      add_scaled(-1 / (count - 1), dy, d, dx);
      return;
  }
}

}  // namespace

void pool_forward(const PoolShape& shape, const float* x, float* pooled, std::int32_t* places) {
  vectorised([=]() HEADWAY_INLINE_LAMBDA {
    std::int64_t at = 0;
    for (std::int64_t b = 0; b < shape.batch; ++b) {
      const std::int64_t length = shape.lengths ? shape.lengths[b] : shape.length;
      for (const PoolFeature feature : shape.features) {
        pool_one(feature, x + b * shape.length * shape.width, length, shape.width, pooled + at,
                 places + at);
        at += shape.width;
      }
    }
  });
}

void pool_backward(const PoolShape& shape, const std::int32_t* places, const float* dy, float* dx) {
  vectorised([=]() HEADWAY_INLINE_LAMBDA {
    std::int64_t at = 0;
    for (std::int64_t b = 0; b < shape.batch; ++b) {
      const std::int64_t length = shape.lengths ? shape.lengths[b] : shape.length;
      for (const PoolFeature feature : shape.features) {
        unpool_one(feature, places + at, dy + at, length, shape.width,
                   dx + b * shape.length * shape.width);
        at += shape.width;
      }
    }
  });
}

}  // namespace headway
