// `parallel-coordinates`: every configuration of a sweep as a line over all axes to its metric.
#pragma once

#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// The table of a sweep (sweep_table.h). The metric is the mean over seeds.
Figure draw_parallel_coordinates(const std::vector<NamedTable>& tables,
                                 const FigureOptions& options);

}  // namespace headway
