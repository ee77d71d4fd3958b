// `matrix`: one stage for every combination of its axes.
//   matrix: {mode: [zero, mean], seed: [1, 2], exclude: [{mode: mean, seed: 2}], include: [{mode:
//   mean, seed: 9}]}
#pragma once

#include <string>
#include <vector>

#include "lib/base/value.h"

namespace headway {

struct MatrixItem {
  std::string name;  // "zero-1": what stands behind the @
  Value values;      // {mode: zero, seed: 1}
};

// The product of the axes in the order of the file (the last axis turns fastest), less `exclude`,
// plus `include`. `most` bounds the number of items.
std::vector<MatrixItem> expand_matrix(const Value& matrix, const std::string& subject,
                                      std::size_t most, Diagnostics& diagnostics);

}  // namespace headway
