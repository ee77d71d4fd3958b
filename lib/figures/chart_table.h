// Any tables as a chart: the options say what their columns mean.
#pragma once

#include <vector>

#include "lib/figures/chart.h"

namespace headway {

// Options x and y: columns. `low` and `high`: columns with the ends of an interval, for each of y.
// Each table, each value of the column `series` and each column of y is a series; each value of the
// column `panels` is a panel. x must be numbers; but of points, texts become categories, and of
// bars everything does. Numbers stand in ascending order, texts in order of appearance. An empty
// cell of y is a gap. `log` lists the axes that are logarithmic: "x", "y".
//
// Throws Error if a column is missing, a number is missing or cannot be drawn, two rows have one
// place on a line or in a bar, or there is more than can be shown: nothing is left out.
Chart read_chart(const std::vector<NamedTable>& tables, const FigureOptions& options,
                 ChartStyle style);

// Throws Error if an option is missing or contradicts another. Needs no tables.
void check_chart_options(const FigureOptions& options, ChartStyle style);

}  // namespace headway
