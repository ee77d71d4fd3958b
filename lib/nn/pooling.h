// Pooling as a differentiable function.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/nn/kernels/pooling_kernel.h"

namespace headway {

// x [B * T, d], lengths int32 [B] or undefined (all are T) -> [B, F * d].
at::Tensor pool(const at::Tensor& x, std::int64_t batch, const at::Tensor& lengths,
                std::vector<PoolFeature> features);

}  // namespace headway
