// Stages of types that users declare: they are cached by what the declaration says.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/project.h"

namespace headway::testing {
namespace {

std::string pipeline(const std::string& type, const std::string& uses = "make") {
  return "name: p\ntypes:\n  " + uses + ": " + type + "\nstages: {a: {uses: " + uses + "}}\n";
}

const std::string kType =
    "{summary: makes it, params: {n: {default: 3, help: how many}}, outs: {o: o.txt}, "
    "run: 'make {with.n} {out.o}', code: [tool.py]}";

struct TypeProject : Project {
  TypeProject() {
    write(pipeline(kType));
    write("1", "tool.py");
    REQUIRE(run().ran == Names{"a"});
  }
  // What runs when the type is another.
  Names after(const std::string& from, const std::string& to) {
    std::string type = kType;
    type.replace(type.find(from), from.size(), to);
    write(pipeline(type));
    return run().ran;
  }
};

}  // namespace

TEST_CASE("names and help of a declared type are no facts", "[declared-type]") {
  TypeProject project;
  CHECK(project.run().ran.empty());
  CHECK(project.after("makes it", "makes them").empty());
  CHECK(project.after("how many", "their number").empty());
  project.write(pipeline(kType, "other-name"));
  CHECK(project.run().ran.empty());
  project.write("outs: {o: o.txt}\nparams: {n: 3}\nrun: make {with.n} {out.o}\ncode: tool.py\n",
                "tools/type.yaml");
  project.write("1", "tools/tool.py");
  project.write("name: p\nstages: {a: {uses: ./tools/type.yaml}}\n");
  CHECK(project.run().ran.empty());
}

TEST_CASE("the command, code, defaults and outputs of a declared type are facts",
          "[declared-type]") {
  TypeProject project;
  CHECK(project.after("make {", "make  {") == Names{"a"});
  CHECK(project.after("default: 3", "default: 4") == Names{"a"});
  CHECK(project.after("o: o.txt", "o: p.txt") == Names{"a"});
  project.write(pipeline(kType));
  CHECK(project.run().ran.empty());
  project.write("2", "tool.py");
  CHECK(project.reason_of("a") == "file tool.py changed");
  CHECK(project.run().ran == Names{"a"});
}

TEST_CASE("a file that a declared type's command names through a parameter is a fact",
          "[declared-type]") {
  Project project;
  project.write("1", "small.json");
  project.write(
      "types: {t: {outs: {o: o.txt}, params: {config: {type: text}}, run: 'cat {with.config} "
      "{out.o}'}}\nstages: {a: {uses: t, with: {config: small.json}}}\n");
  CHECK(project.run().ran == Names{"a"});
  CHECK(project.run().ran.empty());
  project.write("2", "small.json");
  CHECK(project.run().ran == Names{"a"});
}

TEST_CASE("code of a declared type that changes while it runs fails the stage", "[declared-type]") {
  Project project;
  project.write("outs: {o: o.txt}\nrun: make {out.o}\ncode: tool.py\n", "tools/type.yaml");
  project.write("1", "tools/tool.py");
  project.write("name: p\nstages: {a: {uses: ./tools/type.yaml}}\n");
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    CHECK(job.folder == project.folder / "tools");
    project.write("2", "tools/tool.py");
    return project.executor.work(job);
  });
  CHECK(project.run().messages.at("a") ==
        "tool.py was changed while the stage ran, so its result is not kept; run it again");
}

}  // namespace headway::testing
