// What all training stages do with their parameters and results.
#pragma once

#include "lib/stage/native_stage.h"
#include "lib/train/training.h"
#include "stages/training_params.h"

namespace headway {

TrainingOptions training_options(const TrainingParams& params, const DropoutRates& dropout);

// Outputs log, timing and metrics: best_epoch, epochs, parameters, and what the best epoch reached.
void write_training(const StageContext& context, const TrainingResult& result);

}  // namespace headway
