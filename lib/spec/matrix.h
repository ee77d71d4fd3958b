// `matrix`: one stage for every combination of its axes.
//   matrix: {mode: [zero, mean], seed: [1, 2],
//            exclude: [{mode: mean, seed: 2}], include: [{mode: mean, seed: 9}]}
#pragma once

#include <string>
#include <vector>

#include "lib/spec/pipeline_spec.h"

namespace headway {

struct MatrixItem {
  std::string name;  // "zero-1": the part after the @
  Value values;      // {mode: zero, seed: 1}
  Coordinates axes;  // the same
};

// The product of the axes in the order of the file (the last axis varies fastest), without
// `exclude`, then `include`. Mistakes go to `diagnostics`, introduced by `subject`. Throws
// PipelineError if there would be more than `most` items.
std::vector<MatrixItem> expand_matrix(const Value& matrix, const std::string& subject,
                                      std::size_t most, Diagnostics& diagnostics);

}  // namespace headway
