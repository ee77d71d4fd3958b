// Several tables as one that people compare: a row for each table, a column for each value of one
// of its columns.
#pragma once

#include <vector>

#include "lib/figures/figure.h"

namespace headway {

struct PivotOptions {
  std::string value;                    // the column that is shown
  std::string across;                   // the column whose values become columns
  std::vector<std::string> by = {};     // columns that tell rows of one table apart
  std::vector<std::string> first = {};  // values of `across` whose columns stand first
  bool percent = false;                 // shares as percentages, with one decimal
};

// Columns: those of `by`, item (the table's name), then the values of `across`: those of `first`,
// then all in the order in which they appear. Rows: by `by`, then in the order of the tables. A
// cell is empty where a table has no such row. Throws Error where a column is missing, where two
// rows would share a cell, or where `first` has a value that no table has.
Table pivot(const std::vector<NamedTable>& tables, const PivotOptions& options);

// As a Markdown table. Cells are escaped.
std::string to_markdown(const Table& table);

}  // namespace headway
