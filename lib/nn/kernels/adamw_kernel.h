// The arithmetic of AdamW over a range of parameters, in one pass.
#pragma once

#include <cstdint>
#include <span>

namespace headway {

struct AdamWStep {
  float rate = 0;  // learning rate
  float beta1 = 0.9F;
  float beta2 = 0.98F;
  float epsilon = 1e-8F;
  float decay = 0;           // weight decay, separate from the gradient
  float correction1 = 1;     // 1 - beta1^step
  float correction2 = 1;     // 1 - beta2^step
  float gradient_scale = 1;  // from clipping
};

void adamw_step(const AdamWStep& step, std::int64_t count, const float* gradient, float* parameter,
                float* mean, float* square);

// out = the sum of the parts, in order. Returns the sum of the squares of `out`.
double sum_gradients(std::int64_t count, std::span<const float* const> parts, float* out);
double sum_of_squares(std::int64_t count, const float* values);

}  // namespace headway
