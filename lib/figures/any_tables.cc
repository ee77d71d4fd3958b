#include "lib/figures/any_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "lib/base/text.h"
#include "lib/figures/checks.h"
#include "lib/figures/number_axis.h"

namespace headway {

std::vector<RowPlace> all_rows(const std::vector<NamedTable>& tables) {
  std::vector<RowPlace> rows;
  for (std::size_t table = 0; table < tables.size(); ++table) {
    for (std::size_t row = 0; row < tables[table].table.size(); ++row) rows.push_back({table, row});
  }
  return rows;
}

void check_tables(const std::vector<NamedTable>& tables, const std::vector<std::string>& columns) {
  require_columns(tables, columns);
  std::set<std::string> names;
  for (const NamedTable& table : tables) {
    if (names.insert(table.name).second) continue;
    throw Error("two tables are called '{}': they cannot be told apart", printable(table.name));
  }
}

PlacedAxis axis_of(const std::vector<NamedTable>& tables, const std::string& column) {
  std::vector<std::string> cells;
  for (const NamedTable& table : tables) {
    const std::vector<std::string> texts =
        column.empty() ? std::vector<std::string>(table.table.size()) : column_texts(table, column);
    cells.insert(cells.end(), texts.begin(), texts.end());
  }
  return read_axis(column, cells);
}

std::string value_name(const TableAxis& axis, std::size_t value) {
  if (axis.column.empty()) return "";
  const bool is_number = axis.scale != AxisScale::kCategories;
  return is_number ? axis.column + " " + axis.labels[value] : axis.labels[value];
}

std::string joined_names(std::vector<std::string> names) {
  std::erase(names, "");
  return join(names, ", ");
}

std::string table_in_title(const std::vector<NamedTable>& tables) {
  const bool is_named = tables.size() == 1 && !tables[0].name.empty();
  return is_named ? fmt::format(" ({})", tables[0].name) : "";
}

double drawable_number(const NamedTable& table, std::size_t row, const std::string& column,
                       bool is_log) {
  const double number = optional_number(table, row, column);
  // What diverged must not look like what was not measured.
  if (std::isnan(number) && !table.table.text(row, column).empty())
    throw wrong_cell(table, row, column, "cannot be drawn (only an empty cell is a gap):");
  if (std::abs(number) > kLargestNumber)
    throw wrong_cell(table, row, column, "is too large to be drawn:");
  if (is_log && number <= 0)
    throw wrong_cell(table, row, column, "must be above 0 on a logarithmic axis, not");
  return number;
}

void check_count(std::size_t count, std::size_t most, std::string_view what,
                 std::string_view advice) {
  if (count > most) throw Error("{} {} are too many (at most {}); {}", count, what, most, advice);
}

void require_option(const char* name, bool is_given, const char* meaning) {
  if (!is_given) throw Error("parameter '{}' is missing: {}", name, meaning);
}

Error same_place(const NamedTable& table, std::size_t row, std::string_view what,
                 std::string_view option) {
  return Error(
      "{}, row {}: another row has the same {}; {} can name a column that tells them apart",
      subject_of(table), row + 1, printable(what), option);
}

Error no_number(const std::vector<NamedTable>& tables, std::string_view column) {
  return Error("{}: column '{}' has no number in any row",
               tables.size() == 1 ? subject_of(tables[0]) : "the tables", printable(column));
}

}  // namespace headway
