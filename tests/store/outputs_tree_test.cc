// outputs/<pipeline>/<stage>/<file>: always the latest, without ever harming a user's files there.
#include "lib/store/outputs_tree.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "tests/support/project.h"

namespace headway::testing {
namespace {

std::string stage(const std::string& name, const std::string& outs, const std::string& run) {
  return "  " + name + ": {uses: shell, outs: {" + outs + "}, with: {run: \"" + run + "\"}}\n";
}

}  // namespace

TEST_CASE("friendly links lead to the results by relative paths", "[outputs]") {
  Project project;
  project.write("name: p\nstages:\n" + stage("a", "o: a.txt, q: deep/q.csv", "{out.o} {out.q}") +
                "variants: {v: {}}\n");
  project.run();
  project.run({.variant = "v"});
  const std::string hex = digest_of("{out.o} {out.q}\n").hex();
  const std::string object = ".headway/objects/" + hex.substr(0, 2) + "/" + hex.substr(2);
  CHECK(project.shown_tree() == std::map<std::string, std::string>{
                                    {"p/", ""},
                                    {"p/a/", ""},
                                    {"p/a/a.txt", "-> ../../" + object + ".txt"},
                                    {"p/a/deep/", ""},
                                    {"p/a/deep/q.csv", "-> ../../../" + object + ".csv"},
                                    {"p/v/", ""},
                                    {"p/v/a/", ""},
                                    {"p/v/a/a.txt", "-> ../../../" + object + ".txt"},
                                    {"p/v/a/deep/", ""},
                                    {"p/v/a/deep/q.csv", "-> ../../../../" + object + ".csv"}});
  CHECK(project.shown("p/a/deep/q.csv") == "{out.o} {out.q}\n");
  CHECK(project.shown("p/v/a/deep/q.csv") == "{out.o} {out.q}\n");
}

TEST_CASE("a changed result replaces its link", "[outputs]") {
  Project project;
  project.write("stages:\n" + stage("a", "o: a.txt", "one {out.o}"));
  project.run();
  project.write("stages:\n" + stage("a", "o: a.txt", "two {out.o}"));
  project.run();
  CHECK(project.shown("p/a/a.txt") == "two {out.o}\n");
  CHECK(project.disk.list(project.outputs / "p" / "a") == Names{"a.txt"});
}

TEST_CASE("only a link that replaces another is moved into place", "[outputs]") {
  Project project;
  std::size_t renamed = 0;
  project.files.before = [&](std::size_t, std::string_view doing) {
    renamed += doing == "rename to";
  };
  Store store(project.files, project.outputs);
  project.disk.make_directories("/work");
  OutputsTree tree(store, "p", "", "/work");
  Record record;
  record.outputs = {{"o", "a.txt", {digest_of("one"), 3, ".txt"}}};
  tree.show("a", record, true);
  CHECK(renamed == 0);
  record.outputs[0].object.digest = digest_of("two");
  tree.show("a", record, true);
  CHECK(renamed == 1);
  CHECK(project.disk.list(project.outputs / "p" / "a") == Names{"a.txt"});
}

TEST_CASE("a removed or redirected link is restored", "[outputs]") {
  Project project;
  project.write("stages:\n" + stage("a", "o: a.txt", "one {out.o}"));
  project.run();
  const Path link = project.outputs / "p" / "a" / "a.txt";
  project.disk.remove(link);
  SECTION("removed") {}
  SECTION("redirected") {
    project.disk.make_link("/nowhere", link);
  }
  CHECK(project.run().ran.empty());
  CHECK(project.shown("p/a/a.txt") == "one {out.o}\n");
}

TEST_CASE("links of outputs that a stage no longer has are removed", "[outputs]") {
  Project project;
  project.write("stages:\n" + stage("a", "o: a.txt, q: deep/q.txt", "{out.o} {out.q}"));
  project.run();
  project.write("stages:\n" + stage("a", "o: b.txt", "{out.o}"));
  project.run();
  CHECK(project.disk.list(project.outputs / "p" / "a") == Names{"b.txt"});
}

TEST_CASE("a stale link beside a current one in a folder of outputs is removed", "[outputs]") {
  Project project;
  project.write("stages:\n" + stage("a", "o: plots/old.svg", "{out.o}"));
  project.run();
  project.write("stages:\n" + stage("a", "o: plots/new.svg", "{out.o}"));
  REQUIRE(project.run().exit_code == 0);
  CHECK(project.disk.list(project.outputs / "p" / "a" / "plots") == Names{"new.svg"});
}

TEST_CASE("an output that was a file may become a folder of files", "[outputs]") {
  Project project;
  project.write("stages:\n" + stage("a", "o: data", "{out.o}"));
  project.run();
  project.write("stages:\n" + stage("a", "o: data/part.csv", "{out.o}"));
  CHECK(project.run().exit_code == 0);
  CHECK(project.shown("p/a/data/part.csv") == "{out.o}\n");
}

TEST_CASE("an output that was in a folder may become a file", "[outputs]") {
  Project project;
  project.write("stages:\n" + stage("a", "o: data/part.csv", "{out.o}"));
  project.run();
  project.write("stages:\n" + stage("a", "o: data", "{out.o}"));
  CHECK(project.run().exit_code == 0);
  CHECK(project.shown("p/a/data") == "{out.o}\n");
}

TEST_CASE("an output inside a folder that used to be an output does not reach into the store",
          "[outputs]") {
  Project project;
  project.write("stages:\n" + stage("a", "folder: site", "{out.folder}"));
  project.run();
  const Path object = project.object_of("a", "folder");
  const auto before = project.disk.tree(object);
  project.write("stages:\n" + stage("a", "o: site/index.html", "{out.o}"));
  const Outcome outcome = project.run();
  CHECK(project.disk.tree(object) == before);
  CHECK(outcome.exit_code == 0);
  CHECK(project.shown("p/a/site/index.html") == "{out.o}\n");
}

TEST_CASE("a user's file in the way is an error and is not touched", "[outputs]") {
  Project project;
  project.write("stages:\n" + stage("a", "o: a.txt", "{out.o}"));
  const Path mine = project.outputs / "p" / "a" / "a.txt";
  project.disk.put(mine, "mine");
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.messages.at("a") ==
        mine.string() + " is in the way: it is not a link of ours; move it elsewhere");
  CHECK(project.disk.read(mine) == "mine");
  project.disk.rename(mine, project.folder / "mine.txt");
  const Outcome after = project.run();
  CHECK(after.exit_code == 0);
  CHECK(after.ran.empty());  // the result had been kept
  CHECK(project.shown("p/a/a.txt") == "{out.o}\n");
}

