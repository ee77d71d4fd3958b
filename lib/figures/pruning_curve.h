// `pruning-curve`: accuracy against the number of heads removed together, by strategy.
#pragma once

#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// Columns strategy, removed, accuracy and its interval low, high (fractions). Several tables give
// panels side by side.
Figure draw_pruning_curve(const std::vector<NamedTable>& tables, const FigureOptions& options);

}  // namespace headway
