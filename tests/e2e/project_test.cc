// Outputs belong to a project, wherever headway is called and wherever the project is moved.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kTwo = R"(stages:
  a: {uses: shell, outs: {o: a.txt}, with: {run: "echo a | tee -a ran.txt > {out.o}"}}
  b: {uses: shell, in: {x: a}, outs: {o: b.txt}, with: {run: "cp {in.x} {out.o}; echo b >> ran.txt"}}
)";

// A project whose pipeline is in a folder of its own.
class Project : public Sandbox {
 public:
  Project() {
    write("pipelines/p.yaml", kTwo);
    write("elsewhere/note.txt", "");
  }
  Outcome in(const Path& folder, const Words& arguments) const {
    return headway(arguments, {.folder = at(folder)});
  }
  std::string notice() const { return "outputs: " + at("outputs").string() + "\n"; }
};

TEST_CASE("without a project, outputs are in the current folder") {
  const Project project;
  const Outcome run = project.in("elsewhere", {"run", "../pipelines/p.yaml"});
  CHECK(run.exit_code == 0);
  CHECK(run.err == "");
  CHECK(project.exists("elsewhere/outputs/p/b/b.txt"));
  CHECK_FALSE(project.exists("outputs"));
  CHECK_FALSE(project.exists("pipelines/outputs"));
}

TEST_CASE("a project's outputs are found from the pipeline's file upwards, and named") {
  const Project project;
  SECTION("by the outputs of an earlier run") {
    REQUIRE(project.headway({"run", "pipelines/p.yaml"}).err == "");
  }
  SECTION("by a marker, before the first run") {
    project.write(".headway-project", "");
    const Outcome first = project.in("pipelines", {"run", "p.yaml"});
    CHECK(first.err == project.notice());
    CHECK_THAT(first.out, ContainsSubstring("results: " + project.at("outputs/p").string()));
  }
  const Outcome again = project.in("pipelines", {"run", "p.yaml"});
  CHECK_THAT(again.out, ContainsSubstring("nothing to do"));
  CHECK(again.err == project.notice());
  CHECK(project.in("elsewhere", {"status", "../pipelines/p.yaml"}).err == project.notice());
  CHECK_FALSE(project.exists("pipelines/outputs"));
  CHECK_FALSE(project.exists("elsewhere/outputs"));
}

TEST_CASE("verbs without a pipeline look from the current folder upwards") {
  const Project project;
  REQUIRE(project.headway({"run", "pipelines/p.yaml"}).exit_code == 0);
  const Outcome status = project.in("elsewhere", {"status"});
  CHECK_THAT(status.out, ContainsSubstring("2 fresh"));
  CHECK(status.err == project.notice());
  CHECK_THAT(project.in("elsewhere", {"verify"}).err, ContainsSubstring(project.notice()));
  CHECK(project.headway({"status"}).err == "");
}

TEST_CASE("the nearest project counts, and --outputs counts more") {
  const Project project;
  REQUIRE(project.headway({"run", "pipelines/p.yaml"}).exit_code == 0);
  project.write("pipelines/.headway-project", "");
  CHECK(project.headway({"run", "pipelines/p.yaml"}).err ==
        "outputs: " + project.at("pipelines/outputs").string() + "\n");
  CHECK(project.exists("pipelines/outputs/p/b/b.txt"));
  const Outcome told = project.in("elsewhere", {"run", "../pipelines/p.yaml", "--outputs", "own"});
  CHECK(told.err == "");
  CHECK(project.exists("elsewhere/own/p/b/b.txt"));
}

TEST_CASE("a project that was moved is as fresh as before") {
  const Project project;
  REQUIRE(project.headway({"run", "pipelines/p.yaml"}).exit_code == 0);
  const Path moved = project.folder().parent_path() / "moved";
  std::filesystem::rename(project.folder(), moved);
  const auto in_moved = [&](const Words& arguments) {
    return project.headway(arguments, {.folder = moved});
  };
  CHECK_THAT(in_moved({"status"}).out, ContainsSubstring("2 fresh"));
  CHECK_THAT(in_moved({"run", "pipelines/p.yaml"}).out, ContainsSubstring("nothing to do"));
  CHECK_THAT(in_moved({"gc"}).out, !ContainsSubstring("record"));
  CHECK(in_moved({"verify"}).exit_code == 0);
  std::filesystem::rename(moved, project.folder());
}

TEST_CASE("a dry run with --only refuses exactly when the run does") {
  const Project project;
  const auto both = [&](const Words& more) {
    Words run = {"run", "pipelines/p.yaml"};
    run.insert(run.end(), more.begin(), more.end());
    Words dry = run;
    dry.emplace_back("-n");
    const Outcome said = project.headway(dry);
    const Outcome done = project.headway(run);
    CHECK(said.exit_code == done.exit_code);
    CHECK(said.err == done.err);
    return said;
  };
  const Outcome refused = both({"b", "--only"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, ContainsSubstring("the result of stage 'a' is needed but not there"));
  CHECK_FALSE(project.exists("pipelines/ran.txt"));
  CHECK_THAT(both({"a", "--only"}).out, ContainsSubstring("would run  a"));
  CHECK_THAT(both({"b", "--only"}).out, ContainsSubstring("would run  b"));
  CHECK_THAT(both({"b", "--only"}).out, ContainsSubstring("0 not fresh, 2 fresh"));
}

}  // namespace
}  // namespace headway::e2e
