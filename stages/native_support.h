// Helpers for native stages: reading and writing datasets and models, progress, training.
#pragma once

#include "lib/data/sample_source.h"
#include "lib/nn/checkpoint.h"
#include "lib/stage/native_stage.h"
#include "lib/train/batches.h"
#include "lib/train/training.h"
#include "stages/artifacts.h"

namespace headway {

// A trained model for this data.
Checkpoint checkpoint_for(const TransformerConfig& config, const Dataset& data,
                          const Parameters& parameters);

// Reads the input `model`.
Checkpoint read_checkpoint(const StageContext& context);
// The same; throws Error if it cannot answer this data: made for other tokens or classes, or
// another kind of target.
Checkpoint read_checkpoint(const StageContext& context, const Dataset& data);

// Copies the split's first samples; all if there are no more.
Split first_of(const Split& split, std::int64_t count);

// Writes the outputs `model` and `config`: the checkpoint, and a description of it as JSON for
// other programs.
void write_model(const StageContext& context, const Checkpoint& checkpoint);

// Writes to the log that drops in points say little, if the whole model is seldom right.
void warn_if_seldom_right(double share, double largest_drop);

// Reports progress over `total` problems: "384 of 2000 problems". Throws Cancelled when the stage
// should stop.
EachBatch batch_progress(StageContext& context, std::int64_t total);

// Callbacks for a training, with its state in the stage's partial folder. It is the last part of
// the stage, from `begins` (0..1) on. A `name` precedes its progress and log lines.
TrainingWatch training_watch(StageContext& context, const std::string& state_file,
                             const std::string& name = "", double begins = 0);

}  // namespace headway
