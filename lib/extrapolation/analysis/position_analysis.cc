#include "lib/extrapolation/analysis/position_analysis.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/linalg_svdvals.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

Matrix matrix_of(const at::Tensor& tensor) {
  const at::Tensor values = tensor.contiguous();
  const auto* first = values.data_ptr<float>();
  return {tensor.size(0), tensor.size(1), {first, first + values.numel()}};
}

Matrix gram_of(const Matrix& vectors) {
  Matrix gram{vectors.rows, vectors.rows, {}};
  for (std::int64_t t = 0; t < vectors.rows; ++t) {
    for (std::int64_t s = 0; s < vectors.rows; ++s) {
      double sum = 0;
      for (std::int64_t i = 0; i < vectors.columns; ++i) sum += vectors.at(t, i) * vectors.at(s, i);
      gram.values.push_back(sum);
    }
  }
  return gram;
}

// The mean over heads of e^bias, a factor on weights: 0 for hidden keys, 1 without a bias.
Matrix factors_of(const at::Tensor& bias, std::int64_t positions, bool is_causal) {
  const std::int64_t heads = bias.defined() ? bias.size(0) : 0;
  const std::int64_t distances = 2 * positions - 1;
  const auto* values = heads > 0 ? bias.data_ptr<float>() : nullptr;
  const auto factor = [&](std::int64_t t, std::int64_t s) {
    if (is_causal && s > t) return 0.0;
    if (heads == 0) return 1.0;
    double sum = 0;
    for (std::int64_t head = 0; head < heads; ++head)
      sum += std::exp(static_cast<double>(values[head * distances + s - t + positions - 1]));
    return sum / static_cast<double>(heads);
  };
  Matrix factors{positions, positions, {}};
  for (std::int64_t t = 0; t < positions; ++t) {
    for (std::int64_t s = 0; s < positions; ++s) factors.values.push_back(factor(t, s));
  }
  return factors;
}

double relative(double left, double whole) {
  return whole > 0 ? std::sqrt(left / whole) : 0;
}

// Sums of P_t[i] * P_{t+k}[j] over pairs of positions, for dimensions i and j; used to fit and
// check rotations.
double products(const Matrix& vectors, std::int64_t shift, PositionRange range, std::int64_t i,
                std::int64_t j) {
  double sum = 0;
  for (std::int64_t t = range.from; t + shift < range.to; ++t)
    sum += vectors.at(t, i) * vectors.at(t + shift, j);
  return sum;
}

double squares(const Matrix& vectors, PositionRange range) {
  double sum = 0;
  for (std::int64_t t = range.from; t < range.to; ++t) {
    for (std::int64_t i = 0; i < vectors.columns; ++i) sum += vectors.at(t, i) * vectors.at(t, i);
  }
  return sum;
}

double by_pairs(const Matrix& vectors, std::int64_t shift, PositionRange fitted,
                PositionRange measured) {
  double left = 0;
  if (vectors.columns % 2 != 0) {  // the last dimension has no partner
    for (std::int64_t t = measured.from; t + shift < measured.to; ++t) {
      const std::int64_t last = vectors.columns - 1;
      left += std::pow(vectors.at(t, last) - vectors.at(t + shift, last), 2);
    }
  }
  for (std::int64_t i = 0; i + 1 < vectors.columns; i += 2) {
    const double angle = std::atan2(
        products(vectors, shift, fitted, i, i + 1) - products(vectors, shift, fitted, i + 1, i),
        products(vectors, shift, fitted, i, i) + products(vectors, shift, fitted, i + 1, i + 1));
    const double cosine = std::cos(angle), sine = std::sin(angle);
    for (std::int64_t t = measured.from; t + shift < measured.to; ++t) {
      const double x = vectors.at(t, i), y = vectors.at(t, i + 1);
      left += std::pow(cosine * x - sine * y - vectors.at(t + shift, i), 2) +
              std::pow(sine * x + cosine * y - vectors.at(t + shift, i + 1), 2);
    }
  }
  return relative(left, squares(vectors, {measured.from + shift, measured.to}));
}

// Procrustes: the least residual is |A|^2 + |B|^2 minus twice the sum of the singular values of A^T
// B, where the rows of A and B are P_t and P_{t+k}.
double by_any(const Matrix& vectors, std::int64_t shift, PositionRange range) {
  const std::int64_t d = vectors.columns;
  std::vector<double> cross;  // [d, d]
  for (std::int64_t i = 0; i < d; ++i) {
    for (std::int64_t j = 0; j < d; ++j) cross.push_back(products(vectors, shift, range, i, j));
  }
  const at::Tensor singular =
      at::linalg_svdvals(at::from_blob(cross.data(), {d, d}, at::TensorOptions(at::kDouble)));
  const double before = squares(vectors, {range.from, range.to - shift});
  const double after = squares(vectors, {range.from + shift, range.to});
  const double left = before + after - 2 * singular.sum().item<double>();
  return relative(std::max(0.0, left), after);
}