TEST_CASE("a file in the way of a fresh result fails that stage, and is reported like any failure",
          "[outputs]") {
  Project project;
  project.write("stages:\n" + stage("a", "o: a.txt", "a {out.o}") +
                stage("b", "o: b.txt", "b {out.o}"));
  project.run({.targets = {"a"}});
  project.disk.remove(project.outputs / "p" / "a");
  project.disk.put(project.outputs / "p" / "a" / "a.txt", "mine");
  const Outcome outcome = project.run({.keep_going = true});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.statuses == std::map<std::string, std::string>{{"a", "failed"}, {"b", "done"}});
  REQUIRE(!outcome.events.empty());
  CHECK(outcome.events.back() == "finish");
}

TEST_CASE("a user's files beside results stay", "[outputs]") {
  Project project;
  project.write("stages:\n" + stage("a", "o: a.txt", "{out.o}") +
                stage("b", "o: b.txt", "b {out.o}"));
  project.run();
  project.disk.put(project.outputs / "p" / "a" / "notes.md", "mine");
  project.disk.make_link("/elsewhere", project.outputs / "p" / "a" / "link");
  project.disk.put(project.outputs / "p" / "b" / "deep" / "notes.md", "mine");
  project.write("stages:\n" + stage("a", "o: other.txt", "{out.o}"));
  project.run();
  CHECK(project.disk.list(project.outputs / "p" / "a") == Names{"link", "notes.md", "other.txt"});
  CHECK(project.disk.list(project.outputs / "p" / "b") == Names{"deep"});
  CHECK(project.shown("p/b/deep/notes.md") == "mine");
}

TEST_CASE("a user's own links and folders stay, even if they lead into a store", "[outputs]") {
  Project project;
  project.write("stages:\n" + stage("a", "o: a.txt, q: deep/q.txt", "{out.o} {out.q}") +
                stage("b", "o: b.txt", "b {out.o}"));
  project.run();
  const Path folder = project.outputs / "p" / "a";
  project.disk.make_link("/other/.headway/objects/x", folder / "absolute");
  project.disk.make_link("../../../.headway/objects/x", folder / "other_store");
  project.disk.make_link("../.headway/objects/x", folder / "beside");
  project.disk.make_link("../../.headway/../notes", folder / "through");
  project.disk.make_link("../../.headway/objects/x", folder / "deep" / "too_short");
  project.disk.make_directories(folder / "mine");
  project.disk.make_directories(project.outputs / "p" / "b" / "mine");
  project.disk.make_directories(project.outputs / "p" / "mine");
  project.write("stages:\n" + stage("a", "o: other.txt", "{out.o}"));
  project.run();
  CHECK(project.disk.list(folder) ==
        Names{"absolute", "beside", "deep", "mine", "other.txt", "other_store", "through"});
  CHECK(project.disk.list(folder / "deep") == Names{"too_short"});
  CHECK(project.disk.list(project.outputs / "p" / "b") == Names{"mine"});
  CHECK(project.disk.list(project.outputs / "p") == Names{"a", "b", "mine"});
}

