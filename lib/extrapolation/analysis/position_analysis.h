// What an encoding says about positions, measured: does P_t . P_s depend on the distance t - s
// alone, and is going k positions on a fixed rotation, within the trained range and beyond it?
#pragma once

#include <vector>

#include "lib/base/json.h"
#include "lib/nn/checkpoint.h"
#include "lib/numerics/safetensors.h"
#include "lib/numerics/table.h"

namespace headway {

// Numbers in rows, in double precision: differences of nearly equal vectors are what is measured.
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values;  // [rows, columns]

  double at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};

struct PositionView {
  // The vectors P_t [L, d]: what is added to tokens; of rope what it makes of (1, 0, 1, 0, …) in
  // turning it. Without rows where an encoding has none.
  Matrix vectors;
  // [L, L]: P_t . P_s; where there are no vectors, the factor that the encoding puts on the weight
  // of key s for query t, as a mean over heads.
  Matrix gram;
};
PositionView view_positions(const ClassifierCheckpoint& checkpoint, std::int64_t positions);

// Rows of positions, from .. to - 1.
struct PositionRange {
  std::int64_t from = 0, to = 0;
};

// How far the matrix is, within the range, from a function of t - s: the root mean square of what
// is left after taking out each diagonal's mean, relative to that of the whole. NaN where nothing
// is there.
double distance_error(const Matrix& gram, PositionRange range);

// How well one rotation takes every P_t to P_{t+k}: root mean square of what is left, relative to
// that of P_{t+k}. NaN where no pair is there.
struct RotationErrors {
  // A rotation of each pair of dimensions 2i, 2i + 1 on its own, d / 2 angles in all, fitted to
  // pairs of positions within `fitted` and measured on those with t >= measured.from and t + k <
  // measured.to.
  double by_pairs = 0;
  // The best of all rotations (and reflections) of d dimensions, fitted to what it is measured on:
  // what no other can be below.
  double any = 0;
};
RotationErrors rotation_errors(const Matrix& vectors, std::int64_t shift, PositionRange fitted,
                               PositionRange measured);

// Columns measure,shift,inside,beyond: length (of P_t), step (|P_t+1 - P_t|), distance error,
// rotation errors for each shift. Inside: positions below the trained length; beyond: those from
// there on.
Table position_table(const PositionView& view, std::int64_t trained,
                     const std::vector<std::int64_t>& shifts);

// Arrays positions [L, d] (where there are), gram [L, L], F32; metadata encoding, trained, gram
// (what it is).
TensorFile to_tensor_file(const PositionView& view, const ClassifierConfig& config);

}  // namespace headway
