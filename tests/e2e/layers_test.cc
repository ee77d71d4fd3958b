// The arrows of the design (lib/README.md): which folder may include which, and which library
// where.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

struct Include {
  std::string from;  // "lib/spec/graph.h"
  std::string what;  // "lib/spec/pipeline_spec.h" or "fmt/format.h"
  bool quoted = false;
};

// "lib/run", or "stages".
std::string folder_of(const std::string& path) {
  const std::size_t first = path.find('/');
  return path.starts_with("lib/") ? path.substr(0, path.find('/', first + 1))
                                  : path.substr(0, first);
}

std::vector<Include> all_includes() {
  static const std::regex kLine("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"].*");
  std::vector<Include> found;
  const Path root = HEADWAY_SOURCE_DIR;
  for (const char* part : {"lib", "stages"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / part)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cc") continue;
      std::ifstream in(entry.path());
      std::smatch match;
      for (std::string line; std::getline(in, line);) {
        if (!std::regex_match(line, match, kLine)) continue;
        found.push_back(
            {entry.path().lexically_relative(root).string(), match[2], match[1] == "\""});
      }
    }
  }
  return found;
}

const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"lib/base", {}},
    {"lib/stage", {"lib/base"}},
    {"lib/sweep", {"lib/base"}},
    {"lib/spec", {"lib/base", "lib/stage", "lib/sweep"}},
    {"lib/store", {"lib/base"}},
    {"lib/worker", {"lib/base", "lib/stage"}},
    {"lib/run", {"lib/base", "lib/stage", "lib/sweep", "lib/spec", "lib/store"}},
    {"lib/cli",
     {"lib/base", "lib/stage", "lib/sweep", "lib/spec", "lib/store", "lib/worker", "lib/run",
      "lib/report"}},
    {"lib/nn", {"lib/base"}},
    {"lib/data", {"lib/base"}},
    {"lib/train", {"lib/base", "lib/nn", "lib/data"}},
    {"lib/analysis", {"lib/base", "lib/nn", "lib/data", "lib/train"}},
    {"lib/figures", {"lib/base"}},
    {"lib/report", {"lib/base", "lib/sweep"}},
    // Declarations and glue; the mains bring in the command line and the worker's loop.
    {"stages",
     {"lib/base", "lib/stage", "lib/worker", "lib/cli", "lib/nn", "lib/data", "lib/train",
      "lib/analysis", "lib/figures", "lib/report", "lib/sweep"}},
};

const std::set<std::string> kEngine = {"lib/base",  "lib/stage",  "lib/sweep", "lib/spec",
                                       "lib/store", "lib/worker", "lib/run",   "lib/cli"};

TEST_CASE("no folder includes one that the design does not allow it") {
  const std::vector<Include> includes = all_includes();
  REQUIRE(includes.size() > 100);
  for (const Include& include : includes) {
    if (!include.quoted) continue;
    INFO(include.from << " includes " << include.what);
    const std::string from = folder_of(include.from), to = folder_of(include.what);
    REQUIRE(kMayInclude.contains(from));
    CHECK((from == to || kMayInclude.at(from).contains(to)));
  }
}

TEST_CASE("our own headers are named by their path from the root, in quotes") {
  for (const Include& include : all_includes()) {
    INFO(include.from << " includes " << include.what);
    const bool ours = std::filesystem::exists(Path(HEADWAY_SOURCE_DIR) / include.what);
    CHECK(include.quoted == ours);
  }
}

TEST_CASE(
    "each library is included in the one folder that wraps it, and torch nowhere in the engine") {
  const std::map<std::string, std::string> wrapped = {{"yaml-cpp/", "lib/spec"},
                                                      {"taskflow/", "lib/run"},
                                                      {"CLI/", "lib/cli"},
                                                      {"md4c", "lib/report"}};
  for (const Include& include : all_includes()) {
    INFO(include.from << " includes " << include.what);
    const std::string from = folder_of(include.from);
    for (const auto& [library, folder] : wrapped) {
      if (include.what.starts_with(library)) CHECK(from == folder);
    }
    if (include.what.starts_with("pugixml"))
      CHECK((from == "lib/report" || include.from == "lib/base/picture.cc"));
    for (const char* torch : {"torch/", "ATen/", "c10/"}) {
      if (include.what.starts_with(torch)) CHECK_FALSE(kEngine.contains(from));
    }
  }
}

// What is printed elsewhere is neither rid of control characters nor checked.
TEST_CASE("verbs print through lib/cli/output.h alone") {
  static const std::regex kPrints(
      "fmt::print\\(|std::(printf|fprintf|puts|fputs|fwrite|cout|cerr)");
  for (const auto& entry :
       std::filesystem::directory_iterator(Path(HEADWAY_SOURCE_DIR) / "lib/cli")) {
    if (entry.path().filename() == "output.cc") continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      INFO(entry.path() << ": " << line);
      CHECK_FALSE(std::regex_search(line, kPrints));
    }
  }
}

}  // namespace
}  // namespace headway::e2e
