// `train-seq2seq`: trains the encoder-decoder transformer. The declaration; what runs it is in
// train_seq2seq_native.cc.
#pragma once

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct Seq2SeqModelParams {
  std::int64_t d_model = 128;
  std::int64_t n_heads = 4;
  std::int64_t n_layers = 2;
  std::int64_t d_ff = 512;
  double dropout = 0.1;
  double attention_dropout = 0;
};

struct TrainSeq2SeqParams {
  Seq2SeqModelParams model;
  std::int64_t epochs = 30;
  std::int64_t schedule_epochs = 0;
  std::int64_t batch = 64;
  double lr = 1e-3;
  double warmup = 0.05;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double weight_decay = 0.01;
  double clip = 1;
  std::int64_t patience = 0;
  std::int64_t shards = 2;
  std::int64_t seed = 641;
};

const SchemaOf<TrainSeq2SeqParams>& train_seq2seq_schema();
StageType train_seq2seq_stage();

void run_train_seq2seq(StageContext& context);

}  // namespace headway
