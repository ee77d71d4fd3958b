#include "lib/figures/checks.h"

#include <fmt/format.h>

#include <cmath>

#include "lib/base/index.h"
#include "lib/base/text.h"

namespace headway {
namespace {

constexpr std::size_t kMostColumnsNamed = 50;  // in messages

}  // namespace

std::string subject_of(const NamedTable& table) {
  return table.name.empty() ? "the table" : fmt::format("table '{}'", printable(table.name));
}

void require_columns(const NamedTable& table, const std::vector<std::string>& columns) {
  if (table.table.size() == 0) throw Error(subject_of(table) + " has no rows: nothing to draw");
  for (const std::string& column : columns) {
    if (table.table.has(column)) continue;
    throw Error("{} has no column '{}'; it has {}{}", subject_of(table), printable(column),
                printable(first_of(table.table.columns(), kMostColumnsNamed)),
                printable(did_you_mean(column, table.table.columns())));
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
  throw wrong_cell(table, row, column, "must be a number, not");
}

double required_fraction(const NamedTable& table, std::size_t row, std::string_view column) {
  const double number = required_number(table, row, column);
  if (number >= 0 && number <= 1) return number;
  throw wrong_cell(table, row, column, "must be a fraction, 0 to 1, not");
}

Interval required_interval(const NamedTable& table, std::size_t row, std::string_view column,
                           double scale) {
  const double value = scale * required_number(table, row, column);
  const auto end = [&](const char* name) {
    const double number = scale * optional_number(table, row, name);
    return std::isfinite(number) ? number : value;
  };
  return {value, end("low"), end("high")};
}

Error wrong_cell(const NamedTable& table, std::size_t row, std::string_view column,
                 std::string_view problem) {
  return Error("{}, row {}: column '{}' {} '{}'", subject_of(table), row + 1, printable(column),
               problem, fit(printable(table.table.text(row, column)), 40));
}

std::vector<std::string> column_texts(const NamedTable& table, std::string_view column) {
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < table.table.size(); ++row)
    texts.push_back(table.table.text(row, column));
  return texts;
}

std::vector<std::string> distinct_texts(const std::vector<NamedTable>& tables,
                                        std::string_view column) {
  std::vector<std::string> distinct;
  for (const NamedTable& table : tables) {
    for (const std::string& text : column_texts(table, column)) place_of(text, distinct);
  }
  return distinct;
}

std::string subject_of(const NamedTensors& file) {
  return file.name.empty() ? "the file" : fmt::format("file '{}'", printable(file.name));
}

const NamedTensors& only_file(const std::vector<NamedTensors>& files) {
  if (files.size() == 1) return files[0];
  throw Error("it is drawn from one file, not {}", files.size());
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
  if (std::ranges::none_of(matrix.values, [](float value) { return std::isfinite(value); }))
    throw Error(subject + " has no number: nothing to draw");
  return matrix;
}

}  // namespace headway
