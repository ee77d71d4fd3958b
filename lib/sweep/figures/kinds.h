// The figures of sweeps, drawn from the table of a sweep's trials (sweep_table.h).
#pragma once

#include "lib/figures/kinds.h"

namespace headway {

FigureKinds sweep_figure_kinds();

// A metric against one axis: a line for each combination of the other axes, of means and 95 %
// intervals over seeds.
Figure draw_sweep_lines(const std::vector<NamedTable>& tables, const FigureOptions& options);

// A metric by two axes. Cells show the mean over seeds; a panel for each combination of the other
// axes. With two axes, the first goes to the right.
Figure draw_sweep_heatmap(const std::vector<NamedTable>& tables, const FigureOptions& options);

// Every configuration as a line over all axes to its metric, the mean over seeds.
Figure draw_parallel_coordinates(const std::vector<NamedTable>& tables,
                                 const FigureOptions& options);

}  // namespace headway
