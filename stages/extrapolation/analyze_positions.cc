#include "stages/extrapolation/analyze_positions.h"

namespace headway {
namespace {

constexpr const char* kExample =
    "  positions:\n"
    "    uses: analyze-positions\n"
    "    in: {model: train}\n"
    "    with: {positions: 64, shifts: [1, 4]}\n";

SchemaOf<AnalyzePositionsParams> declare() {
  using Params = AnalyzePositionsParams;
  SchemaOf<Params> schema;
  schema
      .add("positions", &Params::positions,
           "how many, from the first on; more than the trained ones, to see what is beyond")
      .at_least(2)
      .at_most(1024);
  schema
      .add("shifts", &Params::shifts,
           "the k for which a rotation from each position to the one k later is fitted")
      .at_least(1)
      .at_most(1023);
  schema
      .add("beyond", &Params::beyond,
           "of learned positions past the last trained one: clamp, untrained, or as the model was "
           "trained with")
      .one_of({"model", "clamp", "untrained"});
  return schema;
}

}  // namespace

const SchemaOf<AnalyzePositionsParams>& analyze_positions_schema() {
  static const SchemaOf<AnalyzePositionsParams> kSchema = declare();
  return kSchema;
}

StageType analyze_positions_stage() {
  StageType type;
  type.name = "analyze-positions";
  type.summary = "measures a model's positional encoding, within the trained range and beyond it";
  type.example = kExample;
  type.params = std::make_shared<SchemaOf<AnalyzePositionsParams>>(analyze_positions_schema());
  type.inputs = {{.name = "model", .help = "checkpoint of train-classifier"}};
  type.outputs = {
      {.name = "positions",
       .file = "positions.safetensors",
       .help = "the position vectors [L, d], where there are, and their products P_t . P_s [L, L] "
               "(else: the factor on attention weights)",
       .location = {}},
      {.name = "table",
       .file = "positions.csv",
       .help = "inside and beyond the trained range: how far P_t . P_s is from depending on t - s "
               "alone, length and step of the vectors, and the error of the best fixed rotation "
               "from P_t to P_{t+k}, all relative",
       .location = {}},
      {.name = "metrics",
       .file = "metrics.json",
       .help = "inside and beyond: distance_error, and by shift rotation_of_pairs, any_rotation",
       .location = {}}};
  return type;
}

}  // namespace headway
