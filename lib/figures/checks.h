// What kinds of figures ask of their tables and arrays. Errors name the table, row and column, or
// the file and array.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// "table 'zero'", or "the table" where it has no name.
std::string subject_of(const NamedTable& table);

// Throws Error unless it has a row and all these columns.
void require_columns(const NamedTable& table, const std::vector<std::string>& columns);
void require_columns(const std::vector<NamedTable>& tables,
                     const std::vector<std::string>& columns);

// A number that must be there: an Error where the cell is empty.
double required_number(const NamedTable& table, std::size_t row, std::string_view column);

// The same, and from 0 to 1.
double required_fraction(const NamedTable& table, std::size_t row, std::string_view column);

// A number that may be left out: NaN where the cell is empty.
double optional_number(const NamedTable& table, std::size_t row, std::string_view column);

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
