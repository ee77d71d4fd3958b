// How the hand-written kernels reach the processor's vector units: plain loops, compiled twice, for
// x86-64-v3 (AVX2, FMA) and for any processor; the loader picks. Elsewhere once, as usual.
#pragma once

#include <bit>
#include <cstdint>

// The sanitizers' start-up runs after the loader's choice, so under them there is one version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HEADWAY_VECTORISED __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define HEADWAY_VECTORISED
#endif
// A helper must become part of the version it is called from.
#define HEADWAY_INLINE [[gnu::always_inline]] inline

namespace headway {

// e^x within 2 ulp, for x <= 88; 0 below -87. Without a call or a branch, so that loops of it
// become vector instructions.
HEADWAY_INLINE float vector_exp(float x) {
  const float clamped = x < -87.0F ? -87.0F : x;
  constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: adding it leaves the nearest integer
  const float n = (clamped * 1.44269504F + kRounder) - kRounder;
  const float r = (clamped - n * 0.693359375F) + n * 2.12194440e-4F;  // |r| <= ln(2) / 2
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  const auto exponent = static_cast<std::int32_t>(n) + 127;
  const float power = std::bit_cast<float>(exponent << 23);
  return x < -87.0F ? 0.0F : p * power;
}

}  // namespace headway
