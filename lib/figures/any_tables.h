// Reads tables of which only the options say what their columns mean. Errors name the table, row
// and column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/error.h"
#include "lib/figures/figure.h"
#include "lib/figures/table_axis.h"

namespace headway {

// A row of several tables.
struct RowPlace {
  std::size_t table = 0;
  std::size_t row = 0;
};
std::vector<RowPlace> all_rows(const std::vector<NamedTable>& tables);

// Throws Error unless there is a table, all have rows and these columns, and no two have one name.
void check_tables(const std::vector<NamedTable>& tables, const std::vector<std::string>& columns);

// A column of all tables, with the places of all rows. Without a column: one value for all rows.
PlacedAxis axis_of(const std::vector<NamedTable>& tables, const std::string& column);

// What names a series or panel: "rope", "n_heads 4", and "" without a column.
std::string value_name(const TableAxis& axis, std::size_t value);
// The names that are not empty: "small, n_heads 4".
std::string joined_names(std::vector<std::string> names);
// " (small)" for the only table, whose name would stand nowhere else.
std::string table_in_title(const std::vector<NamedTable>& tables);

// The cell as a number that can be drawn; NaN if it is empty. Throws Error if it is a text, nan,
// too large, or not above 0 on a logarithmic axis.
double drawable_number(const NamedTable& table, std::size_t row, const std::string& column,
                       bool is_log = false);

// Throws Error if there are more than `most`: "30 panels are too many (at most 24); <advice>".
void check_count(std::size_t count, std::size_t most, std::string_view what,
                 std::string_view advice);
// Throws Error that a parameter is missing, with what it means.
void require_option(const char* name, bool is_given, const char* meaning);

// To be thrown: two rows have one place; `what` they share, and an option that can name a column to
// tell them apart.
Error same_place(const NamedTable& table, std::size_t row, std::string_view what,
                 std::string_view option);
// To be thrown: the column is empty in all rows of all tables.
Error no_number(const std::vector<NamedTable>& tables, std::string_view column);

}  // namespace headway
