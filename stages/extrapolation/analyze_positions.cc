#include "stages/extrapolation/stages.h"
#include "stages/params.h"

namespace headway {
SchemaOf<AnalyzePositionsParams> AnalyzePositionsParams::schema() {
  using Params = AnalyzePositionsParams;
  SchemaOf<Params> schema;
  schema
      .add("positions", &Params::positions,
           "how many, from the first on; more than the trained ones, to see what is beyond")
      .between(2, 1024);
  schema
      .add("shifts", &Params::shifts,
           "the k for which a rotation from each position to the one k later is fitted")
      .between(1, 1023);
  schema
      .add("beyond", &Params::beyond,
           "of learned positions past the last trained one: clamp, untrained, or as the model was "
           "trained with")
      .one_of({"model", "clamp", "untrained"});
  return schema;
}

StageType analyze_positions_stage() {
  return {.name = "analyze-positions",
          .version = 2,
          .summary =
              "measures a model's positional encoding (that of the encoder, if there are two), "
              "within the trained range and beyond it",
          .example =
              "  positions:\n"
              "    uses: analyze-positions\n"
              "    in: {model: train}\n"
              "    with: {positions: 64, shifts: [1, 4]}\n",
          .params = schema_of<AnalyzePositionsParams>(),
          .inputs = {kModelPort},
          .outputs =
              {{"positions", "positions.safetensors",
                "the position vectors [L, d], where there are, and their products P_t . P_s [L, L] "
                "(else: the factor on attention weights)"},
               {"table", "positions.csv",
                "inside and beyond the trained range: how far P_t . P_s is from depending on t - s "
                "alone, length and step of the vectors, and the error of the best fixed rotation "
                "from P_t to P_{t+k}, all relative"},
               {"metrics", "metrics.json",
                "inside and beyond: distance_error, and by shift rotation_of_pairs, any_rotation"}},
          .metrics = {"distance_error.inside", "distance_error.beyond", "length.inside",
                      "length.beyond", "step.1.inside", "step.1.beyond", "rotation_of_pairs.*",
                      "any_rotation.*"}};
}

}  // namespace headway
