// `training-summary`: what each training came to, and what it took.
#pragma once

#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// Logs: columns epoch, val_loss, and accuracy or else greedy (fractions; empty cells are epochs
// that were not measured). Tables with a column seconds are timings, of the log with the same name.
Figure draw_training_summary(const std::vector<NamedTable>& tables, const FigureOptions& options);

}  // namespace headway
