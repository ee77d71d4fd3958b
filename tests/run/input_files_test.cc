// The user's own files as inputs of stages: they count by content, and nobody touches them.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/run/graph_view.h"
#include "tests/support/full_project.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kReadsFiles = R"(
name: p
stages:
  one: {uses: shell, in: {x: ./data/a.csv}, outs: {o: o.txt}, with: {run: "one {in.x} {out.o}"}}
  all: {uses: shell, in: {x: "./data/*.csv"}, outs: {o: o.txt}, with: {run: "all {in.x} {out.o}"}}
  last: {uses: shell, in: {x: one}, outs: {o: o.txt}, with: {run: "last {in.x} {out.o}"}}
)";

struct FileProject : Project {
  FileProject() {
    write(kReadsFiles);
    write("A", "data/a.csv");
    write("B", "data/b.csv");
  }
  void on_one(const std::function<void()>& also) {
    executor.on("one", [this, also](const StageJob& job, const ProgressSink&, Interrupt&) {
      StageResult result = executor.work(job);
      also();
      return result;
    });
  }
};

}  // namespace

TEST_CASE("stages read files by content, with the items of a pattern", "[input-files]") {
  FileProject project;
  REQUIRE(project.run().exit_code == 0);
  CHECK_THAT(project.shown("p/one/o.txt"), ContainsSubstring("x: [A]"));
  CHECK_THAT(project.shown("p/all/o.txt"), ContainsSubstring("x@a: [A]\nx@b: [B]"));
  CHECK(project.run().ran.empty());

  project.disk.advance(1);
  project.write("A", "data/a.csv");  // touched
  CHECK(project.run().ran.empty());
  project.write("A2", "data/a.csv");
  CHECK(project.reason_of("one") == "input x changed (from the file ./data/a.csv)");
  CHECK(project.reason_of("all") == "input x changed (from the files ./data/*.csv)");
  CHECK(sorted(project.run().ran) == Names{"all", "last", "one"});
  project.write("C", "data/c.csv");
  CHECK(project.run().ran == Names{"all"});
  CHECK_THAT(project.shown("p/all/o.txt"), ContainsSubstring("x@c: [C]"));
}

TEST_CASE("a file under another name but with the same contents and extension runs nothing",
          "[input-files]") {
  FileProject project;
  REQUIRE(project.run().exit_code == 0);
  project.write("A", "other/renamed.csv");
  std::string text = kReadsFiles;
  text.replace(text.find("./data/a.csv"), 12, "./other/renamed.csv");
  project.write(text);
  CHECK(project.run().ran.empty());
}

TEST_CASE("a file that changes while its stage runs fails the stage, which keeps nothing",
          "[input-files]") {
  FileProject project;
  const std::string message =
      "the file ./data/a.csv was changed while the stage ran, so its result is not kept; run it "
      "again (a stage must not write to its inputs)";
  SECTION("for good") {
    project.on_one([&] { project.write("NEW", "data/a.csv"); });
    const Outcome outcome = project.run({.targets = {"one"}});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.messages.at("one") == message);
    CHECK(*project.disk.read(project.folder / "data/a.csv") == "NEW");  // it is the user's
  }
  SECTION("and back") {
    project.on_one([&] {
      project.write("NEW", "data/a.csv");
      project.disk.advance(1);
      project.write("A", "data/a.csv");
    });
    CHECK(project.run({.targets = {"one"}}).messages.at("one") == message);
  }
  SECTION("by being removed") {
    project.on_one([&] { project.disk.remove(project.folder / "data/a.csv"); });
    CHECK_THAT(project.run({.targets = {"one"}}).messages.at("one"),
               ContainsSubstring("./data/a.csv was removed while the stage ran"));
    project.write("A", "data/a.csv");
  }
  CHECK_FALSE(project.record_of("one"));
  project.executor.on("one", nullptr);
  CHECK(project.run({.targets = {"one"}}).ran == Names{"one"});
}

TEST_CASE("gc leaves files of the user alone", "[input-files]") {
  FileProject project;
  REQUIRE(project.run().exit_code == 0);
  CHECK(collect_garbage(project, {}) == "");
  CHECK(*project.disk.read(project.folder / "data/a.csv") == "A");
  CHECK(project.run().ran.empty());
}

TEST_CASE("the graph shows files with their readers", "[input-files]") {
  FileProject project;
  for (const bool full : {false, true}) {
    CHECK(to_tree(view_of(project.load(), full)) ==
          "./data/a.csv (file)\n"
          "└─ one (shell)\n"
          "   └─ last (shell)\n"
          "./data/*.csv (2 files)\n"
          "└─ all (shell)\n");
  }
  project.write("x", "data/q\"<.csv");
  project.write(
      R"(stages: {a: {uses: shell, in: {x: './data/q"<.csv'}, outs: {o: o.txt}, with: {run: "{out.o}"}}})");
  const GraphView view = view_of(project.load(), false);
  CHECK_THAT(to_dot(view, "p"), ContainsSubstring(R"(label="./data/q\"<.csv\nfile")"));
  CHECK_THAT(to_mermaid(view), ContainsSubstring(R"(["./data/q#34;#60;.csv<br/>)"));
}

}  // namespace headway::testing
