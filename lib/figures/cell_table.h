// Any tables as a heat map: the options say what their columns mean.
#pragma once

#include <vector>

#include "lib/figures/cell_map.h"

namespace headway {

// Options x, rows and metric: columns. Each pair of values of x and rows is a cell that shows the
// metric. Each table and each value of the column `panels` is a panel. Numbers stand in ascending
// order, texts in order of appearance. An empty cell (or nan) is a gap.
//
// Throws Error if a column is missing, a number cannot be drawn, two rows have one cell, or there
// is more than can be shown: nothing is left out.
CellMap read_cell_map(const std::vector<NamedTable>& tables, const FigureOptions& options);

// Throws Error if an option is missing or contradicts another. Needs no tables.
void check_cell_map_options(const FigureOptions& options);

}  // namespace headway
