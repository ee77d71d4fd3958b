// What the stages of this study read.
#pragma once

#include "lib/extrapolation/sorting.h"
#include "lib/nn/classifier_config.h"
#include "lib/stage/native_stage.h"

namespace headway {

SortingData read_sorting_data(const StageContext& context);  // input `data`

// Lets the learned positions of a trained model go on in another way. `beyond` is "model", which
// changes nothing, or one of kBeyondNames: then an Error unless the positions are learned.
void choose_beyond(const std::string& beyond, ClassifierConfig& config);

}  // namespace headway
