// What tests of the model share: tensors of random numbers, and how far two are apart.
#pragma once

#include <ATen/TensorOperators.h>

#include "lib/numerics/random.h"

namespace headway::testing {

at::Tensor draw(at::IntArrayRef shape, std::uint64_t seed);  // uniform in -1 .. 1
double largest_difference(const at::Tensor& a, const at::Tensor& b);

}  // namespace headway::testing
