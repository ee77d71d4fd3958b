#include "stages/addition/stages.h"
#include "stages/params.h"

namespace headway {
SchemaOf<EvaluateSeq2SeqParams> EvaluateSeq2SeqParams::schema() {
  using Params = EvaluateSeq2SeqParams;
  SchemaOf<Params> schema;
  schema.add("split", &Params::split, "of the dataset").one_of(kSplitChoices);
  schema.add("exhaustive", &Params::exhaustive,
             "every addition of as many digits as the split's, instead of the split: 810,000 for 3 "
             "digits; at most 4 digits");
  return schema;
}

StageType evaluate_seq2seq_stage() {
  return {.name = "evaluate-seq2seq",
          .version = 2,
          .summary = "exact match of a model, by what makes problems hard, and every failure",
          .example =
              "  evaluate:\n"
              "    uses: evaluate-seq2seq\n"
              "    in: {model: train, data: data}\n"
              "    with: {split: test}\n"
              "    expect: {greedy: \">= 0.999\"}\n",
          .params = schema_of<EvaluateSeq2SeqParams>(),
          .inputs = {kSeq2SeqModelPort, kSeq2SeqDataPort},
          .outputs =
              {{"table", "accuracy.csv",
                "greedy exact match with 95 % intervals (Wilson): of all, by number of carries, by "
                "longest carry chain, by leading digit of the target; and the share of right "
                "digits by position"},
               {"failures", "failures.txt",
                "every problem it gets wrong: 374+814=1188, predicted 0188"},
               {"metrics", "metrics.json",
                "greedy (exact match of its own output), greedy_low, greedy_high, teacher_forced "
                "(exact match when fed the right prefix, which is the same number), token_accuracy "
                "(share of right digits when fed the right prefix), digit_accuracy, failures, "
                "problems, loss"}},
          .metrics = {"problems", "failures", "greedy", "greedy_low", "greedy_high",
                      "teacher_forced", "token_accuracy", "loss", "digit_accuracy"}};
}

}  // namespace headway
