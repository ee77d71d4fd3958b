// `head-importance`: by how many points accuracy drops without each head, as bars.
#pragma once

#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// Columns label, class (critical, important, redundant), drop and its interval low, high, in
// points. Several tables (ways of switching a head off) give panels with the same heads in the
// order of the first.
Figure draw_head_importance(const std::vector<NamedTable>& tables, const FigureOptions& options);

}  // namespace headway
