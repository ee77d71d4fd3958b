// `extrapolation`: accuracy on sequences longer than those of the training.
#pragma once

#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// Columns length, negatives (how the wrong sequences were made: a panel each), accuracy and its
// interval low, high (fractions), trained_from, trained_to (lengths). Several tables are lines.
Figure draw_extrapolation(const std::vector<NamedTable>& tables, const FigureOptions& options);

}  // namespace headway
