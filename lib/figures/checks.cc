#include "lib/figures/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {

std::string subject_of(const NamedTable& table) {
  return table.name.empty() ? "the table" : fmt::format("table '{}'", printable(table.name));
}

void require_columns(const NamedTable& table, const std::vector<std::string>& columns) {
  if (table.table.size() == 0) throw Error(subject_of(table) + " has no rows: nothing to draw");
  for (const std::string& column : columns) {
    if (table.table.has(column)) continue;
    throw Error(fmt::format("{} has no column '{}'; it has {}", subject_of(table), column,
                            printable(join(table.table.columns(), ", "))));
  }
}

void require_columns(const std::vector<NamedTable>& tables,
                     const std::vector<std::string>& columns) {
  if (tables.empty()) throw Error("no table: nothing to draw");
  for (const NamedTable& table : tables) require_columns(table, columns);
}

double optional_number(const NamedTable& table, std::size_t row, std::string_view column) {
  try {
    return table.table.number(row, column);
  } catch (const Error& error) {
    throw error.within(subject_of(table));
  }
}

double required_number(const NamedTable& table, std::size_t row, std::string_view column) {
  const double number = optional_number(table, row, column);
  if (std::isfinite(number)) return number;
  throw Error(fmt::format("{}, row {}: column '{}' must be a number, not '{}'", subject_of(table),
                          row + 1, column, printable(table.table.text(row, column))));
}

double required_fraction(const NamedTable& table, std::size_t row, std::string_view column) {
  const double number = required_number(table, row, column);
  if (number >= 0 && number <= 1) return number;
  throw Error(fmt::format("{}, row {}: column '{}' must be a fraction, 0 to 1, not '{}'",
                          subject_of(table), row + 1, column,
                          printable(table.table.text(row, column))));
}

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
