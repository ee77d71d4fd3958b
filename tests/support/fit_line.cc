#include "tests/support/fit_line.h"

#include "tests/support/misbehave.h"

namespace headway::testing {
namespace {

SchemaOf<FitLineParams> declare() {
  std::vector<std::string> ways = misbehaviours();
  ways.emplace_back("huge-tensor");
  SchemaOf<FitLineParams> schema;
  schema.add("steps", &FitLineParams::steps, "gradient steps").at_least(1);
  schema.add("samples", &FitLineParams::samples, "points to fit").at_least(2);
  schema.add("lr", &FitLineParams::lr, "learning rate").above(0);
  schema.add("noise", &FitLineParams::noise, "deviation of the points from the line").at_least(0);
  schema.add("seed", &FitLineParams::seed, "of the points and the first guess").at_least(0);
  schema.add("slow_ms", &FitLineParams::slow_ms, "milliseconds to sleep a step").at_least(0);
  schema.add("misbehave", &FitLineParams::misbehave, "what goes wrong half-way").one_of(ways);
  return schema;
}

}  // namespace

const SchemaOf<FitLineParams>& fit_line_schema() {
  static const SchemaOf<FitLineParams> kSchema = declare();
  return kSchema;
}

StageType fit_line_type() {
  StageType type;
  type.name = "fit-line";
  type.summary = "fit a line to noisy points by gradient descent";
  type.example = "fit:\n  uses: fit-line\n  with: {steps: 100, seed: 7}\n";
  type.params = std::make_shared<SchemaOf<FitLineParams>>(fit_line_schema());
  type.inputs = {{.name = "after", .help = "waited for, not read", .is_required = false}};
  type.outputs = {{.name = "model", .file = "model.json", .help = "a and b", .mark = {}},
                  {.name = "metrics", .file = "metrics.json", .help = "the loss", .mark = {}}};
  return type;
}

}  // namespace headway::testing
