// Stage types that belong to no study. NAME_stage() declares one, for both programs; run_NAME()
// runs it in the worker, in a file that ends in _native.cc if it needs LibTorch.
#pragma once

#include "lib/analysis/components.h"
#include "lib/figures/kinds.h"
#include "lib/stage/native_stage.h"
#include "stages/training_params.h"

namespace headway {

// Switches off one component at a time.
struct AblateModelParams {
  RemovalMode mode = RemovalMode::kZero;
  std::vector<std::string> components = {"head"};  // names of ComponentKind
  std::string split = "test";
  std::uint64_t seed = 641;

  static SchemaOf<AblateModelParams> schema();
};
StageType ablate_model_stage();
void run_ablate_model(StageContext& context);

// Attention of the heads, for single samples and on average.
struct AttentionMapsParams {
  std::vector<std::string> problems;
  std::int64_t sampled = 4;
  std::string split = "test";
  std::uint64_t seed = 641;

  static SchemaOf<AttentionMapsParams> schema();
};
StageType attention_maps_stage();
void run_attention_maps(StageContext& context);

// Collects the metrics of a sweep's trials. Runs without the worker.
StageType collect_trials_stage();

// A model's accuracy, and its mistakes.
struct EvaluateModelParams {
  std::string split = "test";
  bool exhaustive = false;

  static SchemaOf<EvaluateModelParams> schema();
};
StageType evaluate_model_stage();
void run_evaluate_model(StageContext& context);

// Makes a dataset from files of other programs.
StageType import_dataset_stage();
void run_import_dataset(StageContext& context);

// Draws a figure of one of these kinds with gnuplot.
StageType plot_stage(const FigureKinds& kinds);
void run_plot(const FigureKinds& kinds, StageContext& context);

// Finds the components that can be removed together, and removes them from the model.
struct FineTuneParams : TrainingOptions {
  FineTuneParams() { epochs = 0, lr = 1e-4; }

  static SchemaOf<FineTuneParams> schema();
};
struct PruneModelParams {
  std::vector<std::string> components = {"head"};  // names of ComponentKind
  std::vector<double> tolerances = {1, 5};
  double checkpoint = 1;
  std::int64_t random_orders = 5;
  std::int64_t choose = 1000;
  FineTuneParams fine_tune;
  std::uint64_t seed = 641;

  static SchemaOf<PruneModelParams> schema();
};
StageType prune_model_stage();
void run_prune_model(StageContext& context);

// Activations of some samples, by the names of hooks.
struct RecordActivationsParams {
  std::vector<std::string> hooks;
  std::int64_t samples = 100;
  std::string split = "test";

  static SchemaOf<RecordActivationsParams> schema();
};
StageType record_activations_stage();
void run_record_activations(StageContext& context);

// Runs a command line.
StageType shell_stage();

// Combines several tables into one, for comparison.
StageType tabulate_stage();
void run_tabulate(StageContext& context);

// Trains a transformer: an encoder-decoder, a classifier, or a decoder alone.
template <ModelKind kind, class Shape>
struct TrainModelParams : TrainingOptions, PositionConfig {
  static constexpr ModelKind kKind = kind;
  Shape model;
  Pooling pooling = Pooling::kMean;

  // What depends on the data (tokens, classes, trained lengths) has default values.
  TransformerConfig config() const {
    TransformerConfig config;
    static_cast<TransformerShape&>(config) = model;
    static_cast<PositionConfig&>(config) = *this;
    config.kind = kind;
    config.pooling = pooling;
    config.position_seed = seed;
    return config;
  }
};

struct TrainSeq2SeqParams : TrainModelParams<ModelKind::kEncoderDecoder, TransformerShape> {
  static SchemaOf<TrainSeq2SeqParams> schema();
};
StageType train_seq2seq_stage();

struct ClassifierShape : TransformerShape {
  ClassifierShape() { n_layers = 4; }
};
struct TrainClassifierParams : TrainModelParams<ModelKind::kEncoder, ClassifierShape> {
  TrainClassifierParams() { epochs = 8, lr = 5e-4, warmup = 0.1, shards = 1; }

  static SchemaOf<TrainClassifierParams> schema();
};
StageType train_classifier_stage();

struct DecoderShape : TransformerShape {
  DecoderShape() { norm = NormPlace::kPre; }
};
struct TrainDecoderParams : TrainModelParams<ModelKind::kDecoder, DecoderShape> {
  TrainDecoderParams() { encoding = Encoding::kLearned; }

  static SchemaOf<TrainDecoderParams> schema();
};
StageType train_decoder_stage();

}  // namespace headway
