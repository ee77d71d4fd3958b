// Stage types that belong to no study. NAME_stage() declares one, for both programs; run_NAME()
// runs it in the worker. Files that need LibTorch end in _native.cc.
#pragma once

#include "lib/figures/kinds.h"
#include "lib/stage/native_stage.h"
#include "stages/training_params.h"

namespace headway {

// Switches off one head at a time.
struct AblateHeadsParams {
  std::string mode = "zero";
  std::string split = "test";

  static SchemaOf<AblateHeadsParams> schema();
};
StageType ablate_heads_stage();
void run_ablate_heads(StageContext& context);

// Draws a figure of one of these kinds with gnuplot.
StageType plot_stage(const FigureKinds& kinds);
void run_plot(const FigureKinds& kinds, StageContext& context);

// Finds the heads that can be removed together, and removes them from the model.
struct FineTuneParams {
  std::int64_t epochs = 0;
  double lr = 1e-4;
  std::int64_t batch = 64;
  std::int64_t shards = 2;

  static SchemaOf<FineTuneParams> schema();
};
struct PruneHeadsParams {
  std::vector<double> tolerances = {1, 5};
  double checkpoint = 1;
  std::int64_t random_orders = 5;
  std::int64_t choose = 1000;
  FineTuneParams fine_tune;
  std::int64_t seed = 641;

  static SchemaOf<PruneHeadsParams> schema();
};
StageType prune_heads_stage();
void run_prune_heads(StageContext& context);

// Runs a command line.
StageType shell_stage();

// Combines several tables into one, for comparison.
StageType tabulate_stage();
void run_tabulate(StageContext& context);

// Trains the encoder-decoder transformer.
struct TrainSeq2SeqParams : TrainingParams {
  TransformerShape model;

  static SchemaOf<TrainSeq2SeqParams> schema();
};
StageType train_seq2seq_stage();
void run_train_seq2seq(StageContext& context);

}  // namespace headway
