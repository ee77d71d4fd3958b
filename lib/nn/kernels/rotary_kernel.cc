#include "lib/nn/kernels/rotary_kernel.h"

namespace headway {

HEADWAY_VECTORISED
void turn_rows(const AttentionShape& shape, HeadRows<const float> from, const float* turns,
               bool backwards, HeadRows<float> to) {
  const std::int64_t D = shape.head_size;
  const float sign = backwards ? -1 : 1;
  for (std::int64_t row = 0; row < shape.batch * shape.queries; ++row) {
    const float* __restrict turn = turns + row % shape.queries * D;
    for (std::int64_t h = 0; h < shape.heads; ++h) {
      const float* __restrict in = from.data + row * from.stride + h * D;
      float* __restrict out = to.data + row * to.stride + h * D;
      for (std::int64_t i = 0; i < D; i += 2) {
        const float cosine = turn[i], sine = sign * turn[i + 1];
        out[i] = in[i] * cosine - in[i + 1] * sine;
        out[i + 1] = in[i] * sine + in[i + 1] * cosine;
      }
    }
  }
}

}  // namespace headway
