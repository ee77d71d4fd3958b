// `train-classifier`: trains a transformer encoder to classify sequences. The declaration; what
// runs it is in train_classifier_native.cc.
#pragma once

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"
#include "stages/training_params.h"

namespace headway {

struct ClassifierModelParams : TransformerShape {
  ClassifierModelParams() { n_layers = 4; }
};

struct TrainClassifierParams : TrainingParams {
  TrainClassifierParams() {
    epochs = 8;
    lr = 5e-4;
    warmup = 0.1;
    shards = 1;
  }
  ClassifierModelParams model;
  std::string encoding = "sinusoidal";
  std::string pooling = "mean";
  std::string beyond = "clamp";
  double position_scale = 0.7;
  std::string alibi = "directional";
  std::int64_t buckets = 32;
  std::int64_t farthest = 128;
};

const SchemaOf<TrainClassifierParams>& train_classifier_schema();
StageType train_classifier_stage();

void run_train_classifier(StageContext& context);

}  // namespace headway
