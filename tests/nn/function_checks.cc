#include "tests/nn/function_checks.h"

namespace headway::testing {

at::Tensor factors(const Dropout& dropout, at::IntArrayRef shape) {
  at::Tensor mask = at::ones(shape);
  if (!dropout.active()) return mask;
  auto* values = mask.data_ptr<float>();
  for (std::int64_t i = 0; i < mask.numel(); ++i) {
    values[i] = dropout.factor(static_cast<std::uint32_t>(i));
  }
  return mask;
}

Dropout some_dropout(double probability) {
  return DropoutStream({probability, 0}, RandomStream(7)).next();
}

at::Tensor leaf(at::IntArrayRef shape, std::uint64_t seed) {
  return draw(shape, seed).set_requires_grad(true);
}

}  // namespace headway::testing
