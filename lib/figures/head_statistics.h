// `head-statistics`: what each head attends to, as a heat map of heads and statistics.
#pragma once

#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// A column label, and one for each statistic (0..1): all columns but head, label, module, layer and
// index. An empty cell is a statistic that does not apply to that head.
Figure draw_head_statistics(const std::vector<NamedTable>& tables, const FigureOptions& options);

}  // namespace headway
