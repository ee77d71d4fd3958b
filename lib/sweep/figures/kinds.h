// Figures of sweeps, drawn from the trial table (sweep_table.h).
#pragma once

#include "lib/figures/kinds.h"

namespace headway {

FigureKinds sweep_figure_kinds();

// A metric against one axis, with means and 95 % intervals over seeds. One line for each
// combination of the other axes.
Figure draw_sweep_lines(const std::vector<NamedTable>& tables, const FigureOptions& options);

// A metric against two axes, as means over seeds. One panel for each combination of the other axes.
// If the sweep has two axes, the first is horizontal.
Figure draw_sweep_heatmap(const std::vector<NamedTable>& tables, const FigureOptions& options);

// One line for each configuration, across all axes to its mean metric.
Figure draw_parallel_coordinates(const std::vector<NamedTable>& tables,
                                 const FigureOptions& options);

}  // namespace headway
