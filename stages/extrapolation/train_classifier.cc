#include "lib/base/error.h"
#include "stages/extrapolation/stages.h"
#include "stages/params.h"

namespace headway {
namespace {

const std::vector<std::string> kMeasures = {"val_loss", "accuracy"};

void check_train_classifier(const StageDeclaration& stage, Diagnostics& diagnostics) {
  try {
    read_params<TrainClassifierParams>(stage).shape().check();
  } catch (const Error& error) {
    const Value* model = stage.params.find("model");
    diagnostics.add((model ? model : &stage.params)->location, stage.subject + ": " + error.what());
  }
}

}  // namespace

SchemaOf<TrainClassifierParams> TrainClassifierParams::schema() {
  using Params = TrainClassifierParams;
  SchemaOf<Params> schema;
  schema.add_group("model", &Params::model,
                   transformer_schema<ClassifierModelParams>(
                       "layers of the encoder",
                       "share dropped while training, of what each sublayer adds, inside "
                       "feed-forward blocks and before the last layer",
                       "share of attention weights dropped while training"),
                   "shape of the transformer");
  schema.add(
      "encoding", &Params::encoding,
      "how the model knows positions; sinusoidal, learned: vectors added to the tokens; rope: "
      "queries and keys turned by their positions; alibi: a penalty on attention that grows "
      "with the distance; relative: a learned bias for each range of distances (T5); none");
  schema.add("pooling", &Params::pooling,
             "how a sequence becomes one vector; multi: min, least and mean difference of "
             "neighbours, first and last, projected back to d_model");
  schema.add("beyond", &Params::beyond,
             "of learned positions past the last trained one; clamp: they are the last trained "
             "one; untrained: vectors as training started from");
  schema
      .add("position_scale", &Params::position_scale,
           "of learned positions: their deviation at the start; that of tokens is 1")
      .between(0, 1000);
  schema.add("alibi", &Params::alibi,
             "of alibi; directional: half of the heads look back only, half ahead only; symmetric: "
             "all look both ways");
  schema
      .add("buckets", &Params::buckets,
           "of relative positions: how many ranges of distances have a bias, both ways together")
      .between(4, 65536);
  schema
      .add("farthest", &Params::farthest,
           "of relative positions: the distance from which on all are one range")
      .between(2, 1 << 20);
  add_training_params(schema);
  return schema;
}

ClassifierConfig TrainClassifierParams::shape() const {
  ClassifierConfig config = *this;
  static_cast<TransformerShape&>(config) = model;
  config.position_seed = seed;
  return config;
}

StageType train_classifier_stage() {
  return {.name = "train-classifier",
          .version = 2,
          .summary =
              "trains a transformer encoder to classify sequences, and keeps the best by accuracy",
          .example =
              "  train:\n"
              "    uses: train-classifier\n"
              "    in: {data: data}\n"
              "    with: {encoding: alibi, pooling: max, epochs: 8, seed: 641}\n",
          .params = schema_of<TrainClassifierParams>(),
          .inputs = {{"data", "dataset of generate-sorting"}},
          .outputs = training_outputs(kMeasures),
          .metrics = training_metrics(kMeasures),
          .prefix_params = training_prefix_params(),
          .check = check_train_classifier};
}

}  // namespace headway
