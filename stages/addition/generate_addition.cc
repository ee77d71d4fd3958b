#include "stages/addition/generate_addition.h"

#include <fmt/format.h>

namespace headway {
namespace {

constexpr double kMostProblems = 100'000'000;  // a split; more would not fit into memory

constexpr const char* kExample =
    "  data:\n"
    "    uses: generate-addition\n"
    "    with: {digits: 3, train: 10000, val: 2000, test: 2000, seed: 641}\n";

SchemaOf<GenerateAdditionParams> declare() {
  using Params = GenerateAdditionParams;
  SchemaOf<Params> schema;
  schema.add("digits", &Params::digits, "of each of the two numbers; the first is not 0")
      .at_least(1)
      .at_most(kMostDigits);
  schema.add("train", &Params::train, "problems to train on").at_least(1).at_most(kMostProblems);
  schema.add("val", &Params::val, "problems to choose by; none of them is in train")
      .at_least(1)
      .at_most(kMostProblems);
  schema.add("test", &Params::test, "problems to measure on; none of them is in train or val")
      .at_least(1)
      .at_most(kMostProblems);
  schema
      .add("balance", &Params::balance,
           "none: every problem is as likely; carries: as many of each number of carries")
      .one_of({"none", "carries"});
  schema.add("seed", &Params::seed, "of the draw").at_least(0);
  return schema;
}

// Sizes that no data can have are refused before anything runs.
void check(const StageDeclaration& stage, Diagnostics& diagnostics) {
  const std::string why =
      refusal(addition_sizes(generate_addition_schema().read(to_json(stage.params))));
  if (!why.empty()) {
    diagnostics.add(stage.params.find("train")->location,
                    fmt::format("{}: {}", stage.subject, why));
  }
}

}  // namespace

const SchemaOf<GenerateAdditionParams>& generate_addition_schema() {
  static const SchemaOf<GenerateAdditionParams> kSchema = declare();
  return kSchema;
}

AdditionSizes addition_sizes(const GenerateAdditionParams& params) {
  return {.digits = params.digits,
          .train = params.train,
          .val = params.val,
          .test = params.test,
          .balance = params.balance == "carries" ? Balance::kCarries : Balance::kNone,
          .seed = static_cast<std::uint64_t>(params.seed)};
}

StageType generate_addition_stage() {
  StageType type;
  type.name = "generate-addition";
  type.summary = "makes additions of two numbers, in splits that share no problem";
  type.example = kExample;
  type.params = std::make_shared<SchemaOf<GenerateAdditionParams>>(generate_addition_schema());
  type.outputs = {{.name = "data",
                   .file = "data.safetensors",
                   .help = "the three splits as tokens",
                   .location = {}},
                  {.name = "table",
                   .file = "statistics.csv",
                   .help = "how many problems of each split have which carries and digits",
                   .location = {}},
                  {.name = "metrics",
                   .file = "metrics.json",
                   .help = "sizes, digits, overlap, shares by number of carries",
                   .location = {}}};
  type.check = check;
  return type;
}

}  // namespace headway
