#include "lib/base/error.h"
#include "stages/extrapolation/stages.h"
#include "stages/params.h"

namespace headway {
namespace {

template <std::size_t N>
std::vector<std::string> names_of(const std::string_view (&names)[N]) {
  return {std::begin(names), std::end(names)};
}

void check(const StageDeclaration& stage, Diagnostics& diagnostics) {
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
  schema
      .add("encoding", &Params::encoding,
           "how the model knows positions; sinusoidal, learned: vectors added to the tokens; rope: "
           "queries and keys turned by their positions; alibi: a penalty on attention that grows "
           "with the distance; relative: a learned bias for each range of distances (T5); none")
      .one_of(names_of(kEncodingNames));
  schema
      .add(
          "pooling", &Params::pooling,
          "how a sequence becomes one vector; multi: min, least and mean difference of neighbours, "
          "first and last, projected back to d_model")
      .one_of(names_of(kPoolingNames));
  schema
      .add("beyond", &Params::beyond,
           "of learned positions past the last trained one; clamp: they are the last trained one; "
           "untrained: vectors as training started from")
      .one_of(names_of(kBeyondNames));
  schema
      .add("position_scale", &Params::position_scale,
           "of learned positions: their deviation at the start; that of tokens is 1")
      .at_least(0)
      .at_most(1000);
  schema
      .add("alibi", &Params::alibi,
           "of alibi; directional: half of the heads look back only, half ahead only; symmetric: "
           "all look both ways")
      .one_of(names_of(kAlibiNames));
  schema
      .add("buckets", &Params::buckets,
           "of relative positions: how many ranges of distances have a bias, both ways together")
      .at_least(4)
      .at_most(65536);
  schema
      .add("farthest", &Params::farthest,
           "of relative positions: the distance from which on all are one range")
      .at_least(2)
      .at_most(1 << 20);
  add_training_params(schema);
  return schema;
}

ClassifierConfig TrainClassifierParams::shape() const {
  ClassifierConfig config;
  static_cast<TransformerShape&>(config) = model;
  config.encoding = value_of<Encoding>(kEncodingNames, encoding);
  config.pooling = value_of<Pooling>(kPoolingNames, pooling);
  config.beyond = value_of<Beyond>(kBeyondNames, beyond);
  config.position_scale = position_scale;
  config.position_seed = static_cast<std::uint64_t>(seed);
  config.alibi = value_of<AlibiShape>(kAlibiNames, alibi);
  config.buckets = buckets;
  config.farthest = farthest;
  return config;
}

StageType train_classifier_stage() {
  return {.name = "train-classifier",
          .summary =
              "trains a transformer encoder to classify sequences, and keeps the best by accuracy",
          .example =
              "  train:\n"
              "    uses: train-classifier\n"
              "    in: {data: data}\n"
              "    with: {encoding: alibi, pooling: max, epochs: 8, seed: 641}\n",
          .params = schema_of<TrainClassifierParams>(),
          .inputs = {{"data", "dataset of generate-sorting"}},
          .outputs = training_outputs("val_loss, accuracy"),
          .prefix_params = training_prefix_params(),
          .check = check};
}

}  // namespace headway
