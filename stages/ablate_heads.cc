#include "stages/params.h"
#include "stages/stages.h"

namespace headway {

SchemaOf<AblateHeadsParams> AblateHeadsParams::schema() {
  SchemaOf<AblateHeadsParams> schema;
  schema.add("mode", &AblateHeadsParams::mode,
             "what stands in for the head's output: zero, or the mean of what it gives at each "
             "position over the validation samples that have a token there");
  schema.add("split", &AblateHeadsParams::split, "of the dataset, to measure on")
      .one_of(kSplitChoices);
  return schema;
}

StageType ablate_heads_stage() {
  return {
      .name = "ablate-heads",
      .version = 3,
      .summary = "switches each head off in turn, and ranks them by what that costs",
      .example =
          "  ablate:\n"
          "    uses: ablate-heads\n"
          "    matrix: {mode: [zero, mean]}\n"
          "    in: {model: train, data: data}\n"
          "    with: {mode: \"${matrix.mode}\"}\n",
      .params = schema_of<AblateHeadsParams>(),
      .inputs = {kSeq2SeqModelPort, kSeq2SeqDataPort},
      .outputs =
          {{"table", "heads.csv",
            "a row for each head, largest drop first: drop of greedy exact match in points with a "
            "paired 95 % interval (Agresti and Min), what is left (greedy, teacher_forced: the "
            "same number), token_accuracy with teacher forcing, class: critical (more than 10 "
            "points), important, redundant (at most 1)"},
           {"metrics", "metrics.json",
            "greedy and token_accuracy of the whole model, classes, most_critical, largest_drop"}},
      .metrics = {"problems", "heads", "greedy", "token_accuracy", "classes.critical",
                  "classes.important", "classes.redundant", "most_critical", "largest_drop"}};
}

}  // namespace headway
