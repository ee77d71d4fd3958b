// What kinds of figures ask of files of arrays, with errors that name the file and the array.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// "file 'alibi'", or "the file" where it has no name.
std::string subject_of(const NamedTensors& file);

// For kinds that are drawn from one file: an Error where there are several, or none.
const NamedTensors& only_file(const std::vector<NamedTensors>& files);

struct FloatMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;  // row by row; what is no number is a gap

  float at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
  FloatMatrix transposed() const;
};

// An array F32 [rows, columns]. An Error where it is missing, has another type or shape, is empty,
// or has no number at all.
FloatMatrix required_matrix(const NamedTensors& file, std::string_view array);

}  // namespace headway
