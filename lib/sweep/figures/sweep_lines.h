// `sweep-lines`: a metric of a sweep's trials against one of its axes.
#pragma once

#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// The table of a sweep (sweep_table.h). A line for each combination of the other axes, of means and
// 95 % intervals over seeds.
Figure draw_sweep_lines(const std::vector<NamedTable>& tables, const FigureOptions& options);

}  // namespace headway
