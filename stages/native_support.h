// Helpers for native stages: reading and writing datasets and models, progress, training.
#pragma once

#include "lib/data/seq2seq_data.h"
#include "lib/nn/checkpoint.h"
#include "lib/stage/native_stage.h"
#include "lib/train/batches.h"
#include "lib/train/training.h"
#include "stages/artifacts.h"

namespace headway {

// Reads the input `data`. Throws Error if its tokens are not the expected ones.
Seq2SeqData read_data(const StageContext& context, const Vocabulary* expected = nullptr);
// Reads the input `model`. Throws Error if it was made for other tokens than the data's.
Checkpoint read_checkpoint(const StageContext& context, const Seq2SeqData& data);
ClassifierCheckpoint read_classifier(const StageContext& context);  // input `model`

// Writes the outputs `model` and `config`: the checkpoint, and a description of it as JSON for
// other programs. `tokens` are their texts, in the order of their numbers.
void write_model(const StageContext& context, const TensorFile& checkpoint,
                 const std::vector<std::string>& tokens);

// Reports progress over `total` problems: "384 of 2000 problems". Throws Cancelled when the stage
// should stop.
EachBatch batch_progress(StageContext& context, std::int64_t total);

// Callbacks for a training, with its state in the stage's partial folder. It is the last part of
// the stage, from `begins` (0..1) on. A `name` precedes its progress and log lines.
TrainingWatch training_watch(StageContext& context, const std::string& state_file,
                             const std::string& name = "", double begins = 0);

// Trains a model with these shapes from the start, or from the state of an interrupted run. Writes
// the outputs log, timing, events (while it trains) and metrics (best_epoch, epochs, parameters,
// and the best epoch's metrics). The caller writes the model.
TrainingResult run_training(StageContext& context, TrainingTask& task,
                            std::vector<ParameterShape> shapes, const TrainingOptions& params,
                            const TransformerShape& model);

}  // namespace headway
