// Stage types of the extrapolation study. NAME_stage() declares one, run_NAME() runs it, in the
// worker's extrapolation_native.cc if it needs LibTorch.
#pragma once

#include "lib/extrapolation/sorting.h"
#include "lib/nn/classifier_config.h"
#include "lib/stage/native_stage.h"
#include "stages/training_params.h"

namespace headway {

struct GenerateSortingParams : SortingRecipe, SortingSizes {
  static SchemaOf<GenerateSortingParams> schema();
};
StageType generate_sorting_stage();
void run_generate_sorting(StageContext& context);

// Trains a transformer encoder to classify sequences.
struct ClassifierModelParams : TransformerShape {
  ClassifierModelParams() { n_layers = 4; }
};
struct TrainClassifierParams : TrainingOptions, ClassifierConfig {
  TrainClassifierParams() {
    epochs = 8;
    lr = 5e-4;
    warmup = 0.1;
    shards = 1;
  }
  ClassifierModelParams model;

  static SchemaOf<TrainClassifierParams> schema();
  // The model's shape. What depends on the data (vocabulary, trained lengths) has default values.
  ClassifierConfig shape() const;
};
StageType train_classifier_stage();

// A classifier's accuracy at every length.
struct ExtrapolateParams {
  std::string beyond = "model";
  double confidence = 0.9;
  std::int64_t failures = 5;

  static SchemaOf<ExtrapolateParams> schema();
};
StageType extrapolate_stage();

// Properties of a model's positional encoding.
struct AnalyzePositionsParams {
  std::int64_t positions = 64;
  std::vector<std::int64_t> shifts = {1, 2, 4, 8};
  std::string beyond = "model";

  static SchemaOf<AnalyzePositionsParams> schema();
};
StageType analyze_positions_stage();

}  // namespace headway
