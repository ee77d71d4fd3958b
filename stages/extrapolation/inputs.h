// Inputs of this study's stages.
#pragma once

#include "lib/extrapolation/sorting.h"
#include "lib/nn/classifier_config.h"
#include "lib/stage/native_stage.h"

namespace headway {

SortingData read_sorting_data(const StageContext& context);  // input `data`

// Changes how a trained model's learned positions continue. `beyond` is "model" (no change) or one
// of kBeyondNames; then throws Error unless the positions are learned.
void choose_beyond(const std::string& beyond, ClassifierConfig& config);

}  // namespace headway
