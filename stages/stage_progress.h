// How native stages tell what they do, and notice that they should stop.
#pragma once

#include "lib/stage/native_stage.h"
#include "lib/train/map_batches.h"
#include "lib/train/training.h"

namespace headway {

// For what goes over `total` problems in batches: "384 of 2000 problems".
EachBatch batch_progress(StageContext& context, std::int64_t total);

// A training inside a stage, whose state is this file in the stage's partial folder. It is the last
// part of the stage, from `begins` (0..1) on; `name`, where there is one, introduces what it tells.
TrainingWatch training_watch(StageContext& context, const std::string& state_file,
                             const std::string& name = "", double begins = 0);

}  // namespace headway
