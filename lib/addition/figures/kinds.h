// Figures of the addition study.
#pragma once

#include "lib/figures/kinds.h"

namespace headway {

FigureKinds addition_figure_kinds();

// Accuracy by what makes an addition hard, one panel for each grouping. Columns group (carries,
// chain, leading, position; also `all`), value, count, greedy and its interval low, high, and
// teacher_forced (fractions). Expects one table.
Figure draw_carry_accuracy(const std::vector<NamedTable>& tables, const FigureOptions& options);

}  // namespace headway
