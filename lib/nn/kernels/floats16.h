// Sixteen floats at once, in registers of any width. Sums over many floats are kept in sixteen
// parts, so that they are the same whatever the registers' width.
#pragma once

#include <cstdint>
#include <cstring>

#include "lib/nn/kernels/dropout.h"

namespace headway {

inline constexpr std::int64_t kFloats16 = 16;
typedef float Floats16 __attribute__((vector_size(kFloats16 * sizeof(float))));
typedef std::uint32_t Words16 __attribute__((vector_size(kFloats16 * sizeof(float))));

HEADWAY_INLINE Floats16 load16(const float* from) {
  typedef float Stored
      __attribute__((vector_size(kFloats16 * sizeof(float)), aligned(4), may_alias));
  return *reinterpret_cast<const Stored*>(from);
}
HEADWAY_INLINE void store16(float* to, Floats16 floats) {
  typedef float Stored
      __attribute__((vector_size(kFloats16 * sizeof(float)), aligned(4), may_alias));
  *reinterpret_cast<Stored*>(to) = floats;
}
// The first `count` floats, fewer than sixteen, and zeros.
HEADWAY_INLINE Floats16 load_some(const float* from, std::int64_t count) {
  float floats[kFloats16] = {};
  for (std::int64_t i = 0; i < count; ++i) floats[i] = from[i];
  return load16(floats);
}
HEADWAY_INLINE void store_some(float* to, Floats16 floats, std::int64_t count) {
  float all[kFloats16];
  store16(all, floats);
  for (std::int64_t i = 0; i < count; ++i) to[i] = all[i];
}

// With zeros after the first `count`.
HEADWAY_INLINE Floats16 first_of(Floats16 floats, std::int64_t count) {
  float all[kFloats16];
  store16(all, floats);
  return load_some(all, count);
}

// By halves: each lane of the first half and the one as far into the second, and so on.
HEADWAY_INLINE float sum_of(Floats16 floats) {
  const auto eight = __builtin_shufflevector(floats, floats, 0, 1, 2, 3, 4, 5, 6, 7) +
                     __builtin_shufflevector(floats, floats, 8, 9, 10, 11, 12, 13, 14, 15);
  const auto four = __builtin_shufflevector(eight, eight, 0, 1, 2, 3) +
                    __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
  const auto two =
      __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
  return two[0] + two[1];
}

// Dropout::factor of the sixteen elements from `first` on.
HEADWAY_INLINE Floats16 factors16(const Dropout& dropout, std::uint32_t first) {
  Words16 element = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  element += first;
  Words16 x = element * 0x9e3779b9U ^ dropout.key_low;
  x = (x ^ (x >> 16)) * 0x7feb352dU + dropout.key_high;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  x ^= x >> 16;
  const Floats16 kept = Floats16{} + dropout.scale;
  return x < dropout.threshold ? Floats16{} : kept;
}

}  // namespace headway
