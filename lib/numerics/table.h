// A table with named text columns, stored as CSV (RFC 4180). Analyses write it, figures read it,
// and people open it in a spreadsheet. Use `number_text` for numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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
  void add(std::vector<std::string> row);  // asserts one cell for each column

  // Throws Error that lists the columns if this one is missing.
  std::size_t column(std::string_view name) const;
  bool has(std::string_view name) const;
  const std::string& text(std::size_t row, std::string_view column) const;
  // The cell as a number; NaN if it is empty. Throws Error with row (from 1, without the header)
  // and column if it is not a number.
  double number(std::size_t row, std::string_view column) const;

  std::string to_csv() const;

  bool operator==(const Table&) const = default;

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Throws Error that begins with `name` and has the line if the text is not a table (ragged rows,
// open quotes, duplicate columns). Accepts Windows line ends; skips empty lines.
Table parse_csv(std::string_view csv, const std::string& name);

// The same row by row, for what is too large for a Table: gives `each` the line on which a row
// begins and its cells. The first row has the columns.
void read_csv(std::string_view csv, const std::string& name,
              const std::function<void(int line, std::vector<std::string>&& cells)>& each);

// For people: at most six significant digits, no trailing zeros (0.25, 1e-09); integers in full
// (810000, 12345678); "" for NaN.
std::string number_text(double value);
// The number that the whole text is; nullopt for any other text.
std::optional<double> parse_number(std::string_view text);

}  // namespace headway