TEST_CASE("stages that the pipeline no longer has are removed", "[outputs]") {
  Project project;
  project.write("stages:\n" + stage("a", "o: a.txt", "a {out.o}") +
                stage("b", "o: deep/b.txt", "b {out.o}") +
                "  m: {uses: shell, matrix: {lr: [0.1, 0.2]}, outs: {o: m.txt}, with: {run: \"m "
                "${matrix.lr} {out.o}\"}}\n");
  project.run();
  CHECK(project.disk.list(project.outputs / "p") == Names{"a", "b", "m@0.1", "m@0.2"});
  project.write("stages:\n" + stage("a", "o: a.txt", "a {out.o}") +
                "  m: {uses: shell, matrix: {lr: [0.2]}, outs: {o: m.txt}, with: {run: \"m "
                "${matrix.lr} {out.o}\"}}\n");
  CHECK(project.run().ran.empty());
  CHECK(project.disk.list(project.outputs / "p") == Names{"a", "m@0.2"});
  CHECK(PipelineState(project.disk, project.layout, "p", "").all().size() == 2);
}

TEST_CASE("a variant's folder is not mistaken for a removed stage", "[outputs]") {
  Project project;
  project.write("stages:\n" + stage("a", "o: a.txt", "a {out.o}") + "variants: {v: {}}\n");
  project.run({.variant = "v"});
  project.run();
  CHECK(project.shown("p/v/a/a.txt") == "a {out.o}\n");
  CHECK(project.shown("p/a/a.txt") == "a {out.o}\n");
}

TEST_CASE("a variant with the name of a removed stage keeps its results", "[outputs]") {
  Project project;
  project.write("stages:\n" + stage("wide", "o: a.txt", "a {out.o}"));
  project.run();
  project.write("stages:\n" + stage("a", "o: a.txt", "a {out.o}") + "variants: {wide: {}}\n");
  project.run({.variant = "wide"});
  REQUIRE(project.shown("p/wide/a/a.txt") == "a {out.o}\n");
  project.run();
  CHECK(project.shown("p/wide/a/a.txt") == "a {out.o}\n");
}

TEST_CASE("going back to a remembered result removes the outputs of a failed expectation",
          "[outputs]") {
  Project project;
  const std::string good = "stages:\n" + stage("a", "metrics: good.json", "x=1 {out.metrics}");
  project.write(good);
  project.run();
  project.write(
      "stages:\n  a: {uses: shell, outs: {metrics: bad.json}, expect: {x: 1}, with: {run: \"x=2 "
      "{out.metrics}\"}}\n");
  REQUIRE(project.run().exit_code == 1);
  REQUIRE(project.disk.list(project.outputs / "p" / "a") == Names{"bad.json"});
  project.write(good);
  REQUIRE(project.run().exit_code == 0);
  CHECK(project.disk.list(project.outputs / "p" / "a") == Names{"good.json"});
}

TEST_CASE("links are right if the outputs folder is given with a trailing slash", "[outputs]") {
  MemoryFileSystem files;
  Store store(files, "/headway-test/outputs/");
  store.prepare();
  files.put("/headway-test/outputs/.headway/work/1/o.txt", "result");
  Record record;
  record.outputs.push_back(
      {"o", "o.txt",
       store.put("/headway-test/outputs/.headway/work/1/o.txt", Durability::kCached)});
  OutputsTree(store, "p", "", store.layout().works()).show("a", record, true);
  CHECK(files.read("/headway-test/outputs/p/a/o.txt") == "result");
}

TEST_CASE("a file beside the stages is also shown as a link", "[outputs]") {
  Project project;
  Store store(project.disk, project.outputs);
  store.prepare();
  project.disk.put(project.layout.run("1") / "trace.json", "[]");
  OutputsTree(store, "p", "", project.layout.works())
      .show_file("trace.json", project.layout.run("1") / "trace.json");
  OutputsTree(store, "p", "v", project.layout.works())
      .show_file("trace.json", project.layout.run("1") / "trace.json");
  CHECK(project.disk.read_link(project.outputs / "p" / "trace.json") ==
        "../.headway/runs/1/trace.json");
  CHECK(project.shown("p/trace.json") == "[]");
  CHECK(project.shown("p/v/trace.json") == "[]");
}

}  // namespace headway::testing
