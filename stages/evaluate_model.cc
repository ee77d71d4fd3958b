#include "stages/params.h"
#include "stages/stages.h"

namespace headway {

SchemaOf<EvaluateModelParams> EvaluateModelParams::schema() {
  using Params = EvaluateModelParams;
  SchemaOf<Params> schema;
  schema.add("split", &Params::split, "of the dataset");
  schema.add("exhaustive", &Params::exhaustive,
             "every sample that the data's generator can make, instead of the split; an error if "
             "they are too many");
  return schema;
}

StageType evaluate_model_stage() {
  return {
      .name = "evaluate-model",
      .summary = "accuracy of a model, by the groups that the data declares, and every failure",
      .example =
          "  evaluate:\n"
          "    uses: evaluate-model\n"
          "    in: {model: train, data: data}\n"
          "    with: {split: test}\n"
          "    expect: {greedy: \">= 0.999\"}\n",
      .params = schema_of<EvaluateModelParams>(),
      .inputs = {kModelPort, kDataPort},
      .outputs =
          {{"table", "accuracy.csv",
            "with 95 % intervals (Wilson), of all samples and of each value of each of the data's "
            "groups. Of sequences: greedy exact match; and, by the role or the number of the "
            "position, the share of right tokens, in greedy decoding and teacher-forced. Of "
            "labels: accuracy, also by class. Of plain sequences: the share of right tokens, with "
            "intervals by the spread between sequences"},
           {"failures", "failures.txt",
            "every sample it gets wrong: 374+814 -> 1188, predicted 0188; of plain sequences none"},
           {"metrics", "metrics.json",
            "problems, loss, and but for plain sequences failures. Of sequences: greedy (exact "
            "match of its own output), "
            "greedy_low, greedy_high, teacher_forced (exact match when fed the right prefix: the "
            "same number, since there is one right answer), token_accuracy (share of right tokens "
            "when fed the right prefix; like loss, also of input tokens that the data asks for), "
            "decoded (samples that were really decoded, all wrong ones "
            "and some right ones) and decoded_differently (those where decoding and teacher "
            "forcing disagree on whether the answer is right: a few can be rounding, many are a "
            "mistake). Of labels: accuracy, accuracy_low, accuracy_high. Of plain sequences: "
            "token_accuracy, token_accuracy_low, token_accuracy_high"}},
      .metrics = {"problems", "failures", "loss", "greedy", "greedy_low", "greedy_high",
                  "teacher_forced", "token_accuracy", "token_accuracy_low", "token_accuracy_high",
                  "decoded", "decoded_differently", "accuracy", "accuracy_low", "accuracy_high"}};
}

}  // namespace headway
