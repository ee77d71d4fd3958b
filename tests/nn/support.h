// Shared by tests of the model: random tensors, and the distance between two tensors.
#pragma once

#include <ATen/TensorOperators.h>

#include "lib/numerics/random.h"

namespace headway::testing {

at::Tensor draw(at::IntArrayRef shape, std::uint64_t seed);  // uniform in -1 .. 1
double largest_difference(const at::Tensor& a, const at::Tensor& b);

}  // namespace headway::testing
