// Small matrices of floats turned over in registers.
#pragma once

#include <cstdint>
#include <cstring>

#include "lib/nn/kernels/vectorised.h"

namespace headway {

inline constexpr int kTransposed = 8;

// to [8, 8] = the transpose of from [count, 8], with zeros for the rows that are missing. Strides
// are those of rows.
HEADWAY_INLINE void transpose(const float* from, std::int64_t stride, std::int64_t count, float* to,
                              std::int64_t to_stride) {
  typedef float Row __attribute__((vector_size(kTransposed * sizeof(float))));
  Row rows[kTransposed], mixed[kTransposed];
  for (int i = 0; i < kTransposed; ++i) {
    rows[i] = Row{};
    if (i < count) std::memcpy(&rows[i], from + i * stride, sizeof rows[i]);
  }
  // Three rounds of exchanges: of single floats, of pairs, of halves.
  for (int i = 0; i < kTransposed; i += 2) {
    mixed[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    mixed[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < kTransposed; i += 4) {
    for (int j = 0; j < 2; ++j) {
      rows[i + j] =
          __builtin_shufflevector(mixed[i + j], mixed[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      rows[i + j + 2] =
          __builtin_shufflevector(mixed[i + j], mixed[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int j = 0; j < 4; ++j) {
    mixed[j] = __builtin_shufflevector(rows[j], rows[j + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    mixed[j + 4] = __builtin_shufflevector(rows[j], rows[j + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (int i = 0; i < kTransposed; ++i) std::memcpy(to + i * to_stride, &mixed[i], sizeof mixed[i]);
}

}  // namespace headway