double mean_length(const Matrix& vectors, PositionRange range) {
  double sum = 0;
  for (std::int64_t t = range.from; t < range.to; ++t)
    sum += std::sqrt(squares(vectors, {t, t + 1}));
  return range.to > range.from ? sum / static_cast<double>(range.to - range.from) : kNothing;
}

double mean_step(const Matrix& vectors, PositionRange range) {
  double sum = 0;
  for (std::int64_t t = range.from; t + 1 < range.to; ++t) {
    double step = 0;
    for (std::int64_t i = 0; i < vectors.columns; ++i)
      step += std::pow(vectors.at(t + 1, i) - vectors.at(t, i), 2);
    sum += std::sqrt(step);
  }
  return range.to - range.from > 1 ? sum / static_cast<double>(range.to - range.from - 1)
                                   : kNothing;
}

Array array_of(const Matrix& matrix) {
  return Array::of({matrix.rows, matrix.columns},
                   std::vector<float>(matrix.values.begin(), matrix.values.end()));
}

}  // namespace

PositionView view_positions(const Checkpoint& checkpoint, std::int64_t positions) {
  const bool is_causal = !checkpoint.config.has_encoder();
  const Positions encoding(checkpoint.config,
                           is_causal ? PositionUse::kDecoder : PositionUse::kEncoder,
                           checkpoint.parameters.views(false), positions);
  const AttentionPositions in_attention = encoding.in_attention();
  const at::Tensor added = encoding.added({}, 0, positions);
  const at::Tensor& vectors = added.defined() ? added : in_attention.turns;
  if (!vectors.defined()) return {{}, factors_of(in_attention.bias, positions, is_causal)};
  PositionView view;
  view.vectors = matrix_of(vectors);
  view.gram = gram_of(view.vectors);
  return view;
}

double distance_error(const Matrix& gram, PositionRange range) {
  const std::int64_t count = range.to - range.from;
  if (count < 1) return kNothing;
  double left = 0, whole = 0;
  for (std::int64_t distance = 1 - count; distance < count; ++distance) {
    const std::int64_t first = range.from + std::max<std::int64_t>(0, -distance);
    const std::int64_t last = range.to - std::max<std::int64_t>(0, distance);
    double mean = 0;
    for (std::int64_t t = first; t < last; ++t) mean += gram.at(t, t + distance);
    mean /= static_cast<double>(last - first);
    for (std::int64_t t = first; t < last; ++t) {
      left += std::pow(gram.at(t, t + distance) - mean, 2);
      whole += std::pow(gram.at(t, t + distance), 2);
    }
  }
  return relative(left, whole);
}

RotationErrors rotation_errors(const Matrix& vectors, std::int64_t shift, PositionRange fitted,
                               PositionRange measured) {
  if (measured.to - measured.from <= shift) return {kNothing, kNothing};
  const bool can_fit = fitted.to - fitted.from > shift;
  return {can_fit ? by_pairs(vectors, shift, fitted, measured) : kNothing,
          by_any(vectors, shift, measured)};
}

Table position_table(const PositionView& view, std::int64_t trained,
                     const std::vector<std::int64_t>& shifts) {
  const PositionRange inside{0, std::min(trained, view.gram.rows)};
  const PositionRange beyond{inside.to, view.gram.rows};
  Table table({"measure", "shift", "inside", "beyond"});
  const auto add = [&](const char* measure, const std::string& shift, double in, double out) {
    table.add({measure, shift, number_text(in), number_text(out)});
  };
  const Matrix& vectors = view.vectors;
  add("distance error", "", distance_error(view.gram, inside), distance_error(view.gram, beyond));
  if (vectors.rows == 0) return table;
  add("length", "", mean_length(vectors, inside), mean_length(vectors, beyond));
  add("step", "1", mean_step(vectors, inside), mean_step(vectors, beyond));
  for (const std::int64_t shift : shifts) {
    const RotationErrors in = rotation_errors(vectors, shift, inside, inside);
    const RotationErrors out = rotation_errors(vectors, shift, inside, beyond);
    add("rotation of pairs", std::to_string(shift), in.by_pairs, out.by_pairs);
    add("any rotation", std::to_string(shift), in.any, out.any);
  }
  return table;
}

TensorFile to_tensor_file(const PositionView& view, const TransformerConfig& config) {
  TensorFile file;
  const Matrix& vectors = view.vectors;
  if (vectors.rows > 0) file.arrays["positions"] = array_of(vectors);
  file.arrays["gram"] = array_of(view.gram);
  file.metadata["encoding"] = name_of(config.encoding);
  file.metadata["trained"] = std::to_string(config.trained_to);
  file.metadata["gram"] = vectors.rows > 0 ? "P_t · P_s" : "factor on attention weights";
  return file;
}

}  // namespace headway
