#include "lib/nn/kernels/adamw_kernel.h"

#include <algorithm>
#include <cmath>

#include "lib/nn/kernels/floats16.h"

namespace headway {

void adamw_step(const AdamWStep& step, std::int64_t count, const float* gradient, float* parameter,
                float* mean, float* square) {
  vectorised([=]() HEADWAY_INLINE_LAMBDA {
    const float* __restrict g = gradient;
    float* __restrict p = parameter;
    float* __restrict m = mean;
    float* __restrict v = square;
    const float shrink = 1 - step.rate * step.decay;
    const float rate = step.rate / step.correction1;
    const float inverse2 = 1 / std::sqrt(step.correction2);
    const AdamWStep s = step;
    for (std::int64_t i = 0; i < count; ++i) {
      const float slope = g[i] * s.gradient_scale;
      m[i] = s.beta1 * m[i] + (1 - s.beta1) * slope;
      v[i] = s.beta2 * v[i] + (1 - s.beta2) * slope * slope;
      p[i] = p[i] * shrink - rate * m[i] / (__builtin_sqrtf(v[i]) * inverse2 + s.epsilon);
    }
  });
}

double sum_gradients(std::int64_t count, std::span<const float* const> parts, float* out) {
  return vectorised([=]() HEADWAY_INLINE_LAMBDA {
    float* __restrict sum = out;
    if (parts.size() == 1) {
      std::copy_n(parts[0], count, sum);
    } else {
      const float* __restrict a = parts[0];
      const float* __restrict b = parts[1];
      for (std::int64_t i = 0; i < count; ++i) sum[i] = a[i] + b[i];
      for (const float* part : parts.subspan(2)) {
        const float* __restrict more = part;
        for (std::int64_t i = 0; i < count; ++i) sum[i] += more[i];
      }
    }
    return sum_of_squares(count, out);
  });
}

double sum_of_squares(std::int64_t count, const float* values) {
  return vectorised([=]() HEADWAY_INLINE_LAMBDA {
    typedef double Doubles16 __attribute__((vector_size(kFloats16 * sizeof(double))));
    Doubles16 squares = {};
    std::int64_t i = 0;
    for (; i + kFloats16 <= count; i += kFloats16) {
      const auto x = __builtin_convertvector(load16(values + i), Doubles16);
      squares += x * x;
    }
    double sum = 0;
    for (int lane = 0; lane < kFloats16; ++lane) sum += squares[lane];
    for (; i < count; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    return sum;
  });
}

}  // namespace headway
