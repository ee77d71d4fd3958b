// A pipeline file as a whole.
#include "lib/spec/load.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/spec/document.h"
#include "tests/support/loading.h"
#include "tests/support/test_stages.h"

namespace headway::testing {
namespace {

TEST_CASE("a pipeline is named explicitly or after its file", "[spec]") {
  CHECK(load(and_a_stage("name: addition")).name == "addition");
  CHECK(load(and_a_stage("")).name == "p");
}

TEST_CASE("a pipeline's name is a plain word", "[spec]") {
  CHECK(load(and_a_stage("name: a-B_1.2")).name == "a-B_1.2");
  for (const char* name : {"'a b'", "a/b", "..", ".a", "-a", "''", "3", "[a]", "é"}) {
    CAPTURE(name);
    CHECK(params_mistakes(std::string("name: ") + name)
              .starts_with("p.yaml:1:7: 'name' must be letters, digits, '_', '-' and '.', got "));
  }
}

TEST_CASE("a pipeline keeps its file as given, and its absolute folder", "[spec]") {
  TemporaryFolder folder;
  folder.write("sub/x.yaml", and_a_stage(""));
  const PipelineSpec pipeline = load_in(folder, "sub/../sub/x.yaml");
  CHECK(pipeline.file == "sub/../sub/x.yaml");
  CHECK(pipeline.folder == folder / "sub");
  CHECK(pipeline.name == "x");
}

TEST_CASE("stages keep the order of the file", "[spec]") {
  CHECK(stage_names(load(
            "stages:\n  b: {uses: make-data}\n  a: {uses: make-data}\n  c: {uses: make-data}\n")) ==
        std::vector<std::string>{"b", "a", "c"});
}

TEST_CASE("a stage's parameters are complete and typed", "[spec]") {
  const PipelineSpec pipeline = load(
      "stages:\n  d: {uses: make-data}\n  t: {uses: train-model, in: {data: d}, with: {lr: 1}}\n");
  const Json params = to_json(stage(pipeline, "t").params);
  CHECK(params["lr"].is_number_float());
  CHECK(params["epochs"] == 10);
  CHECK(params["model"]["n_heads"] == 4);
}

TEST_CASE("an unknown key of a pipeline is refused with a suggestion", "[spec]") {
  CHECK(params_mistakes("parms: {}") ==
        "p.yaml:1:1: pipeline: unknown key 'parms'; did you mean 'params'?");
  CHECK(params_mistakes("colour: red") == "p.yaml:1:1: pipeline: unknown key 'colour'");
  CHECK(mistakes("stage:\n  a: {uses: make-data}\n") ==
        "p.yaml:1:1: pipeline: unknown key 'stage'; did you mean 'stages'?\n"
        "p.yaml:1:1: 'stages' must be a map with at least one stage");
}

TEST_CASE("an unused section is refused, and one that a client reads is kept", "[spec]") {
  const std::string text = and_a_stage("variants: {wide: {}}\nplans: {b: {x: 1}, a: {}}");
  CHECK(mistakes(text) == "p.yaml:2:1: pipeline: unknown key 'plans'");
  const TemporaryFolder folder;
  folder.write("p.yaml", text);
  RealFileSystem files;
  const PipelineFile file =
      read_pipeline_file(folder / "p.yaml", files, {{"plans", "plan"}, {"others", "other"}});
  CHECK(to_json(file.section("plans")) == Json::parse(R"({"b": {"x": 1}, "a": {}})"));
  CHECK(file.section("others").map()->empty());
  const PipelineSpec pipeline = load_variation(file, {}, test_stages(), files);
  CHECK(pipeline.other_folders == std::vector<std::string>{"b", "a"});
  CHECK(pipeline.variants == std::vector<std::string>{"wide"});
  CHECK_FALSE(pipeline.is_merged);
}

TEST_CASE("a pipeline has at least one stage", "[spec]") {
  CHECK(mistakes("name: x\n") == "p.yaml:1:1: 'stages' must be a map with at least one stage");
  CHECK(mistakes("stages: {}\n") == "p.yaml:1:9: 'stages' must be a map with at least one stage");
  CHECK(mistakes("stages:\n") == "p.yaml:1:1: 'stages' must be a map with at least one stage");
  CHECK(mistakes("stages: [a, b]\n") ==
        "p.yaml:1:9: 'stages' must be a map with at least one stage");
}

TEST_CASE("params are a map, or nothing", "[spec]") {
  CHECK(params_mistakes("params: [1]") == "p.yaml:1:9: 'params' must be a map, got a list");
  CHECK(params_mistakes("params:") == "");
  CHECK(params_of("params:") == Json::object());
}

TEST_CASE("a pipeline is a map", "[spec]") {
  CHECK(mistakes("- a\n") == "p.yaml:1:1: a pipeline is a map with 'stages', got a list");
  CHECK(mistakes("hello\n") ==
        "p.yaml:1:1: a pipeline is a map with 'stages', got the text 'hello'");
  CHECK(mistakes("") == "p.yaml:1:1: a pipeline is a map with 'stages', got nothing");
}

TEST_CASE("a missing file is reported with a suggestion", "[spec]") {
  TemporaryFolder folder;
  folder.write("pipelines/addition.yaml", "");
  CHECK(mistakes_in(folder, "pipelines/additon.yaml") ==
        "headway: pipelines/additon.yaml: no such file; did you mean 'pipelines/addition.yaml'?");
  CHECK(mistakes_in(folder, "zebra.yaml") == "headway: zebra.yaml: no such file");
  CHECK(mistakes_in(folder, "") == "headway: '': no such file");
  const std::string too_long(300, 'x');
  CHECK(mistakes_in(folder, too_long) ==
        "headway: cannot look at " + too_long + ": file name too long");
  CHECK(mistakes_in(folder, "no/such/folder.yaml") == "headway: no/such/folder.yaml: no such file");
}

TEST_CASE("a folder is not a pipeline", "[spec]") {
  TemporaryFolder folder;
  CHECK(mistakes_in(folder, ".") == "headway: .: is a folder, not a file");
}

TEST_CASE("a pipeline read through a symbolic link uses the folder of the link", "[spec]") {
  TemporaryFolder folder;
  folder.write("real/r.yaml", and_a_stage(""));
  RealFileSystem().make_link("real/r.yaml", folder / "link.yaml");
  const PipelineSpec pipeline = load_in(folder, "link.yaml");
  CHECK(pipeline.name == "link");
  CHECK(pipeline.folder == folder.path());
}

TEST_CASE("anchors and merge keys share settings between stages", "[spec]") {
  const PipelineSpec pipeline = load(R"(
stages:
  a: &base {uses: shell, with: {run: x}, retries: 2}
  b: {<<: *base, timeout: 5s}
)");
  CHECK(stage(pipeline, "b").retries == 2);
  CHECK(stage(pipeline, "b").timeout == 5);
}

TEST_CASE("an example that comes with Headway loads, including its variant", "[spec]") {
  const Path pipelines = Path(HEADWAY_SOURCE_DIR) / "pipelines";
  RealFileSystem files;
  TemporaryFolder folder;
  folder.write("walks.yaml", files.read(pipelines / "walks.yaml").value());
  CHECK(mistakes_in(folder, "walks.yaml") == "");
  CHECK(mistakes_in(folder, "walks.yaml", variant("long")) == "");
}

}  // namespace
}  // namespace headway::testing
