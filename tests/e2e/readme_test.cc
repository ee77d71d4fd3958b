// The README's YAML blocks are right: each is validated, with the files that it names, and where it
// is a part of a pipeline, with the rest.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <sstream>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

const Path kSource = HEADWAY_SOURCE_DIR;

std::string text_of(const Path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

struct Block {
  std::string language;
  std::string text;
  int line = 0;  // of its fence
};

std::vector<Block> readme_blocks() {
  std::vector<Block> blocks;
  std::istringstream lines(text_of(kSource / "README.md"));
  bool is_inside = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("```")) {
      is_inside = !is_inside;
      if (is_inside) blocks.push_back({line.substr(3), "", number});
    } else if (is_inside) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

// Stages that fragments refer to.
constexpr const char* kOtherStages = R"(
  train: {uses: shell, matrix: {seed: [1, 2]}, outs: {log: log.csv}, with: {run: "x > {out.log}"}}
  evaluate: {uses: shell, outs: {table: scores.csv}, with: {run: "x > {out.table}"}}
)";
constexpr const char* kReportedStages = R"(
params: {epochs: 3}
stages:
  train: {uses: shell, outs: {log: log.csv}, with: {run: "x ${epochs} > {out.log}"}}
  curves: {uses: shell, outs: {svg: figure.svg}, with: {run: "x > {out.svg}"}}
  ablate: {uses: shell, matrix: {mode: [zero]}, outs: {table: t.csv}, with: {run: "x > {out.table}"}}
  evaluate: {uses: shell, outs: {metrics: m.json}, with: {run: "x > {out.metrics}"}}
  attention: {uses: shell, outs: {maps: maps}, with: {run: "x > {out.maps}"}}
)";

// The whole pipeline of which the block is a part; the block itself if it is whole.
std::string completed(const std::string& block) {
  if (block.starts_with("sweeps:")) return text_of(kSource / "pipelines/quickstart.yaml") + block;
  if (block.starts_with("  report:")) return kReportedStages + block;
  if (block.starts_with("stages:\n  losses:")) return block + kOtherStages;
  return block;
}

}  // namespace

TEST_CASE("every YAML block of the README is valid") {
  const std::vector<Block> blocks = readme_blocks();
  std::string type;  // the block that declares one
  for (const Block& block : blocks) {
    if (block.language == "yaml" && block.text.starts_with("summary:")) type = block.text;
  }
  int count = 0;
  for (const Block& block : blocks) {
    if (block.language != "yaml") continue;
    ++count;
    const Sandbox sandbox;
    std::filesystem::copy(kSource / "pipelines", sandbox.folder(),
                          std::filesystem::copy_options::recursive);
    sandbox.write("common.yaml", "params: {seed: 1}\n");
    for (const char* file : {"tools/make.py", "tools/fit", "tools/train.py", "tools/report.py",
                             "data/labelled.csv", "data/more.csv", "report.md"})
      sandbox.write(file, "x\n");
    sandbox.write("tools/train.yaml", type);
    const bool is_site = block.text.starts_with("on:");
    if (is_site) sandbox.write("headway-site.yaml", block.text);
    const std::string pipeline =
        is_site ? text_of(kSource / "pipelines/quickstart.yaml") : completed(block.text);
    sandbox.write("block.yaml", pipeline);
    const Outcome outcome = block.text == type ? sandbox.headway({"stages", "tools/train.yaml"})
                                               : sandbox.headway({"validate", "block.yaml"});
    INFO("README.md:" << block.line << "\n" << outcome.all());
    CHECK(outcome.exit_code == 0);
    if (is_site) CHECK(outcome.out.ends_with("headway-site.yaml: ok, on: slurm\n"));
  }
  CHECK(count >= 6);
}

}  // namespace headway::e2e
