// The section `sweeps:` of a pipeline file.
#include "lib/sweep/sweep_spec.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"
#include "tests/support/sweeping.h"

namespace headway::testing {
namespace {

// The mistakes in a file with this text and one stage.
std::string file_mistakes(const std::string& text) {
  try {
    load_plainly(and_a_stage(text));
    return "";
  } catch (const PipelineError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a pipeline knows its sweeps and variants by name", "[sweep]") {
  const TemporaryFolder folder;
  folder.write("p.yaml", and_a_stage("variants: {wide: {}}\nsweeps: {b: {axes: {}}, a: {}}"));
  RealFileSystem files;
  const PipelineFile file = read_file_with_sweeps(folder / "p.yaml", files);
  CHECK(keys_of(sweeps_of(file)) == std::vector<std::string>{"b", "a"});
  const PipelineSpec pipeline = load_variation(file, {}, sweep_stages(), files);
  CHECK(pipeline.other_folders == std::vector<std::string>{"b", "a"});
  CHECK(pipeline.variants == std::vector<std::string>{"wide"});
  CHECK_FALSE(pipeline.is_merged);
}

TEST_CASE("sweeps are a map, or nothing", "[sweep]") {
  CHECK(file_mistakes("sweeps: [a]") == "p.yaml:1:9: 'sweeps' must be a map, got a list");
  CHECK(file_mistakes("sweeps:") == "");
  CHECK(file_mistakes("sweps: {}") ==
        "p.yaml:1:1: pipeline: unknown key 'sweps'; did you mean 'sweeps'?");
}

TEST_CASE("a sweep's name is a plain word, and not that of a stage or variant", "[sweep]") {
  CHECK(file_mistakes("sweeps: {a b: {}}") ==
        "p.yaml:1:10: 'a b' is not a sweep's name: use letters, digits, '_', '-' and '.'");
  CHECK(file_mistakes("sweeps: {only: {}}") ==
        "p.yaml:1:10: sweep 'only' has the name of a stage; their folders would collide");
  CHECK(file_mistakes("variants: {wide: {}}\nsweeps: {wide: {}}") ==
        "p.yaml:2:10: sweep 'wide' has the name of a variant; their folders would collide");
}

}  // namespace headway::testing
