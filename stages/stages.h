// Stage types that belong to no study. NAME_stage() declares one, for both programs; run_NAME()
// runs it in the worker, in native_stages.cc or a file that ends in _native.cc if it needs
// LibTorch.
#pragma once

#include "lib/figures/kinds.h"
#include "lib/stage/native_stage.h"
#include "stages/training_params.h"

namespace headway {

// Switches off one head at a time.
enum class RemovalMode { kZero, kMean };
template <>
inline constexpr std::string_view kNamesOf<RemovalMode>[] = {"zero", "mean"};
struct AblateHeadsParams {
  RemovalMode mode = RemovalMode::kZero;
  std::string split = "test";

  static SchemaOf<AblateHeadsParams> schema();
};
StageType ablate_heads_stage();

// Collects the metrics of a sweep's trials. Runs without the worker.
StageType collect_trials_stage();

// Draws a figure of one of these kinds with gnuplot.
StageType plot_stage(const FigureKinds& kinds);
void run_plot(const FigureKinds& kinds, StageContext& context);

// Finds the heads that can be removed together, and removes them from the model.
struct FineTuneParams : TrainingOptions {
  FineTuneParams() { epochs = 0, lr = 1e-4; }

  static SchemaOf<FineTuneParams> schema();
};
struct PruneHeadsParams {
  std::vector<double> tolerances = {1, 5};
  double checkpoint = 1;
  std::int64_t random_orders = 5;
  std::int64_t choose = 1000;
  FineTuneParams fine_tune;
  std::uint64_t seed = 641;

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
struct TrainSeq2SeqParams : TrainingOptions {
  TransformerShape model;

  static SchemaOf<TrainSeq2SeqParams> schema();
};
StageType train_seq2seq_stage();

}  // namespace headway
