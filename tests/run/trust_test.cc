// A result is reused exactly if nothing it depends on has changed: files edited while a stage runs,
// names that a command sees, rotted objects, pipelines of the same name.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/support/project.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kChainOfTwo = R"(
stages:
  a: {uses: shell, outs: {o: a.txt}, with: {run: "a {out.o}"}}
  b: {uses: shell, in: {x: a}, outs: {o: b.txt}, with: {run: "b {out.o}"}}
)";

// Does something, then the stage's normal work.
FakeExecutor::Behaviour after(Project& project, std::function<void(const StageJob&)> first) {
  return [&project, first](const StageJob& job, const ProgressSink&, Interrupt&) {
    first(job);
    return project.executor.work(job);
  };
}

}  // namespace

TEST_CASE("a forced stage replaces an object that rotted with an unchanged stamp", "[trust]") {
  Project project;
  project.write(kChainOfTwo);
  project.run();
  project.disk.rot(project.object_of("a"), "A {out.o}\n");
  CHECK(project.run({.force = {"a"}}).exit_code == 0);
  CHECK(project.shown("p/a/a.txt") == "a {out.o}\n");
}

TEST_CASE("a list emptied by a power cut is written again", "[trust]") {
  Project project;
  project.write(R"(
stages:
  m: {uses: shell, matrix: {i: [1, 2]}, outs: {o: m.txt}, with: {run: "m ${matrix.i} {out.o}"}}
  all: {uses: shell, in: {parts: "m@*"}, outs: {o: o.txt}, with: {run: "all {out.o}"}}
)");
  project.run();
  const auto lists = project.disk.tree(project.layout.lists());
  REQUIRE(lists.size() == 1);
  project.disk.put(project.layout.lists() / lists.begin()->first, "");
  CHECK(project.run().ran.empty());
  CHECK(project.disk.tree(project.layout.lists()) == lists);
}

TEST_CASE("the item of a single input is part of the key if the command uses it", "[trust]") {
  const auto yaml = [](const std::string& item, const std::string& command) {
    return R"(
stages:
  a: {uses: shell, matrix: {k: [small, big]}, outs: {o: o.txt}, with: {run: "same {out.o}"}}
  b: {uses: shell, in: {x: a@)" +
           item + R"(}, outs: {o: o.txt}, with: {run: ")" + command + R"( {out.o}"}}
)";
  };
  Project project;
  project.write(yaml("small", "{items.x}"));
  project.run();
  CHECK(project.executor.last_job("b").inputs.at(0).items == Names{"small"});
  project.write(yaml("big", "{items.x}"));
  CHECK(project.run().ran == Names{"b"});
  CHECK(project.executor.last_job("b").inputs.at(0).items == Names{"big"});

  project.write(yaml("small", "cat {in.x}"));
  CHECK(project.run().ran == Names{"b"});
  CHECK(project.executor.last_job("b").inputs.at(0).items == Names{""});  // not given to it
  project.write(yaml("big", "cat {in.x}"));
  CHECK(project.run().ran.empty());
}

TEST_CASE("editing a code file while its stage runs fails the stage", "[trust]") {
  Project project;
  project.disk.put(project.folder / "tool.py", "one");
  project.disk.put(project.folder / "src/lib.py", "one");
  project.write(R"(
stages:
  a: {uses: shell, outs: {o: a.txt}, retries: 2, with: {run: "a {out.o}", code: [tool.py, src]}}
)");
  std::string edited = "tool.py";
  SECTION("edited") {
    project.executor.on("a", after(project, [&](const StageJob&) {
                          project.disk.put(project.folder / "tool.py", "two");
                        }));
  }
  SECTION("edited and restored") {
    project.executor.on("a", after(project, [&](const StageJob&) {
                          project.disk.put(project.folder / "tool.py", "two");
                          project.disk.put(project.folder / "tool.py", "one");
                        }));
  }
  SECTION("in a folder") {
    edited = "src";
    project.executor.on("a", after(project, [&](const StageJob&) {
                          project.disk.put(project.folder / "src/new.py", "");
                        }));
  }
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.ran == Names{"a"});  // trying again would not help
  CHECK(outcome.messages.at("a") ==
        edited + " was changed while the stage ran, so its result is not kept; run it again");
  project.executor.on("a", nullptr);
  CHECK(project.run().exit_code == 0);
}

