#include "stages/params.h"
#include "stages/stages.h"

namespace headway {
namespace {

// The last two are exact match, and the same number.
const std::vector<std::string> kMeasures = {"val_loss", "token_accuracy", "teacher_forced",
                                            "greedy"};

void check_train_seq2seq(const StageDeclaration& stage, Diagnostics& diagnostics) {
  const TransformerShape model = read_params<TrainSeq2SeqParams>(stage).model;
  if (model.d_model % model.n_heads == 0) return;
  const Value* given = stage.params.find("model");
  const Value* heads = given ? given->find("n_heads") : nullptr;
  diagnostics.add((heads ? heads : &stage.params)->location,
                  "{}: d_model ({}) must be divisible by n_heads ({})", stage.subject,
                  model.d_model, model.n_heads);
}

}  // namespace

SchemaOf<TrainSeq2SeqParams> TrainSeq2SeqParams::schema() {
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

StageType train_seq2seq_stage() {
  return {
      .name = "train-seq2seq",
      .version = 3,
      .summary = "trains an encoder-decoder transformer, and keeps the best by greedy exact match",
      .example =
          "  train:\n"
          "    uses: train-seq2seq\n"
          "    in: {data: data}\n"
          "    with: {model: {d_model: 128, n_heads: 4}, epochs: 30, lr: 0.001, seed: 641}\n"
          "    resources: {cpus: 2}\n",
      .params = schema_of<TrainSeq2SeqParams>(),
      .inputs = {kSeq2SeqDataPort},
      .outputs = training_outputs(kMeasures),
      .metrics = training_metrics(kMeasures),
      .prefix_params = training_prefix_params(),
      .check = check_train_seq2seq};
}

}  // namespace headway
