#include "stages/ablate_heads.h"

namespace headway {
namespace {

constexpr const char* kExample =
    "  ablate:\n"
    "    uses: ablate-heads\n"
    "    matrix: {mode: [zero, mean]}\n"
    "    in: {model: train, data: data}\n"
    "    with: {mode: \"${matrix.mode}\"}\n";

SchemaOf<AblateHeadsParams> declare() {
  using Params = AblateHeadsParams;
  SchemaOf<Params> schema;
  schema
      .add("mode", &Params::mode,
           "what stands in for the head's output: zero, or the mean of what it gives at each "
           "position over the validation problems")
      .one_of({"zero", "mean"});
  schema.add("split", &Params::split, "of the dataset, to measure on")
      .one_of({"train", "val", "test"});
  return schema;
}

}  // namespace

const SchemaOf<AblateHeadsParams>& ablate_heads_schema() {
  static const SchemaOf<AblateHeadsParams> kSchema = declare();
  return kSchema;
}

StageType ablate_heads_stage() {
  StageType type;
  type.name = "ablate-heads";
  type.version = 2;
  type.summary = "switches each head off in turn, and ranks them by what that costs";
  type.example = kExample;
  type.params = std::make_shared<SchemaOf<AblateHeadsParams>>(ablate_heads_schema());
  type.inputs = {{.name = "model", .help = "checkpoint of train-seq2seq or prune-heads"},
                 {.name = "data", .help = "dataset of generate-addition or import-dataset"}};
  type.outputs = {
      {.name = "table",
       .file = "heads.csv",
       .help =
           "a row for each head, largest drop first: drop of greedy exact match in points with "
           "a paired 95 % interval (Agresti and Min), what is left (greedy, teacher_forced: the "
           "same number), token_accuracy with teacher forcing, class: critical (more than 10 "
           "points), important, redundant (at most 1)",
       .location = {}},
      {.name = "metrics",
       .file = "metrics.json",
       .help = "greedy and token_accuracy of the whole model, classes, most_critical, largest_drop",
       .location = {}}};
  return type;
}

}  // namespace headway
