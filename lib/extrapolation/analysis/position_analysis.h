// Properties of positional encodings: whether P_t . P_s depends only on the distance t - s, and
// whether a shift by k positions is a fixed rotation, within and beyond the trained range. Of any
// transformer: the positions of its encoder, or of its decoder if it has no encoder.
#pragma once

#include <vector>

#include "lib/base/json.h"
#include "lib/nn/checkpoint.h"
#include "lib/numerics/safetensors.h"
#include "lib/numerics/table.h"

namespace headway {

// In double precision, because differences of nearly equal vectors are measured.
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values;  // [rows, columns]

  double at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};

struct PositionView {
  // The vectors P_t [L, d] added to tokens; for rope, (1, 0, 1, 0, …) rotated. No rows if the
  // encoding has no vectors.
  Matrix vectors;
  // [L, L]: P_t . P_s; without vectors, the mean over heads of the factor on the weight of key s
  // for query t: 0 for what a query does not see.
  Matrix gram;
};
PositionView view_positions(const Checkpoint& checkpoint, std::int64_t positions);

// Positions from .. to - 1.
struct PositionRange {
  std::int64_t from = 0, to = 0;
};

// How far the matrix is from a function of t - s within the range: the root mean square of the
// residual after subtracting each diagonal's mean, relative to that of the matrix. NaN if it is
// empty.
double distance_error(const Matrix& gram, PositionRange range);

// How well one rotation maps every P_t to P_{t+k}: the root mean square of the residual, relative
// to that of P_{t+k}. NaN if there is no pair.
struct RotationErrors {
  // Rotates each pair of dimensions 2i, 2i + 1, with d / 2 angles. Fitted to pairs of positions
  // within `fitted`, measured on those with t >= measured.from and t + k < measured.to.
  double by_pairs = 0;
  // The best rotation or reflection of d dimensions, fitted to the measured positions: a lower
  // bound.
  double any = 0;
};
RotationErrors rotation_errors(const Matrix& vectors, std::int64_t shift, PositionRange fitted,
                               PositionRange measured);

// Columns measure,shift,inside,beyond: length (of P_t), step (|P_t+1 - P_t|), distance error,
// rotation errors for each shift. Inside: positions below the trained length; beyond: all others.
Table position_table(const PositionView& view, std::int64_t trained,
                     const std::vector<std::int64_t>& shifts);

// Arrays positions [L, d] (if any), gram [L, L], F32; metadata encoding, trained, gram (its
// meaning).
TensorFile to_tensor_file(const PositionView& view, const TransformerConfig& config);

}  // namespace headway
