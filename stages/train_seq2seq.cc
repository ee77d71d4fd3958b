#include "stages/train_seq2seq.h"

#include <fmt/format.h>

namespace headway {
namespace {

constexpr const char* kExample =
    "  train:\n"
    "    uses: train-seq2seq\n"
    "    in: {data: data}\n"
    "    with: {model: {d_model: 128, n_heads: 4}, epochs: 30, lr: 0.001, seed: 641}\n"
    "    resources: {cpus: 2}\n";

SchemaOf<TrainSeq2SeqParams> declare() {
  using Params = TrainSeq2SeqParams;
  SchemaOf<Params> schema;
  schema.add_group(
      "model", &Params::model,
      transformer_schema<TransformerShape>(
          "layers of the encoder, and of the decoder",
          "share dropped while training, of what each sublayer adds and inside feed-forward blocks",
          "share of attention weights dropped while training; for exact digits even 0.1 is too "
          "much"),
      "shape of the transformer");
  add_training_params(schema);
  return schema;
}

void check(const StageDeclaration& stage, Diagnostics& diagnostics) {
  const TransformerShape model = train_seq2seq_schema().read(to_json(stage.params)).model;
  if (model.d_model % model.n_heads == 0) return;
  const Value* given = stage.params.find("model");
  const Value* heads = given ? given->find("n_heads") : nullptr;
  diagnostics.add((heads ? heads : &stage.params)->location,
                  fmt::format("{}: d_model ({}) must be divisible by n_heads ({})", stage.subject,
                              model.d_model, model.n_heads));
}

}  // namespace

const SchemaOf<TrainSeq2SeqParams>& train_seq2seq_schema() {
  static const SchemaOf<TrainSeq2SeqParams> kSchema = declare();
  return kSchema;
}

StageType train_seq2seq_stage() {
  StageType type;
  type.name = "train-seq2seq";
  type.version = 2;
  type.summary = "trains an encoder-decoder transformer, and keeps the best by greedy exact match";
  type.example = kExample;
  type.params = std::make_shared<SchemaOf<TrainSeq2SeqParams>>(train_seq2seq_schema());
  type.inputs = {{.name = "data", .help = "dataset of generate-addition or import-dataset"}};
  type.outputs =
      training_outputs("val_loss, token_accuracy, teacher_forced and greedy exact match");
  type.prefix_params = training_prefix_params();
  type.check = check;
  return type;
}

}  // namespace headway
