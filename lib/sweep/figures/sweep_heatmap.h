// `sweep-heatmap`: a metric of a sweep's trials by two of its axes.
#pragma once

#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// The table of a sweep (sweep_table.h). Cells are labelled with the mean over seeds; a panel for
// each combination of the other axes. With two axes, the first goes to the right.
Figure draw_sweep_heatmap(const std::vector<NamedTable>& tables, const FigureOptions& options);

}  // namespace headway
