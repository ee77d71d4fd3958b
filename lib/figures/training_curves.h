// `training-curves`: losses and accuracies against the epoch, of one training or of several.
#pragma once

#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// Columns epoch, train_loss, val_loss, and of greedy, accuracy, teacher_forced and token_accuracy
// (fractions) those that are there. Empty cells are epochs that were not measured.
Figure draw_training_curves(const std::vector<NamedTable>& trainings, const FigureOptions& options);

}  // namespace headway