TEST_CASE("a variable set to '(not set)' differs from an unset one", "[trust]") {
  Project project;
  project.write(
      "stages: {a: {uses: shell, outs: {o: a.txt}, with: {run: \"a {out.o}\", env: [HW_TEST]}}}");
  ScopedVariable variable("HW_TEST", nullptr);
  const Digest not_set = project.key_of("a");
  variable.set("(not set)");
  const Digest words = project.key_of("a");
  variable.set("(set) (not set)");
  const Digest more_words = project.key_of("a");
  CHECK(not_set != words);
  CHECK(words != more_words);
  CHECK(not_set != more_words);
}

TEST_CASE("two pipeline files of the same name cannot share a store", "[trust]") {
  Project project;
  project.write(kChainOfTwo, "one/p.yaml");
  project.write(kChainOfTwo, "two/p.yaml");
  REQUIRE(project.run({.file = "one/p.yaml"}).exit_code == 0);
  const Outcome outcome = project.run({.file = "two/p.yaml"});
  CHECK(outcome.exit_code == 2);
  CHECK_THAT(outcome.error, ContainsSubstring("one/p.yaml has the name 'p'") &&
                                ContainsSubstring("two/p.yaml cannot have it too") &&
                                ContainsSubstring("--outputs"));
  SECTION("the first was moved") {
    project.disk.remove(project.folder / "one/p.yaml");
    CHECK(project.run({.file = "two/p.yaml"}).exit_code == 0);
  }
  SECTION("the first was renamed") {
    project.write(std::string("name: q\n") + kChainOfTwo, "one/p.yaml");
    CHECK(project.run({.file = "two/p.yaml"}).exit_code == 0);
  }
}

TEST_CASE("the same bytes with and without the x bit are two different results", "[trust]") {
  Project project;
  project.write(R"(
stages:
  plain: {uses: shell, outs: {o: t.sh}, with: {run: "same {out.o} # plain"}}
  tool: {uses: shell, needs: [plain], outs: {o: t.sh}, with: {run: "same {out.o} # tool"}}
)");
  project.executor.on("tool", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    const StageResult result = project.executor.work(job);
    project.disk.make_executable(job.outputs.at(0).second);
    return result;
  });
  REQUIRE(project.run().exit_code == 0);
  CHECK_FALSE(project.disk.info(project.object_of("plain"))->is_executable);
  CHECK(project.disk.info(project.object_of("tool"))->is_executable);
  CHECK(project.run().ran.empty());
}

TEST_CASE("a folder with a link that leads out of it is not a valid result", "[trust]") {
  Project project;
  project.write("stages: {a: {uses: shell, outs: {folder: d}, with: {run: \"a {out.folder}\"}}}");
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    const StageResult result = project.executor.work(job);
    project.disk.make_link("/etc/hostname", job.outputs.at(0).second / "name");
    return result;
  });
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.messages.at("a"),
             ContainsSubstring("d has a link that leads out of it (name -> /etc/hostname)"));
}

TEST_CASE("each attempt at a stage has its own partial folder, with a copy of the previous one",
          "[trust]") {
  Project project;
  project.write(
      "stages: {a: {uses: shell, outs: {o: a.txt}, with: {run: \"a {partial} {out.o}\"}}}");
  Path first, second;
  std::string found = "nothing";
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    first = job.partial;
    project.disk.put(job.partial / "state", "half");
    StageResult result;
    result.status = StageResult::Status::kFailed;
    return result;
  });
  SECTION("after a failed attempt, whose processes may still write") {
    project.run();
    CHECK(project.disk.list(project.layout.partials()).size() == 1);
  }
  SECTION("after a killed attempt") {
    project.files.crash_at(100000, false);
    project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
      first = job.partial;
      project.disk.put(job.partial / "state", "half");
      project.files.crash_at(0, false);
      return StageResult();
    });
    project.run();
    project.files.heal();
    REQUIRE(project.disk.exists(first / "state"));
  }
  const std::optional<FileInfo> before = project.disk.info(first / "state");
  REQUIRE(before);
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    second = job.partial;
    found = project.disk.read(job.partial / "state").value_or("nothing");
    CHECK(project.disk.info(job.partial / "state")->inode != before->inode);
    return project.executor.work(job);
  });
  CHECK(project.run().exit_code == 0);
  CHECK(found == "half");
  CHECK(first != second);
  CHECK(project.disk.list(project.layout.partials()).empty());
}

}  // namespace headway::testing
