#include "stages/extrapolation/extrapolate.h"

namespace headway {
namespace {

constexpr const char* kExample =
    "  lengths:\n"
    "    uses: extrapolate\n"
    "    in: {model: train, data: data}\n";

SchemaOf<ExtrapolateParams> declare() {
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
      .at_least(0.5)
      .at_most(1);
  schema
      .add("failures", &Params::failures,
           "most failures listed for each length and kind of negatives, the surest first")
      .at_least(0);
  return schema;
}

}  // namespace

const SchemaOf<ExtrapolateParams>& extrapolate_schema() {
  static const SchemaOf<ExtrapolateParams> kSchema = declare();
  return kSchema;
}

StageType extrapolate_stage() {
  StageType type;
  type.name = "extrapolate";
  type.summary = "measures a classifier at every length of the tests, within and beyond training";
  type.example = kExample;
  type.params = std::make_shared<SchemaOf<ExtrapolateParams>>(extrapolate_schema());
  type.inputs = {{.name = "model", .help = "checkpoint of train-classifier"},
                 {.name = "data", .help = "dataset of generate-sorting, for its tests by length"}};
  type.outputs = {
      {.name = "table",
       .file = "lengths.csv",
       .help = "per length and kind of negatives: accuracy, false positives (unsorted ones called "
               "sorted), false negatives, each with its 95 % interval; shares missed of early and "
               "late violations, within the trained positions and beyond",
       .location = {}},
      {.name = "failures",
       .file = "failures.csv",
       .help = "wrong answers the model is sure of, with the place of the violation",
       .location = {}},
      {.name = "metrics",
       .file = "metrics.json",
       .help = "accuracy.swaps.256 and the like, confident_failures",
       .location = {}}};
  return type;
}

}  // namespace headway
