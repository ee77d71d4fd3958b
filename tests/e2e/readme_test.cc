// The README's YAML blocks are right: each is validated, with the files that it names, and where it
// is a part of a pipeline, with the rest. Blocks that begin with the name of a file are one: they
// are the README's own tasks, which are run.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>
#include <regex>
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

  // "subtraction.py" of a block that begins with "# subtraction.py"; "" of others.
  std::string file() const {
    static const std::regex kName("# ([a-z_]+\\.(py|yaml))\n");
    std::smatch found;
    const bool is_file =
        std::regex_search(text, found, kName, std::regex_constants::match_continuous);
    return is_file ? found[1].str() : "";
  }
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

void write_files(const std::vector<Block>& blocks, const Sandbox& sandbox) {
  for (const Block& block : blocks) {
    if (!block.file().empty()) sandbox.write(block.file(), block.text);
  }
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
    write_files(blocks, sandbox);
    for (const char* file : {"brackets.csv", "tools/make.py", "tools/fit", "tools/train.py",
                             "tools/report.py", "data/labelled.csv", "data/more.csv", "report.md"})
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
  CHECK(count >= 9);
}

TEST_CASE("the README's own tasks run from nothing to a report", "[long]") {
  if (!has_worker()) SKIP("needs headway-worker");
  const Sandbox sandbox;
  write_files(readme_blocks(), sandbox);
  REQUIRE(sandbox.sh("python3 brackets.py > brackets.csv").exit_code == 0);
  const std::map<std::string, std::string> counted = {{"brackets", "\nclass,unopened,280,"},
                                                      {"reverse", "\nlength,8,229,"},
                                                      {"subtraction", "\nborrow,yes,443,"}};
  for (const auto& [task, row] : counted) {
    const std::string file = task + ".yaml";
    const std::regex epochs("epochs: [0-9]+");  // one is enough to see that everything works
    sandbox.write(file, std::regex_replace(sandbox.read(file), epochs, "epochs: 1"));
    const Outcome run = sandbox.headway({"run", file});
    INFO(file << "\n" << run.all());
    CHECK(run.exit_code == 0);
    CHECK(sandbox.headway({"report", file}).exit_code == 0);
    const Path results = Path("outputs") / task;
    CHECK_THAT(sandbox.read(results / "evaluate/accuracy.csv"),
               Catch::Matchers::ContainsSubstring(row));
    CHECK(sandbox.exists(results / "report/index.html"));
  }
  CHECK(sandbox.sh("python3 read_dataset.py").out == "1000 00-21\n");
}

}  // namespace headway::e2e
