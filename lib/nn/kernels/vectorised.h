// Vectorised kernels: plain loops, compiled for x86-64-v4 (AVX-512), for x86-64-v3 (AVX2, FMA) and
// for any x86-64. The first two give the same bits, because no sum depends on the width of
// registers. Compiled once on other platforms.
#pragma once

#include <bit>
#include <cstdint>

#include "lib/nn/kernels/instruction_set.h"

// Helpers must be inlined into each version.
#define HEADWAY_INLINE [[gnu::always_inline]] inline
#define HEADWAY_INLINE_LAMBDA __attribute__((always_inline))

namespace headway {

// A copy of `body` for each instruction set. Its captures are passed by value, so that they stay in
// registers.
template <class Body>
[[gnu::noinline]] HEADWAY_TARGET("x86-64-v4") auto run_with_v4(Body body) {
  return body();
}
template <class Body>
[[gnu::noinline]] HEADWAY_TARGET("x86-64-v3") auto run_with_v3(Body body) {
  return body();
}
// Runs an inlined lambda that captures by value, compiled for the instruction set in use.
template <class Body>
auto vectorised(Body body) {
  switch (instruction_set()) {
    case InstructionSet::kV4:
      return run_with_v4(body);
    case InstructionSet::kV3:
      return run_with_v3(body);
    case InstructionSet::kAny:
      break;
  }
  return body();
}

// What decides the bits of results here: the revision of the kernels, which grows when they give
// other bits, and the instruction set: "2 (x86-64-v3)" (and x86-64-v4), or "2 (baseline)" for what
// the compiler makes for any processor.
inline const char* kernel_version() {
  return instruction_set() == InstructionSet::kAny ? "2 (baseline)" : "2 (x86-64-v3)";
}

// e^x within 2 ulp, for x <= 88; 0 below -87. Has no calls or branches, so that loops vectorise.
HEADWAY_INLINE float vector_exp(float x) {
  const float clamped = x < -87.0F ? -87.0F : x;
  constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
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

// The same of each lane of a vector.
template <class Vector>
HEADWAY_INLINE Vector vector_exp(Vector x) {
  using Integers = decltype(x < x);
  const Vector clamped = x < -87.0F ? Vector{} - 87.0F : x;
  constexpr float kRounder = 12582912.0F;
  const Vector rounded = clamped * 1.44269504F + kRounder;  // an integer, in the last bits
  const Vector n = rounded - kRounder;
  const Vector r = (clamped - n * 0.693359375F) + n * 2.12194440e-4F;
  Vector p = Vector{} + 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  // The bits of 2^n; the rounder's own bits leave at the top.
  const Integers bits = (reinterpret_cast<Integers>(rounded) + 127) << 23;
  return x < -87.0F ? Vector{} : p * reinterpret_cast<Vector>(bits);
}

}  // namespace headway
