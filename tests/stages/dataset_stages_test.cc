#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "lib/base/error.h"
#include "lib/data/seq2seq_data.h"
#include "lib/extrapolation/sorting.h"
#include "lib/numerics/table.h"
#include "lib/spec/yaml.h"
#include "stages/addition/stages.h"
#include "stages/extrapolation/stages.h"
#include "tests/support/job_folder.h"

namespace headway::testing {
namespace {

using Catch::Matchers::Message;

// The mistakes reported for a stage of this type with these parameters.
std::string declaration_mistakes(const StageType& type, const std::string& with) {
  Diagnostics diagnostics;
  const SourceLocation place = {SourceLocation::intern("p.yaml"), 1, 1};
  const Value given = parse_yaml(with, place.source, diagnostics).value();
  const Value params = type.params->resolve(given, "stage 'd'", place, diagnostics);
  if (type.check && diagnostics.empty()) {
    type.check({"stage 'd'", params, {}, type.outputs, {}}, diagnostics);
  }
  return diagnostics.text();
}

class QuietContext final : public StageContext {
 public:
  using StageContext::StageContext;
  void progress(double, std::string_view) override {}
  bool cancelled() const override { return false; }
};

std::vector<std::string> names_of(const std::vector<Output>& outputs) {
  std::vector<std::string> names;
  for (const Output& output : outputs) names.push_back(output.name + " " + output.file);
  return names;
}

TEST_CASE("every parameter and output of the dataset stages is documented", "[stages]") {
  for (const StageType& type :
       {generate_addition_stage(), generate_sorting_stage(), import_dataset_stage()}) {
    CAPTURE(type.name);
    CHECK_FALSE(type.summary.empty());
    CHECK(type.example.find("uses: " + type.name) != std::string::npos);
    for (const Field& field : type.params->fields()) CHECK_FALSE(field.help.empty());
    for (const Output& output : type.outputs) CHECK_FALSE(output.help.empty());
    CHECK(names_of(type.outputs) == std::vector<std::string>{"data data.safetensors",
                                                             "table statistics.csv",
                                                             "metrics metrics.json"});
    CHECK_FALSE(type.command);  // native: a worker runs it
  }
}

TEST_CASE("the example of generate-addition is the study's data", "[stages]") {
  CHECK(declaration_mistakes(generate_addition_stage(), "{}") == "");
  CHECK(declaration_mistakes(generate_addition_stage(),
                             "{digits: 3, train: 10000, val: 2000, test: 2000, seed: 641}") == "");
}

TEST_CASE("sizes that cannot be disjoint are mistakes in the pipeline", "[stages]") {
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

TEST_CASE("parameters of generate-addition outside their range are mistakes", "[stages]") {
  CHECK(declaration_mistakes(generate_addition_stage(), "{val: 0}") ==
        "p.yaml:1:7: stage 'd': parameter 'val' must be between 1 and 100000000, got 0");
  CHECK(declaration_mistakes(generate_addition_stage(), "{digits: 10}") ==
        "p.yaml:1:10: stage 'd': parameter 'digits' must be between 1 and 9, got 10");
  CHECK(declaration_mistakes(generate_addition_stage(), "{balance: carry}") ==
        "p.yaml:1:11: stage 'd': parameter 'balance' must be one of none, carries, got 'carry'");
}

TEST_CASE("generate-addition writes data, statistics and metrics", "[stages]") {
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
  const Seq2SeqData data = seq2seq_data_from(parse_safetensors(bytes, "d"), "d");
  CHECK(data.train.size() == 300);
  CHECK(data.test.size() == 30);
  const Json metrics = Json::parse(output_of(job, "metrics"));
  CHECK(metrics["train"] == 300);
  CHECK(metrics["digits"] == 2);
  CHECK(metrics["overlap"] == 0);
  CHECK(metrics["carries"]["2"] == 1.0 / 3);
  CHECK(parse_csv(output_of(job, "table"), "t").text(0, "property") == "carries");
  CHECK(output_of(run("again"), "data") == bytes);
}

TEST_CASE("the defaults of generate-sorting are the library's recipe and sizes", "[stages]") {
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

TEST_CASE("impossible sorting data is a located mistake in the pipeline", "[stages]") {
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

TEST_CASE("parameters of generate-sorting outside their range are mistakes", "[stages]") {
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

TEST_CASE("generate-sorting writes data, statistics and metrics", "[stages]") {
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
  const SortingData data = sorting_data_from(parse_safetensors(bytes, "d"), "d");
  CHECK(data.train.size() == 300);
  CHECK(data.recipe.negatives == Negatives::kMixed);
  CHECK(data.recipe.fresh);
  CHECK(data.recipe.seed == 5);
  REQUIRE(data.tests.size() == 4);
  CHECK(data.tests[1].name() == "test.adjacent.12");
  CHECK(data.tests[1].sequences.size() == 10);
  const Json metrics = Json::parse(output_of(job, "metrics"));
  CHECK(metrics["train"] == 300);
  CHECK(metrics["range"] == 50);
  CHECK(metrics["overlap"] == 0);
  CHECK(metrics["balance"] == 0.5);
  CHECK(parse_csv(output_of(job, "table"), "t").text(0, "property") == "label");
  CHECK(output_of(run("again"), "data") == bytes);
}

TEST_CASE("import-dataset reads files beside the pipeline and counts their contents", "[stages]") {
  JobFolder folder;
  RealFileSystem files;
  const auto write = [&](const char* name, const char* json) {
    files.write(folder.path() / name, json, Durability::kCached);
  };
  write("train.json", R"([{"input": [1, 10, 2], "target": [0, 3]},
                          {"input": [9, 10, 9], "target": [1, 8]},
                          {"input": [9, 10, 9], "target": [1, 8]}])");
  write("val.json", R"([{"input": [1, 10, 2], "target": [0, 3]}])");
  write("test.json", R"([{"input": [4, 10, 4], "target": [0, 9]}])");
  const auto run = [&](const char* overlap) {
    const Json params = {
        {"train", "train.json"}, {"val", "val.json"}, {"test", "test.json"}, {"overlap", overlap}};
    StageJob job = folder.job(overlap, "import-dataset", params, {"data", "table", "metrics"});
    job.folder = folder.path();
    QuietContext context(job);
    run_import_dataset(context);
    return Json::parse(output_of(job, "metrics"));
  };
  const Json reported = run("report");
  CHECK(reported["train"] == 3);
  CHECK(reported["overlap"] == 1);
  CHECK(reported["overlap_val"] == 1);
  CHECK(reported["repeated"] == 1);
  CHECK(reported["wrong_sums"] == 1);
  CHECK(reported["dropped"] == 0);
  const Json dropped = run("drop");
  CHECK(dropped["train"] == 2);
  CHECK(dropped["overlap"] == 0);
  CHECK(dropped["dropped"] == 1);
  CHECK_THROWS_AS(run("refuse"), Error);
  files.remove(folder.path() / "test.json");
  CHECK_THROWS_MATCHES(run("report"), Error, Message("test.json: no such file"));
}

TEST_CASE("import-dataset requires all three files by name", "[stages]") {
  const StageType type = import_dataset_stage();
  CHECK(declaration_mistakes(type, "{train: a, val: b, test: c}") == "");
  CHECK(declaration_mistakes(type, "{train: a, val: b, test: \"\"}") ==
        "p.yaml:1:26: stage 'd': parameter 'test' names no file");
  CHECK(declaration_mistakes(type, "{train: a, test: c}") ==
        "p.yaml:1:1: stage 'd': parameter 'val' is missing (the same, to choose by)");
  CHECK(declaration_mistakes(type, "{train: a, val: b, test: c, overlap: keep}") ==
        "p.yaml:1:38: stage 'd': parameter 'overlap' must be one of refuse, report, drop, got "
        "'keep'");
  CHECK(type.params->find("train")->type == FieldType::kFile);  // its contents enter the key
}

}  // namespace
}  // namespace headway::testing
