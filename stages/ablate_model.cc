#include "stages/params.h"
#include "stages/stages.h"

namespace headway {

SchemaOf<AblateModelParams> AblateModelParams::schema() {
  using Params = AblateModelParams;
  SchemaOf<Params> schema;
  schema.add("mode", &Params::mode,
             "what stands in for the output: zero; the mean of what it is at each position over "
             "the validation samples that have a token there (zero where none has); or (resample) "
             "what it is for another sample of the split, whose positions are repeated if it is "
             "shorter");
  add_components_param(schema,
                       "what to switch off, one at a time: heads, feed-forward layers, "
                       "blocks (all heads and the feed-forward layer of a layer)");
  schema.add("split", &Params::split, "of the dataset, to measure on");
  schema.add("seed", &Params::seed, "of resampling").at_least(0);
  return schema;
}

StageType ablate_model_stage() {
  return {
      .name = "ablate-model",
      .summary =
          "switches each head, feed-forward layer or block off, and ranks them by what that "
          "costs",
      .example =
          "  ablate:\n"
          "    uses: ablate-model\n"
          "    matrix: {mode: [zero, mean]}\n"
          "    in: {model: train, data: data}\n"
          "    with: {mode: \"${matrix.mode}\", components: [head, ffn]}\n",
      .params = schema_of<AblateModelParams>(),
      .inputs = {kModelPort, kDataPort},
      .outputs =
          {{"table", "components.csv",
            "a row for each component, largest drop first: drop of greedy exact match (of labels "
            "accuracy, of plain sequences token accuracy) in points with a paired 95 % interval "
            "(Agresti and Min; of tokens, by the spread between sequences), what is left (greedy "
            "and teacher_forced are the same number; token_accuracy is teacher-forced), loss and "
            "its increase, class: critical (more than 10 points), important, redundant (at most "
            "1)"},
           {"metrics", "metrics.json",
            "problems, components, greedy and token_accuracy, or accuracy, of the whole model, "
            "classes, most_critical, largest_drop"}},
      .metrics = {"problems", "components", "greedy", "token_accuracy", "accuracy",
                  "classes.critical", "classes.important", "classes.redundant", "most_critical",
                  "largest_drop"},
      .check = check_components};
}

}  // namespace headway
