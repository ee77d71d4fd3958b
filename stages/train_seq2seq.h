// `train-seq2seq`: trains the encoder-decoder transformer. The declaration; what runs it is in
// train_seq2seq_native.cc.
#pragma once

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"
#include "stages/training_params.h"

namespace headway {

struct TrainSeq2SeqParams : TrainingParams {
  TransformerShape model;
};

const SchemaOf<TrainSeq2SeqParams>& train_seq2seq_schema();
StageType train_seq2seq_stage();

void run_train_seq2seq(StageContext& context);

}  // namespace headway
