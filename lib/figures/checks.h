// Reads tables and arrays, and checks them. Errors name the table, row and column, or the file and
// array.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/error.h"
#include "lib/figures/figure.h"
#include "lib/numerics/statistics.h"

namespace headway {

// "table 'zero'", or "the table" if it has no name.
std::string subject_of(const NamedTable& table);

// Throws Error unless the table has a row and all these columns.
void require_columns(const NamedTable& table, const std::vector<std::string>& columns);
void require_columns(const std::vector<NamedTable>& tables,
                     const std::vector<std::string>& columns);

// Throws Error if the cell is empty or not a number.
double required_number(const NamedTable& table, std::size_t row, std::string_view column);

// The same for a number from 0 to 1.
double required_fraction(const NamedTable& table, std::size_t row, std::string_view column);

// NaN if the cell is empty.
double optional_number(const NamedTable& table, std::size_t row, std::string_view column);

// A required number times `scale`, with its interval in the columns low and high. A missing end is
// the number itself.
Interval required_interval(const NamedTable& table, std::size_t row, std::string_view column,
                           double scale);

// "table 'zero', row 3: column 'x' <problem> '<its cell>'", to be thrown.
Error wrong_cell(const NamedTable& table, std::size_t row, std::string_view column,
                 std::string_view problem);

// The cells of a column.
std::vector<std::string> column_texts(const NamedTable& table, std::string_view column);
// The different cells of a column in all tables, in order of appearance.
std::vector<std::string> distinct_texts(const std::vector<NamedTable>& tables,
                                        std::string_view column);

// "file 'alibi'", or "the file" if it has no name.
std::string subject_of(const NamedTensors& file);

// Throws Error unless there is exactly one file.
const NamedTensors& only_file(const std::vector<NamedTensors>& files);

struct FloatMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;  // row by row; NaN is a gap

  float at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
  FloatMatrix transposed() const;
};

// An F32 array [rows, columns]. Throws Error if it is missing, has another type or shape, is empty,
// or contains no number.
FloatMatrix required_matrix(const NamedTensors& file, std::string_view array);

}  // namespace headway
