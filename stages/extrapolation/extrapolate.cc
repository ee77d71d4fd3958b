#include "stages/extrapolation/stages.h"
#include "stages/params.h"

namespace headway {
SchemaOf<ExtrapolateParams> ExtrapolateParams::schema() {
  using Params = ExtrapolateParams;
  SchemaOf<Params> schema;
  schema
      .add("beyond", &Params::beyond,
           "of learned positions past the last trained one: clamp, untrained, or as the model was "
           "trained with; the training is the same for both")
      .one_of({"model", "clamp", "untrained"});
  schema
      .add("confidence", &Params::confidence,
           "probability of a wrong answer from which on it is listed")
      .between(0.5, 1);
  schema
      .add("failures", &Params::failures,
           "most failures listed for each length and kind of negatives, the surest first")
      .at_least(0);
  return schema;
}

StageType extrapolate_stage() {
  return {
      .name = "extrapolate",
      .version = 2,
      .summary =
          "measures a sorting classifier at every length of the tests, within and beyond training",
      .example =
          "  lengths:\n"
          "    uses: extrapolate\n"
          "    in: {model: train, data: data}\n",
      .params = schema_of<ExtrapolateParams>(),
      .inputs = {{"model", "checkpoint of train-classifier on such data, or of prune-model"},
                 {"data", "dataset of generate-sorting, for its tests by length"}},
      .outputs =
          {{"table", "lengths.csv",
            "per length and kind of negatives: accuracy, false positives (unsorted ones called "
            "sorted), false negatives, each with its 95 % interval; shares missed of early and "
            "late violations, within the trained positions and beyond"},
           {"failures", "failures.csv",
            "wrong answers the model is sure of, with the place of the violation"},
           {"metrics", "metrics.json", "accuracy.swaps.256 and the like, confident_failures"}},
      .metrics = {"accuracy.swaps.*", "accuracy.adjacent.*", "encoding", "pooling",
                  "confident_failures"}};
}

}  // namespace headway
