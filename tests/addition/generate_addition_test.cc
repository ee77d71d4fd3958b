// The stage generate-addition: its declaration, and its artifacts.
#include <catch2/catch_test_macros.hpp>

#include "lib/addition/addition.h"
#include "lib/numerics/table.h"
#include "stages/addition/stages.h"
#include "stages/artifacts.h"
#include "tests/support/job_folder.h"
#include "tests/support/stage_calls.h"

namespace headway::testing {
namespace {

TEST_CASE("the example of generate-addition is the study's data", "[addition]") {
  CHECK(declaration_mistakes(generate_addition_stage(), "{}") == "");
  CHECK(declaration_mistakes(generate_addition_stage(),
                             "{digits: 3, train: 10000, val: 2000, test: 2000, seed: 641}") == "");
}

TEST_CASE("sizes that cannot be disjoint are mistakes in the pipeline", "[addition]") {
  CHECK(
      declaration_mistakes(generate_addition_stage(),
                           "{digits: 1, train: 72, val: 10, test: 10}") ==
      "p.yaml:1:20: stage 'd': 72 + 10 + 10 = 92 problems asked for, but there are only 81 with 1 "
      "digit");
  CHECK(declaration_mistakes(generate_addition_stage(),
                             "{digits: 1, train: 60, val: 10, test: 10, balance: carries}") ==
        "p.yaml:1:20: stage 'd': 30 + 5 + 5 = 40 problems with 0 carries asked for, but there are "
        "only 36 with 1 digit");
}

TEST_CASE("parameters of generate-addition outside their range are mistakes", "[addition]") {
  CHECK(declaration_mistakes(generate_addition_stage(), "{val: 0}") ==
        "p.yaml:1:7: stage 'd': parameter 'val' must be between 1 and 100000000, got 0");
  CHECK(declaration_mistakes(generate_addition_stage(), "{digits: 10}") ==
        "p.yaml:1:10: stage 'd': parameter 'digits' must be between 1 and 9, got 10");
  CHECK(declaration_mistakes(generate_addition_stage(), "{balance: carry}") ==
        "p.yaml:1:11: stage 'd': parameter 'balance' must be one of none, carries, got 'carry'");
}

TEST_CASE("generate-addition writes data, statistics and metrics", "[addition]") {
  JobFolder folder;
  const Json params = {{"digits", 2}, {"train", 300},         {"val", 30},
                       {"test", 30},  {"balance", "carries"}, {"seed", 5}};
  const auto run = [&](const char* name) {
    const StageJob job =
        folder.job(name, "generate-addition", params, {"data", "table", "metrics"});
    QuietContext context(job);
    run_generate_addition(context);
    return job;
  };
  const StageJob job = run("one");
  const std::string bytes = output_of(job, "data");
  const Dataset data = dataset_from(parse_safetensors(bytes, "d"), "d");
  CHECK(data.split("train").size() == 300);
  CHECK(data.split("test").size() == 30);
  const Json metrics = Json::parse(output_of(job, "metrics"));
  CHECK(metrics["train"] == 300);
  CHECK(metrics["digits"] == 2);
  CHECK(metrics["overlap"] == 0);
  CHECK(metrics["groups"]["carries"]["2"] == 1.0 / 3);
  CHECK(parse_csv(output_of(job, "table"), "t").text(0, "property") == "carries");
  CHECK_NOTHROW(check_metrics(QuietContext(job), generate_addition_stage()));
  CHECK(output_of(run("again"), "data") == bytes);
}

}  // namespace
}  // namespace headway::testing
