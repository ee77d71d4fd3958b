#include <fmt/format.h>

#include "lib/addition/addition.h"
#include "lib/data/dataset_summary.h"
#include "stages/addition/stages.h"
#include "stages/artifacts.h"
#include "stages/params.h"

namespace headway {
namespace {

constexpr double kMostProblems = 100'000'000;  // per split; limited by memory

struct GenerateAdditionParams : AdditionSizes {
  static SchemaOf<GenerateAdditionParams> schema() {
    using Params = GenerateAdditionParams;
    SchemaOf<Params> schema;
    schema.add("digits", &Params::digits, "of each of the two numbers; the first is not 0")
        .between(1, kMostDigits);
    const auto size = [&](const char* name, auto member, const char* help) {
      schema.add(name, member, help).between(1, kMostProblems);
    };
    size("train", &Params::train, "problems to train on");
    size("val", &Params::val, "problems to choose by; none of them is in train");
    size("test", &Params::test, "problems to measure on; none of them is in train or val");
    schema.add("balance", &Params::balance,
               "none: every problem is as likely; carries: as many of each number of carries");
    schema.add("seed", &Params::seed, "of the draw").at_least(0);
    return schema;
  }
};

// Refuses impossible sizes before anything runs.
void check_generate_addition(const StageDeclaration& stage, Diagnostics& diagnostics) {
  const std::string why = refusal(read_params<GenerateAdditionParams>(stage));
  if (!why.empty())
    diagnostics.add(stage.params.find("train")->location,
                    fmt::format("{}: {}", stage.subject, why));
}

}  // namespace

StageType generate_addition_stage() {
  std::vector<std::string> metrics = dataset_metric_names();
  metrics.emplace_back("digits");
  return {
      .name = "generate-addition",
      .version = 2,
      .summary = "makes additions of two numbers, in splits that share no problem",
      .example =
          "  data:\n"
          "    uses: generate-addition\n"
          "    with: {digits: 3, train: 10000, val: 2000, test: 2000, seed: 641}\n",
      .params = schema_of<GenerateAdditionParams>(),
      .outputs = {{"data", "data.safetensors",
                   "the three splits: tokens; groups by carries; roles, such as a0 and s3, of all "
                   "digits; and pairs of problems that differ in one carry"},
                  {"table", "statistics.csv",
                   "how many problems of each split have which carries and leading digit"},
                  {"metrics", "metrics.json",
                   "sizes, digits, overlap, shares by number of carries and the like"}},
      .metrics = metrics,
      .check = check_generate_addition};
}

void run_generate_addition(StageContext& context) {
  const auto params = read_params<GenerateAdditionParams>(context);
  const Dataset data = generate_addition(params);
  context.throw_if_cancelled();
  DatasetSummary summary = summarize(data);
  summary.metrics["digits"] = params.digits;
  write_output(context, "data", to_safetensors(to_tensor_file(data)));
  write_table(context, "table", summary.statistics);
  write_metrics(context, summary.metrics);
}

}  // namespace headway
