// Dropout whose mask is a function of (key, element): needs no memory for the backward pass, no
// saved state, and no fixed order of draws.
#pragma once

#include <cstdint>

#include "lib/nn/kernels/vectorised.h"
#include "lib/numerics/random.h"

namespace headway {

struct Dropout {
  std::uint32_t threshold = 0;  // elements with a smaller hash are dropped; 0: none
  float scale = 1;              // for the elements that stay
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

// Dropout rates of what sublayers add to the residual stream, and of attention weights.
struct DropoutRates {
  double layers = 0;
  double attention = 0;
};

// Gives the layers of one forward pass their masks, a new one with each call.
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
