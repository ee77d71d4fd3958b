#include "lib/figures/table_checks.h"

#include <fmt/format.h>

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

}  // namespace headway
