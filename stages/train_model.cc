// The three stage types that train transformers. What differs is the kind of model, and defaults.
#include "lib/base/error.h"
#include "lib/train/measures.h"
#include "stages/params.h"
#include "stages/stages.h"

namespace headway {
namespace {

// Refuses impossible shapes before anything runs. What the data decides has values that fit.
template <class Params>
void check_train_model(const StageDeclaration& stage, Diagnostics& diagnostics) {
  TransformerConfig config = read_params<Params>(stage).config();
  if (config.kind == ModelKind::kEncoder) config.classes = 2;
  const Value* model = stage.params.find("model");
  const Value* heads = model ? model->find("n_heads") : nullptr;
  const Value* place = heads && config.d_model % config.n_heads != 0 ? heads : model;
  try {
    config.check();
  } catch (const Error& error) {
    diagnostics.add((place ? place : &stage.params)->location, stage.subject + ": " + error.what());
  }
}

template <class Params>
StageType train_model_stage(StageType type, const char* data) {
  const std::vector<std::string> measures = measures_of(Params::kKind);
  type.params = schema_of<Params>();
  type.inputs = {{"data", data}};
  type.outputs = training_outputs(measures);
  type.metrics = training_metrics(measures);
  type.prefix_params = training_prefix_params();
  type.check = check_train_model<Params>;
  return type;
}

}  // namespace

SchemaOf<TrainSeq2SeqParams> TrainSeq2SeqParams::schema() {
  using Params = TrainSeq2SeqParams;
  SchemaOf<Params> schema;
  schema.add_group(
      "model", &Params::model,
      transformer_schema<TransformerShape>(
          "layers of the encoder, and of the decoder",
          "share dropped while training, of what each sublayer adds and inside feed-forward layers",
          "share of attention weights dropped while training; for exact digits even 0.1 is too "
          "much"),
      "shape of the transformer");
  add_position_params(schema);
  add_alibi_param(schema);
  add_training_params(schema);
  return schema;
}

SchemaOf<TrainClassifierParams> TrainClassifierParams::schema() {
  using Params = TrainClassifierParams;
  SchemaOf<Params> schema;
  schema.add_group("model", &Params::model,
                   transformer_schema<ClassifierShape>(
                       "layers of the encoder",
                       "share dropped while training, of what each sublayer adds, inside "
                       "feed-forward layers and before the last layer",
                       "share of attention weights dropped while training"),
                   "shape of the transformer");
  add_position_params(schema);
  add_alibi_param(schema);
  schema.add("pooling", &Params::pooling,
             "how a sequence becomes one vector; multi: min, least and mean difference of "
             "neighbours, first and last, projected back to d_model");
  add_training_params(schema);
  return schema;
}

SchemaOf<TrainDecoderParams> TrainDecoderParams::schema() {
  using Params = TrainDecoderParams;
  SchemaOf<Params> schema;
  schema.add_group("model", &Params::model,
                   transformer_schema<DecoderShape>(
                       "layers of the decoder",
                       "share dropped while training, of what each sublayer adds and inside "
                       "feed-forward layers",
                       "share of attention weights dropped while training"),
                   "shape of the transformer");
  add_position_params(schema);
  add_training_params(schema);
  return schema;
}

StageType train_seq2seq_stage() {
  return train_model_stage<TrainSeq2SeqParams>(
      {.name = "train-seq2seq",
       .version = 4,
       .summary = "trains an encoder-decoder transformer, and keeps the best by greedy exact match",
       .example =
           "  train:\n"
           "    uses: train-seq2seq\n"
           "    in: {data: data}\n"
           "    with: {model: {d_model: 128, n_heads: 4}, epochs: 30, lr: 0.001, seed: 641}\n"
           "    resources: {cpus: 2}\n"},
      "dataset with target sequences");
}

StageType train_classifier_stage() {
  return train_model_stage<TrainClassifierParams>(
      {.name = "train-classifier",
       .version = 3,
       .summary =
           "trains a transformer encoder to classify sequences, and keeps the best by accuracy",
       .example = "  train:\n"
                  "    uses: train-classifier\n"
                  "    in: {data: data}\n"
                  "    with: {encoding: alibi, pooling: max, epochs: 8, seed: 641}\n"},
      "dataset with labels");
}

StageType train_decoder_stage() {
  return train_model_stage<TrainDecoderParams>(
      {.name = "train-decoder",
       .summary = "trains a decoder-only transformer on next tokens, and keeps the best by exact "
                  "match, then by loss; of plain sequences by loss alone",
       .example =
           "  train:\n"
           "    uses: train-decoder\n"
           "    in: {data: data}\n"
           "    with: {model: {n_layers: 2, ffn: none}, encoding: learned, epochs: 20, seed: 641}\n"
           "    resources: {cpus: 2}\n"},
      "dataset with target sequences, or of plain sequences");
}

}  // namespace headway
