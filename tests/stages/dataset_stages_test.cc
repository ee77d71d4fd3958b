#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "lib/base/error.h"
#include "stages/addition/stages.h"
#include "stages/extrapolation/stages.h"
#include "stages/stages.h"
#include "tests/support/job_folder.h"
#include "tests/support/stage_calls.h"

namespace headway::testing {
namespace {

using Catch::Matchers::Message;

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
  CHECK(reported["dropped"] == 0);
  const Json dropped = run("drop");
  CHECK(dropped["train"] == 2);
  CHECK(dropped["overlap"] == 0);
  CHECK(dropped["dropped"] == 1);
  CHECK_THROWS_AS(run("refuse"), Error);
  files.remove(folder.path() / "test.json");
  CHECK_THROWS_MATCHES(run("report"), Error, Message("test.json: no such file"));
}

TEST_CASE("import-dataset takes one file or one for each split", "[stages]") {
  const StageType type = import_dataset_stage();
  CHECK(declaration_mistakes(type, "{train: a.json, val: b.csv, test: c.jsonl}") == "");
  CHECK(declaration_mistakes(type, "{file: a.csv}") == "");
  CHECK(declaration_mistakes(type, "{train: a.json, test: c.json}") ==
        "p.yaml:1:1: stage 'd': no file for val: give a parameter or an input of that name");
  CHECK(declaration_mistakes(type, "{file: a.json, test: c.json}") ==
        "p.yaml:1:1: stage 'd': the data is either one file or three, train, val and test");
  CHECK(declaration_mistakes(type, "{file: a.txt}") ==
        "p.yaml:1:8: stage 'd': parameter 'file': 'a.txt': it does not end in .json, .jsonl, "
        ".ndjson or .csv; set 'format'");
  CHECK(declaration_mistakes(type, "{file: a.json, overlap: keep}") ==
        "p.yaml:1:25: stage 'd': parameter 'overlap' must be one of refuse, report, drop, got "
        "'keep'");
  CHECK(declaration_mistakes(type, "{file: a.txt, format: csv}") == "");
  CHECK(declaration_mistakes(type, "{}") ==
        "p.yaml:1:1: stage 'd': no data: give 'file', or 'train', 'val' and 'test', as parameters "
        "or inputs (of which 'file' is called 'data')");
  CHECK(declaration_mistakes(type, "{file: a.csv, val_share: 0.5, test_share: 0.5}") ==
        "p.yaml:1:26: stage 'd': 'val_share' and 'test_share' leave nothing to train on");
  CHECK(declaration_mistakes(type, "{file: a.csv, columns: {lable: x}}") ==
        "p.yaml:1:25: stage 'd': 'columns': unknown parameter 'lable'; did you mean 'label'?");
  CHECK(type.params->find("train")->type == FieldType::kFile);  // its contents enter the key
}

TEST_CASE("import-dataset reads what other stages made, by the ending of its name", "[stages]") {
  JobFolder folder;
  const Path artifact = folder.path() / "0123abc.csv";
  RealFileSystem().write(artifact, "text,mood\nwell,1\nbad,0\nvery bad,0\n", Durability::kCached);
  const auto run = [&](const Path& input, const Json& more = Json::object()) {
    Json params = {{"tokens", "words"},
                   {"columns", {{"input", "text"}, {"label", "mood"}}},
                   {"val_share", 0.3},
                   {"test_share", 0.3}};
    params.update(more);
    StageJob job = folder.job("one", "import-dataset", params, {"data", "table", "metrics"});
    job.folder = folder.path();
    job.inputs = {{"data", {}, {input}}};
    QuietContext context(job);
    run_import_dataset(context);
    return output_of(job, "metrics");
  };
  const Json metrics = Json::parse(run(artifact));
  CHECK(metrics["train"] == 1);
  CHECK(metrics["vocabulary"] == 3);
  CHECK(metrics["classes"]["0"] == 2.0 / 3);
  const Path plain = folder.path() / "0123abc";
  std::filesystem::copy(artifact, plain);
  CHECK(run(plain, {{"format", "csv"}}) == run(artifact));
  CHECK_THROWS_MATCHES(run(plain), Error,
                       Message("input 'data': it does not end in .json, .jsonl, .ndjson or .csv; "
                               "set 'format'"));
  CHECK_THROWS_MATCHES(run(artifact, {{"tokens", "lists"}}), Error,
                       Message("input 'data':2: 'text' is text; 'tokens: characters' or 'tokens: "
                               "words' says how to split it"));
  const Path directory = folder.path() / "folder.csv";
  std::filesystem::create_directories(directory);
  CHECK_THROWS_MATCHES(run(directory), Error, Message("input 'data': is a folder, not a file"));
}

}  // namespace
}  // namespace headway::testing
