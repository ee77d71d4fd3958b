// What native stages share: reading and writing datasets and trained models, progress, training.
#pragma once

#include "lib/data/seq2seq_data.h"
#include "lib/nn/checkpoint.h"
#include "lib/stage/native_stage.h"
#include "lib/train/map_batches.h"
#include "lib/train/training.h"
#include "stages/training_params.h"

namespace headway {

// Input `data`. An Error if its tokens are not the expected ones.
Seq2SeqData read_data(const StageContext& context, const Vocabulary* expected = nullptr);
// Input `model`. An Error if it was not made for the data's tokens.
Checkpoint read_checkpoint(const StageContext& context, const Seq2SeqData& data);
ClassifierCheckpoint read_classifier(const StageContext& context);  // input `model`

void write_checkpoint(const StageContext& context, const Checkpoint& checkpoint);  // output `model`
void write_checkpoint(const StageContext& context, const ClassifierCheckpoint& checkpoint);

// The progress of work on `total` problems in batches: "384 of 2000 problems". Throws Cancelled
// when the stage should stop.
EachBatch batch_progress(StageContext& context, std::int64_t total);

// A training inside a stage, whose state is this file in the stage's partial folder. It is the last
// part of the stage, from `begins` (0..1) on. A `name` introduces its progress and log lines.
TrainingWatch training_watch(StageContext& context, const std::string& state_file,
                             const std::string& name = "", double begins = 0);

// Trains a model of these shapes from the beginning, or from the state of an interrupted run.
// Writes the outputs log, timing and metrics: best_epoch, epochs, parameters, and what the best
// epoch reached. The model is left to the caller.
TrainingResult run_training(StageContext& context, TrainingTask& task,
                            std::vector<ParameterShape> shapes, const TrainingParams& params,
                            const TransformerShape& model);

}  // namespace headway
