// `carry-accuracy`: accuracy by what makes an addition hard, a panel for each grouping.
#pragma once

#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// Columns group (carries, chain, leading, position; also `all`), value, count, greedy and its
// interval low, high, and teacher_forced (fractions). One table.
Figure draw_carry_accuracy(const std::vector<NamedTable>& tables, const FigureOptions& options);

}  // namespace headway
