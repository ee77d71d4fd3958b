// The stage generate-sorting: its declaration, and its artifacts.
#include <catch2/catch_test_macros.hpp>

#include "lib/numerics/table.h"
#include "stages/artifacts.h"
#include "stages/extrapolation/stages.h"
#include "tests/support/job_folder.h"
#include "tests/support/stage_calls.h"

namespace headway::testing {
namespace {

TEST_CASE("the defaults of generate-sorting are the library's recipe and sizes", "[sorting]") {
  CHECK(declaration_mistakes(generate_sorting_stage(), "{}") == "");
  CHECK(static_cast<SortingRecipe>(GenerateSortingParams()) == SortingRecipe{});
  const SortingSizes sizes = GenerateSortingParams(), defaults;
  CHECK(sizes.train == defaults.train);
  CHECK(sizes.val == defaults.val);
  CHECK(sizes.test == defaults.test);
  CHECK(sizes.test_lengths == defaults.test_lengths);
  CHECK(sizes.test_size == defaults.test_size);
  CHECK(sizes.test_values == defaults.test_values);
}

TEST_CASE("impossible sorting data is a located mistake in the pipeline", "[sorting]") {
  const StageType type = generate_sorting_stage();
  CHECK(declaration_mistakes(type, "{shortest: 20}") ==
        "p.yaml:1:12: stage 'd': the shortest sequences have 20 values, but the longest only 16");
  CHECK(declaration_mistakes(type, "{range: 2, val: 300, test: 4}") ==
        "p.yaml:1:17: stage 'd': 150 + 2 sorted sequences asked for val and test, but there are "
        "only 117 different ones, of which at least half are to train on");
  CHECK(declaration_mistakes(type, "{train: 100000000}") ==
        "p.yaml:1:9: stage 'd': 1.6e+09 values in all sequences together; at most 1e+09 fit into "
        "memory");
  CHECK(declaration_mistakes(type, "{test_lengths: [8, 9, 8]}") ==
        "p.yaml:1:16: stage 'd': tests of length 8 asked for twice");
  CHECK(declaration_mistakes(type, "{test_lengths: []}") == "");
}

TEST_CASE("parameters of generate-sorting outside their range are mistakes", "[sorting]") {
  const StageType type = generate_sorting_stage();
  CHECK(declaration_mistakes(type, "{longest: 65537}") ==
        "p.yaml:1:11: stage 'd': parameter 'longest' must be between 2 and 65536, got 65537");
  CHECK(declaration_mistakes(type, "{range: 1}") ==
        "p.yaml:1:9: stage 'd': parameter 'range' must be between 2 and 1000000, got 1");
  CHECK(declaration_mistakes(type, "{negatives: swap}") ==
        "p.yaml:1:13: stage 'd': parameter 'negatives' must be one of swaps, adjacent, mixed, got "
        "'swap'; did you mean 'swaps'?");
  CHECK(declaration_mistakes(type, "{crowded: 1.5}") ==
        "p.yaml:1:11: stage 'd': parameter 'crowded' must be between 0 and 1, got 1.5");
  CHECK(declaration_mistakes(type, "{test_lengths: [8, 1]}") ==
        "p.yaml:1:20: stage 'd': parameter 'test_lengths' must be between 2 and 65536, got 1");
  CHECK(declaration_mistakes(type, "{test_size: 1}") ==
        "p.yaml:1:13: stage 'd': parameter 'test_size' must be between 2 and 100000000, got 1");
  CHECK(declaration_mistakes(type, "{fresh: 1}") ==
        "p.yaml:1:9: stage 'd': parameter 'fresh' expects a boolean (true or false), got the "
        "integer 1");
}

TEST_CASE("generate-sorting writes data, statistics and metrics", "[sorting]") {
  JobFolder folder;
  const Json params = {
      {"shortest", 4}, {"longest", 6},  {"range", 50},     {"negatives", "mixed"},
      {"adjacent", 1}, {"fresh", true}, {"train", 300},    {"val", 30},
      {"test", 30},    {"seed", 5},     {"test_size", 10}, {"test_lengths", {12, 8}}};
  const auto run = [&](const char* name) {
    const StageJob job = folder.job(name, "generate-sorting", params, {"data", "table", "metrics"});
    QuietContext context(job);
    run_generate_sorting(context);
    return job;
  };
  const StageJob job = run("one");
  const std::string bytes = output_of(job, "data");
  const Dataset data = dataset_from(parse_safetensors(bytes, "d"), "d");
  CHECK(data.split("train").size() == 300);
  CHECK(data.generator["recipe"]["negatives"] == "mixed");
  CHECK(data.generator["recipe"]["seed"] == 5);
  CHECK(sorting_source(data).epoch(0) == data.split("train"));
  CHECK(data.splits.size() == 7);
  CHECK(data.split("test.adjacent.12").size() == 10);
  const Json metrics = Json::parse(output_of(job, "metrics"));
  CHECK(metrics["train"] == 300);
  CHECK(metrics["overlap"] == 0);
  CHECK(metrics["shortest_input"] == 4);
  CHECK(metrics["longest_input"] == 6);
  CHECK(metrics["classes"]["sorted"] == 0.5);
  CHECK(parse_csv(output_of(job, "table"), "t").text(0, "property") == "violation");
  CHECK_NOTHROW(check_metrics(QuietContext(job), generate_sorting_stage()));
  CHECK(output_of(run("again"), "data") == bytes);
}

}  // namespace
}  // namespace headway::testing
