// Dropout whose mask is a function of (key, element): nothing to store for the backward pass,
// nothing to save to continue a training, and no order in which draws must happen.
#pragma once

#include <cstdint>

#include "lib/nn/kernels/vectorised.h"
#include "lib/numerics/random.h"

namespace headway {

struct Dropout {
  std::uint32_t threshold = 0;  // an element whose hash is below it is dropped; 0: none is
  float scale = 1;              // of those that stay
  std::uint32_t key_low = 0;
  std::uint32_t key_high = 0;

  bool active() const { return threshold != 0; }
  // 0 or `scale`.
  HEADWAY_INLINE float factor(std::uint32_t element) const {
    std::uint32_t x = element * 0x9e3779b9U ^ key_low;
    x = (x ^ (x >> 16)) * 0x7feb352dU + key_high;
    x = (x ^ (x >> 15)) * 0x846ca68bU;
    x ^= x >> 16;
    return x < threshold ? 0.0F : scale;
  }
};

// How much is dropped: of what sublayers add to the residual stream, and of attention's weights.
struct DropoutRates {
  double layers = 0;
  double attention = 0;
};

// Where the layers of one forward pass take their masks from: each call gives the next one.
class DropoutStream {
 public:
  DropoutStream() = default;  // no dropout: evaluation
  DropoutStream(DropoutRates rates, RandomStream random) : rates_(rates), random_(random) {}

  Dropout next() { return draw(rates_.layers); }
  Dropout next_for_attention() { return draw(rates_.attention); }

 private:
  Dropout draw(double probability) {
    if (probability <= 0) return {};
    const std::uint64_t key = random_.next();
    return {.threshold = static_cast<std::uint32_t>(probability * 0x1p32),
            .scale = static_cast<float>(1 / (1 - probability)),
            .key_low = static_cast<std::uint32_t>(key),
            .key_high = static_cast<std::uint32_t>(key >> 32)};
  }

  DropoutRates rates_;
  RandomStream random_{0};
};

}  // namespace headway
