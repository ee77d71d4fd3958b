// What every kind of figure asks of its tables, with errors that name the table, row and column.
#pragma once

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

}  // namespace headway
