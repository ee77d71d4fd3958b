// External programs: their outputs are checked, whatever their exit code.
#include "lib/base/tool.h"

#include <signal.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <cstdlib>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/base/picture.h"
#include "lib/base/text.h"
#include "tests/support/temporary_folder.h"

namespace headway::testing {
namespace {

// A program `draw` in PATH, which is this script.
class DrawingProgram {
 public:
  explicit DrawingProgram(const std::string& script) : path_before_(std::getenv("PATH")) {
    const Path program = folder_.write("bin/draw", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    std::filesystem::create_directories(work());
    ::setenv("PATH", ((folder_ / "bin").string() + ":" + path_before_).c_str(), 1);
  }
  ~DrawingProgram() { ::setenv("PATH", path_before_.c_str(), 1); }
  DrawingProgram(const DrawingProgram&) = delete;
  DrawingProgram& operator=(const DrawingProgram&) = delete;

  Path work() const { return folder_ / "work"; }
  ToolSpec spec() const {
    ToolSpec spec;
    spec.program = "draw";
    spec.package = "drawing";
    spec.folder = work();
    spec.files = {{"text", "<svg>drawn</svg>"}};
    spec.outputs = {{"picture.svg", svg_problem}};
    return spec;
  }
  std::string mistake() const {
    try {
      run_tool(spec());
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

 private:
  TemporaryFolder folder_;
  const std::string path_before_;
};

TEST_CASE("a tool works in a temporary subfolder, which is its TMPDIR and is removed afterwards") {
  const DrawingProgram program("cp text picture.svg; pwd; echo $TMPDIR");
  const ToolResult result = run_tool(program.spec());
  CHECK(result.exit.succeeded());
  CHECK(result.outputs == std::vector<std::string>{"<svg>drawn</svg>"});
  const std::string folder = result.said.substr(0, result.said.find('\n'));
  CHECK(Path(folder).parent_path() == program.work());
  CHECK(result.said == folder + "\n" + folder);
  CHECK(std::filesystem::is_empty(program.work()));
}

TEST_CASE("a truncated output of a successful tool is an error that names both") {
  CHECK(DrawingProgram("head -c 9 text > picture.svg").mistake() ==
        "draw did not write picture.svg as a whole: it is no whole XML from line 1 on");
  CHECK(DrawingProgram("echo it is late; true > picture.svg").mistake() ==
        "draw did not write picture.svg as a whole: it is empty; it said: it is late");
  CHECK(DrawingProgram("true").mistake() ==
        "draw did not write picture.svg as a whole: it was not written");
}

TEST_CASE("the outputs of a failed tool are not read") {
  const ToolResult result = run_tool(DrawingProgram("echo no; exit 3").spec());
  CHECK(result.exit.describe() == "exit code 3");
  CHECK(result.said == "no");
  CHECK(result.outputs.empty());
}

TEST_CASE("a tool that exceeds its time limit is killed") {
  const DrawingProgram program("echo $$ > ../pid; exec sleep 60");
  ToolSpec spec = program.spec();
  std::string pid;
  for (spec.time_limit = 0.5; pid.empty() && spec.time_limit < 100; spec.time_limit *= 2) {
    CHECK_THROWS_WITH(run_tool(spec),
                      "draw did not end within " + format_duration(spec.time_limit));
    pid = RealFileSystem().read(program.work() / "pid").value_or("");  // unless it was too slow
  }
  REQUIRE(pid.ends_with('\n'));
  CHECK(::kill(std::stoi(pid), 0) != 0);
}

TEST_CASE("a missing tool is reported with the package that has it") {
  const DrawingProgram program("true");
  ToolSpec spec = program.spec();
  spec.program = "headway-no-such-tool";
  CHECK_THROWS_WITH(run_tool(spec),
                    "headway-no-such-tool is not installed; on Debian: apt install drawing");
}

TEST_CASE("a missing working folder is named") {
  const DrawingProgram program("cp text picture.svg");
  std::filesystem::remove(program.work());
  CHECK(program.mistake().starts_with("cannot make the folder " + program.work().string()));
}

}  // namespace
}  // namespace headway::testing
