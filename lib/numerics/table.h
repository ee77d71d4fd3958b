// A table: named columns of text, kept as CSV (RFC 4180). What analyses write, figures read and
// people open in a spreadsheet. Numbers are written with the digits that `number_text` gives them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headway {

class Table {
 public:
  explicit Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  std::size_t size() const { return rows_.size(); }
  void add(std::vector<std::string> row);  // one cell a column, else an assertion: our own bug

  // An Error that lists the columns there are where it is missing.
  std::size_t column(std::string_view name) const;
  bool has(std::string_view name) const;
  const std::string& text(std::size_t row, std::string_view column) const;
  // The cell as a number; an Error naming row (the first below the header is 1) and column where it
  // is none. An empty cell is NaN.
  double number(std::size_t row, std::string_view column) const;

  std::string to_csv() const;

  bool operator==(const Table&) const = default;

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Throws Error with the line where it is no table (ragged rows, open quotes, two columns of one
// name), introduced by `name`. Lines may end as on Windows; empty lines do not count.
Table parse_csv(std::string_view csv, const std::string& name);

// A number for people: six significant digits at most, no trailing zeros (0.25, 1e-09); whole
// numbers in full (810000, 12345678); "" for NaN.
std::string number_text(double value);

}  // namespace headway
