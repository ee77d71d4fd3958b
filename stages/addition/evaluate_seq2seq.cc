#include "stages/addition/evaluate_seq2seq.h"

namespace headway {
namespace {

constexpr const char* kExample =
    "  evaluate:\n"
    "    uses: evaluate-seq2seq\n"
    "    in: {model: train, data: data}\n"
    "    with: {split: test}\n"
    "    expect: {greedy: \">= 0.999\"}\n";

SchemaOf<EvaluateSeq2SeqParams> declare() {
  using Params = EvaluateSeq2SeqParams;
  SchemaOf<Params> schema;
  schema.add("split", &Params::split, "of the dataset").one_of({"train", "val", "test"});
  schema.add("exhaustive", &Params::exhaustive,
             "every addition of as many digits as the split's, instead of the split: 810,000 for 3 "
             "digits; at most 4 digits");
  return schema;
}

}  // namespace

const SchemaOf<EvaluateSeq2SeqParams>& evaluate_seq2seq_schema() {
  static const SchemaOf<EvaluateSeq2SeqParams> kSchema = declare();
  return kSchema;
}

StageType evaluate_seq2seq_stage() {
  StageType type;
  type.name = "evaluate-seq2seq";
  type.version = 2;
  type.summary = "exact match of a model, by what makes problems hard, and every failure";
  type.example = kExample;
  type.params = std::make_shared<SchemaOf<EvaluateSeq2SeqParams>>(evaluate_seq2seq_schema());
  type.inputs = {{.name = "model", .help = "checkpoint of train-seq2seq or prune-heads"},
                 {.name = "data", .help = "dataset of generate-addition or import-dataset"}};
  type.outputs = {
      {.name = "table",
       .file = "accuracy.csv",
       .help = "greedy exact match with 95 % intervals (Wilson): of all, by number of carries, by "
               "longest carry chain, by leading digit of the target; and the share of right digits "
               "by position",
       .location = {}},
      {.name = "failures",
       .file = "failures.txt",
       .help = "every problem it gets wrong: 374+814=1188, predicted 0188",
       .location = {}},
      {.name = "metrics",
       .file = "metrics.json",
       .help = "greedy (exact match of its own output), greedy_low, greedy_high, teacher_forced "
               "(exact match when fed the right prefix, which is the same number), token_accuracy "
               "(share of right digits when fed the right prefix), digit_accuracy, failures, "
               "problems, loss",
       .location = {}}};
  return type;
}

}  // namespace headway
