#include "lib/nn/positions.h"

#include <ATen/ops/empty.h>

#include <cmath>

namespace headway {

at::Tensor sinusoidal_positions(std::int64_t length, std::int64_t width) {
  at::Tensor positions = at::empty({length, width}, at::kFloat);
  auto* out = positions.data_ptr<float>();
  for (std::int64_t position = 0; position < length; ++position) {
    for (std::int64_t i = 0; i < width; ++i) {
      const double wave =
          std::pow(10000.0, static_cast<double>(i / 2 * 2) / static_cast<double>(width));
      const double angle = static_cast<double>(position) / wave;
      out[position * width + i] =
          static_cast<float>(i % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return positions;
}

}  // namespace headway
