// Stage types of the extrapolation study. NAME_stage() declares one, run_NAME() runs it.
#pragma once

#include "lib/extrapolation/sorting.h"
#include "lib/nn/classifier_config.h"
#include "lib/stage/native_stage.h"
#include "stages/training_params.h"

namespace headway {

struct GenerateSortingParams : SortingRecipe, SortingSizes {
  std::string negatives = "swaps";
  std::int64_t seed = 641;

  static SchemaOf<GenerateSortingParams> schema();
  SortingRecipe recipe() const;
};
StageType generate_sorting_stage();
void run_generate_sorting(StageContext& context);

// Trains a transformer encoder to classify sequences.
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

  static SchemaOf<TrainClassifierParams> schema();
  // The model's shape. What depends on the data (vocabulary, trained lengths) has default values.
  ClassifierConfig shape() const;
};
StageType train_classifier_stage();
void run_train_classifier(StageContext& context);

// A classifier's accuracy at every length.
struct ExtrapolateParams {
  std::string beyond = "model";
  double confidence = 0.9;
  std::int64_t failures = 5;

  static SchemaOf<ExtrapolateParams> schema();
};
StageType extrapolate_stage();
void run_extrapolate(StageContext& context);

// Properties of a model's positional encoding.
struct AnalyzePositionsParams {
  std::int64_t positions = 64;
  std::vector<std::int64_t> shifts = {1, 2, 4, 8};
  std::string beyond = "model";

  static SchemaOf<AnalyzePositionsParams> schema();
};
StageType analyze_positions_stage();
void run_analyze_positions(StageContext& context);

}  // namespace headway
