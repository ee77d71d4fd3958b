// `train-seq2seq`: trains the encoder-decoder transformer. The declaration; what runs it is in
// train_seq2seq_native.cc.
#pragma once

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"
#include "stages/training_params.h"

namespace headway {

struct Seq2SeqModelParams {
  std::int64_t d_model = 128;
  std::int64_t n_heads = 4;
  std::int64_t n_layers = 2;
  std::int64_t d_ff = 512;
  double dropout = 0.1;
  double attention_dropout = 0;
};

struct TrainSeq2SeqParams : TrainingParams {
  Seq2SeqModelParams model;
};

const SchemaOf<TrainSeq2SeqParams>& train_seq2seq_schema();
StageType train_seq2seq_stage();

void run_train_seq2seq(StageContext& context);

}  // namespace headway
