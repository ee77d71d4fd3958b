#include "tests/nn/support.h"

#include <ATen/ops/empty.h>

namespace headway::testing {

at::Tensor draw(at::IntArrayRef shape, std::uint64_t seed) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  RandomStream random(seed);
  auto* values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    values[i] = static_cast<float>(random.uniform() * 2 - 1);
  }
  return tensor;
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  if (a.numel() == 0) return 0;
  return a.sub(b).abs().max().item<double>();
}

}  // namespace headway::testing
