// Combines tables for comparison: one row for each table, one column for each value of a column.
#pragma once

#include <vector>

#include "lib/figures/figure.h"

namespace headway {

struct PivotOptions {
  std::string value;                    // the column shown
  std::string across;                   // the column whose values become columns
  std::vector<std::string> by = {};     // columns that distinguish rows of one table
  std::vector<std::string> first = {};  // values of `across` to put first
  bool percent = false;                 // shares as percentages, with one decimal
};

// Columns: `by`, item (the table's name), then the values of `across`: `first`, then in order of
// appearance. Rows: by `by`, then in the order of the tables. Missing cells are empty. Throws Error
// if a column is missing, two rows share a cell, or no table has a value in `first`.
Table pivot(const std::vector<NamedTable>& tables, const PivotOptions& options);

// As a Markdown table, escaped.
std::string to_markdown(const Table& table);

}  // namespace headway
