#include "lib/figures/tensor_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {

std::string subject_of(const NamedTensors& file) {
  return file.name.empty() ? "the file" : fmt::format("file '{}'", printable(file.name));
}

const NamedTensors& only_file(const std::vector<NamedTensors>& files) {
  if (files.size() == 1) return files[0];
  throw Error(fmt::format("it is drawn from one file, not {}", files.size()));
}

FloatMatrix FloatMatrix::transposed() const {
  FloatMatrix result{columns, rows, {}};
  result.values.reserve(values.size());
  for (std::size_t column = 0; column < columns; ++column) {
    for (std::size_t row = 0; row < rows; ++row) result.values.push_back(at(row, column));
  }
  return result;
}

FloatMatrix required_matrix(const NamedTensors& file, std::string_view name) {
  static constexpr std::int64_t kAnyMatrix[] = {-1, -1};
  const Array& array = [&]() -> const Array& {
    try {
      return file.file.at(name, ElementType::kF32, kAnyMatrix);
    } catch (const Error& error) {
      throw error.within(subject_of(file));
    }
  }();
  FloatMatrix matrix{static_cast<std::size_t>(array.shape[0]),
                     static_cast<std::size_t>(array.shape[1]), array.floats()};
  const std::string subject =
      fmt::format("{}: array '{}' {}", subject_of(file), name, shape_text(array.shape));
  if (matrix.values.empty()) throw Error(subject + " is empty: nothing to draw");
  const bool has_number = std::any_of(matrix.values.begin(), matrix.values.end(),
                                      [](float value) { return std::isfinite(value); });
  if (!has_number) throw Error(subject + " has no number: nothing to draw");
  return matrix;
}

}  // namespace headway
