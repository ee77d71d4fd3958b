// What is recomputed and what is not: every rule of the cache, in memory.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/support/project.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

// a -> b -> d, a -> c -> d, and e alone.
constexpr const char* kDiamond = R"(
name: p
params: {a: 1, b: 1, c: 1, d: 1, e: 1}
stages:
  a: {uses: shell, outs: {o: a.txt}, with: {run: "a ${a} {out.o}"}}
  b: {uses: shell, in: {x: a}, outs: {o: b.txt}, with: {run: "b ${b} {out.o}"}}
  c: {uses: shell, in: {x: a}, outs: {o: c.txt}, with: {run: "c ${c} {out.o}"}}
  d: {uses: shell, in: {x: b, y: c}, outs: {o: d.csv}, with: {run: "d ${d} {out.o}"}}
  e: {uses: shell, outs: {o: e.txt}, with: {run: "e ${e} {out.o}"}}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("'" + from + "' is not in the text");
  return text.replace(at, from.size(), to);
}

// What runs in a project that has run, once its pipeline is edited.
Names ran_after_edit(const std::string& from, const std::string& to,
                     const std::string& yaml = kDiamond) {
  Project project;
  project.write(yaml);
  REQUIRE(project.run().exit_code == 0);
  project.write(replaced(yaml, from, to));
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 0);
  return sorted(outcome.ran);  // the order depends on how long they took before
}

}  // namespace

TEST_CASE("a first run runs every stage after its dependencies", "[cache]") {
  Project project;
  project.write(kDiamond);
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.ran == Names{"a", "b", "c", "d", "e"});
  CHECK(outcome.summary.done == 5);
  CHECK(project.shown("p/d/d.csv") ==
        "d 1 {out.o}\n"
        "x: [b 1 {out.o}\nx: [a 1 {out.o}\n]\n]\n"
        "y: [c 1 {out.o}\nx: [a 1 {out.o}\n]\n]\n");
}

TEST_CASE("a second run does nothing", "[cache]") {
  Project project;
  project.write(kDiamond);
  project.run();
  const auto before = project.shown_tree();
  const Outcome second = project.run();
  CHECK(second.exit_code == 0);
  CHECK(second.ran.empty());
  CHECK(second.summary.fresh == 5);
  CHECK(second.summary.done == 0);
  CHECK(project.shown_tree() == before);
}

TEST_CASE("a second run writes only its own traces", "[cache]") {
  Project project;
  project.write(kDiamond);
  project.run();
  auto before = project.disk.tree(project.outputs, ".headway/runs");
  project.run();
  auto after = project.disk.tree(project.outputs, ".headway/runs");
  // Only the time of the pipeline's last run is written.
  CHECK(after.at(".headway/state/p").starts_with(before.at(".headway/state/p")));
  before.erase(".headway/state/p");
  after.erase(".headway/state/p");
  CHECK(after == before);
}

TEST_CASE("a run of all stages looks at everything once, also where they are all named",
          "[cache]") {
  Project project;
  project.write(kDiamond);
  project.run();
  project.files.heal();
  project.run();
  const std::size_t operations = project.files.operations();
  project.files.heal();
  project.run({.targets = {"a", "b", "c", "d", "e"}});
  CHECK(project.files.operations() == operations);
}

TEST_CASE("an unchanged store is not read again", "[cache]") {
  Project project;
  project.write(kDiamond);
  project.run();
  project.disk.take_digested();
  project.run();
  CHECK(project.disk.take_digested() == Names{});
}

TEST_CASE("an unchanged folder in the store is not read again", "[cache]") {
  Project project;
  project.write(
      "stages: {a: {uses: shell, outs: {folder: site}, with: {run: \"a {out.folder}\"}}}");
  project.run();
  project.disk.take_digested();
  CHECK(project.run().ran.empty());
  CHECK(project.disk.take_digested() == Names{});
}

TEST_CASE("editing one parameter reruns only its descendants", "[cache]") {
  CHECK(ran_after_edit("b: 1", "b: 2") == Names{"b", "d"});
  CHECK(ran_after_edit("{a: 1", "{a: 2") == Names{"a", "b", "c", "d"});
  CHECK(ran_after_edit("d: 1", "d: 2") == Names{"d"});
  CHECK(ran_after_edit("e: 1", "e: 2") == Names{"e"});
}

TEST_CASE("going back to an earlier value runs nothing", "[cache]") {
  Project project;
  project.write(kDiamond);
  project.run();
  project.write(replaced(kDiamond, "a: 1", "a: 2"));
  CHECK(project.run().ran.size() == 4);
  CHECK(project.shown("p/a/a.txt") == "a 2 {out.o}\n");
  project.write(kDiamond);
  CHECK(project.run().ran.empty());
  CHECK(project.shown("p/a/a.txt") == "a 1 {out.o}\n");
}

TEST_CASE("a rerun that produces equal bytes stops there", "[cache]") {
  Project project;
  const std::string yaml = replaced(kDiamond, "a ${a} {out.o}", "a {out.o} # ${a}");
  project.write(yaml);
  project.run();
  const Outcome outcome = project.run({.sets = {"a=2"}});
  CHECK(outcome.ran == Names{"a"});
  CHECK(outcome.summary.done == 1);
  CHECK(outcome.summary.fresh == 4);
  CHECK(outcome.statuses.at("d") == "fresh");
}

TEST_CASE("the name of a stage is not part of the key", "[cache]") {
  const std::string yaml =
      "stages: {old: {uses: shell, outs: {o: o.txt}, with: {run: \"x {out.o}\"}}}";
  CHECK(ran_after_edit("old", "new", yaml).empty());
}

TEST_CASE("comments are not part of the key", "[cache]") {
  CHECK(ran_after_edit("stages:", "# every stage, and why\nstages:  # here").empty());
}

TEST_CASE("the order of stages and of their keys is not part of the key", "[cache]") {
  CHECK(ran_after_edit("{uses: shell, outs: {o: e.txt}, with: {run: \"e ${e} {out.o}\"}}",
                       "{with: {run: \"e ${e} {out.o}\"}, outs: {o: e.txt}, uses: shell}")
            .empty());
}

TEST_CASE("the order of the keys of 'in' is not part of the key", "[cache]") {
  CHECK(ran_after_edit("{x: b, y: c}", "{y: c, x: b}").empty());
}

TEST_CASE("the order of the keys of 'outs' is not part of the key", "[cache]") {
  const std::string yaml =
      "stages: {a: {uses: shell, outs: {o: o.txt, q: q.txt}, with: {run: \"x {out.o} {out.q}\"}}}";
  CHECK(ran_after_edit("{o: o.txt, q: q.txt}", "{q: q.txt, o: o.txt}", yaml).empty());
}

TEST_CASE("the file name and the name of the pipeline are not part of the key", "[cache]") {
  Project project;
  project.write(kDiamond);
  project.run();
  project.write(replaced(kDiamond, "name: p", "name: other"), "elsewhere.yaml");
  const Outcome outcome = project.run({.file = "elsewhere.yaml"});
  CHECK(outcome.ran.empty());
  CHECK(project.shown("other/d/d.csv") == project.shown("p/d/d.csv"));
}

TEST_CASE("needs, timeout, retries, resources and expect are not part of the key", "[cache]") {
  CHECK(ran_after_edit(
            "e: {uses: shell,",
            "e: {uses: shell, needs: [d], timeout: 5s, retries: 3, resources: {time: 1h, cpus: 2, "
            "memory: 1MB},")
            .empty());
  const std::string yaml =
      "stages: {m: {uses: shell, outs: {metrics: m.json}, with: {run: \"x=1 {out.metrics}\"}}}";
  CHECK(ran_after_edit("outs:", "expect: {x: 1}, outs:", yaml).empty());
}

TEST_CASE("the version of a stage type is part of the key", "[cache]") {
  Project project;
  project.write(kDiamond);
  project.run();
  StageType newer = *project.stages.find("shell");
  newer.version = 2;
  project.stages = StageRegistry();
  project.stages.add(newer);
  CHECK(sorted(project.run({.targets = {"a", "e"}}).ran) == Names{"a", "e"});
}

TEST_CASE("the command is part of the key", "[cache]") {
  CHECK(ran_after_edit("\"d ${d} {out.o}\"", "\"dd ${d} {out.o}\"") == Names{"d"});
}

TEST_CASE("the contents of a code file are part of the key", "[cache]") {
  Project project;
  project.disk.put(project.folder / "tool.py", "one");
  project.write(
      "stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: \"x {out.o}\", code: [tool.py]}}}");
  CHECK(project.run().ran == Names{"a"});
  CHECK(project.run().ran.empty());
  project.disk.put(project.folder / "tool.py", "two");
  CHECK(project.run().ran == Names{"a"});
  project.disk.put(project.folder / "tool.py", "one");
  CHECK(project.run().ran.empty());
}

TEST_CASE("a file that the command names is part of the key, listed or not", "[cache]") {
  Project project;
  project.write("print(1)", "tools/tool.py");
  project.write(
      "stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: \"python3 tools/tool.py "
      "{out.o}\"}}}");
  CHECK(project.run().ran == Names{"a"});
  CHECK(project.run().ran.empty());
  project.write("print(2)", "tools/tool.py");
  CHECK(project.reason_of("a") == "file tools/tool.py changed");
  CHECK(project.run().ran == Names{"a"});
  const Digest key = project.key_of("a");
  project.write(
      "stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: \"python3 tools/tool.py {out.o}\", "
      "ignore: [tools/tool.py]}}}");
  CHECK(project.key_of("a") != key);
  project.run();
  project.write("print(3)", "tools/tool.py");
  CHECK(project.run().ran.empty());
}

TEST_CASE("a command that writes to a file it names fails and says what to do", "[cache]") {
  Project project;
  project.write("old", "latest.csv");
  project.write(
      "stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: \"update latest.csv {out.o}\"}}}");
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    project.write("new", "latest.csv");
    return project.executor.work(job);
  });
  CHECK(
      project.run().messages.at("a") ==
      "latest.csv was changed while the stage ran, so its result is not kept; run it again (if its "
      "command writes it, list it under 'ignore')");
}

TEST_CASE("a touched code file with the same contents runs nothing", "[cache]") {
  Project project;
  project.disk.put(project.folder / "tool.py", "one");
  project.write(
      "stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: \"x {out.o}\", code: [tool.py]}}}");
  project.run();
  project.disk.put(project.folder / "tool.py", "one");
  CHECK(project.run().ran.empty());
}

TEST_CASE("files inside a code folder are part of the key", "[cache]") {
  Project project;
  project.disk.put(project.folder / "tools" / "deep" / "x.py", "one");
  project.write(
      "stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: \"x {out.o}\", code: [tools]}}}");
  project.run();
  CHECK(project.run().ran.empty());
  SECTION("an edited one") {
    project.disk.put(project.folder / "tools" / "deep" / "x.py", "two");
  }
  SECTION("a new one") {
    project.disk.put(project.folder / "tools" / "y.py", "");
  }
  SECTION("a renamed one") {
    project.disk.rename(project.folder / "tools/deep/x.py", project.folder / "tools/deep/y.py");
  }
  SECTION("a removed one") {
    project.disk.remove(project.folder / "tools" / "deep" / "x.py");
  }
  CHECK(project.run().ran == Names{"a"});
}

TEST_CASE("a code file edited with the same size and mtime is noticed by its ctime", "[cache]") {
  Project project;
  project.disk.put(project.folder / "tool.py", "one");
  project.write(
      "stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: \"x {out.o}\", code: [tool.py]}}}");
  project.run();
  const FileInfo before = *project.disk.info(project.folder / "tool.py");
  project.disk.edit_keeping_mtime(project.folder / "tool.py", "two");
  const FileInfo after = *project.disk.info(project.folder / "tool.py");
  REQUIRE((before.size == after.size && before.mtime_ns == after.mtime_ns &&
           before.inode == after.inode));
  CHECK(project.run().ran == Names{"a"});
}

TEST_CASE("a missing code file is reported before anything runs", "[cache]") {
  Project project;
  project.disk.put(project.folder / "tool.py", "one");
  project.write(
      "stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: \"x {out.o}\", code: [tool.py]}}}");
  project.run();
  project.disk.remove(project.folder / "tool.py");
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 2);
  CHECK_THAT(outcome.error, ContainsSubstring("no such file: /headway-test/project/tool.py"));
}

TEST_CASE("the value of a listed variable is part of the key, that of others is not", "[cache]") {
  ScopedVariable listed("HEADWAY_TEST_LISTED", "1");
  ScopedVariable other("HEADWAY_TEST_OTHER", "1");
  Project project;
  project.write(
      "stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: \"x {out.o}\", env: "
      "[HEADWAY_TEST_LISTED]}}}");
  CHECK(project.run().ran == Names{"a"});
  other.set("2");
  CHECK(project.run().ran.empty());
  listed.set("2");
  CHECK(project.run().ran == Names{"a"});
  listed.set(nullptr);
  CHECK(project.run().ran == Names{"a"});
  listed.set("1");
  CHECK(project.run().ran.empty());
  CHECK(project.executor.ran().empty());
}

TEST_CASE("the files of outputs are part of the key", "[cache]") {
  const std::string yaml =
      "stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: \"x {out.o}\"}}}";
  CHECK(ran_after_edit("o.txt", "o.csv", yaml) == Names{"a"});
}

TEST_CASE("the contents of inputs are part of the key, but not who made them", "[cache]") {
  // b and c write the same bytes, so that it does not matter to d which of the two it reads.
  const std::string yaml = R"(
stages:
  b: {uses: shell, outs: {o: o.txt}, with: {run: "same {out.o} # b"}}
  c: {uses: shell, outs: {o: o.txt}, with: {run: "same {out.o} # c"}}
  d: {uses: shell, in: {x: b}, outs: {o: d.txt}, with: {run: "d {out.o}"}}
)";
  CHECK(ran_after_edit("{x: b}", "{x: c}", yaml).empty());
  CHECK(ran_after_edit("\"same {out.o} # b\"", "\"other {out.o}\"", yaml) == Names{"b", "d"});
}

TEST_CASE("the extension of an input is part of the key, because programs depend on it",
          "[cache]") {
  const std::string yaml = R"(
stages:
  b: {uses: shell, outs: {o: o.txt, q: o.csv}, with: {run: "same {out.o} {out.q}"}}
  d: {uses: shell, in: {x: b.o}, outs: {o: d.txt}, with: {run: "d {out.o}"}}
)";
  CHECK(ran_after_edit("b.o", "b.q", yaml) == Names{"d"});
}

TEST_CASE("variants share what they have in common", "[cache]") {
  Project project;
  project.write(std::string(kDiamond) + "variants: {other: {d: 2}}\n");
  project.run();
  const Outcome variant = project.run({.variant = "other"});
  CHECK(variant.ran == Names{"d"});
  CHECK(project.shown("p/other/a/a.txt") == "a 1 {out.o}\n");
  CHECK(project.shown("p/other/d/d.csv").starts_with("d 2"));
  CHECK(project.shown("p/d/d.csv").starts_with("d 1"));
}

TEST_CASE("pipelines share what they have in common", "[cache]") {
  Project project;
  project.write(kDiamond);
  project.run();
  project.write("stages: {mine: {uses: shell, outs: {o: a.txt}, with: {run: \"a 1 {out.o}\"}}}",
                "q.yaml");
  CHECK(project.run({.file = "q.yaml"}).ran.empty());
  CHECK(project.shown("q/mine/a.txt") == "a 1 {out.o}\n");
}

TEST_CASE("stages with the same key run once in one run", "[cache]") {
  Project project;
  project.write(R"(
stages:
  a: {uses: shell, outs: {o: a.txt}, with: {run: "same {out.o}"}}
  b: {uses: shell, outs: {o: a.txt}, with: {run: "same {out.o}"}}
  c: {uses: shell, outs: {o: a.txt}, with: {run: "same {out.o}"}}
  d: {uses: shell, in: {x: c}, outs: {o: d.txt}, with: {run: "d {out.o}"}}
)");
  const int cpus = GENERATE(1, 4);
  const Outcome outcome = project.run({.cpus = cpus});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.ran.size() == 2);
  CHECK(outcome.ran.back() == "d");
  CHECK(outcome.summary.done == 2);
  CHECK(outcome.summary.fresh == 2);
  CHECK(project.shown("p/b/a.txt") == "same {out.o}\n");
  CHECK(project.shown("p/c/a.txt") == "same {out.o}\n");
}

TEST_CASE("stages with the same key run once even if the first fails", "[cache]") {
  Project project;
  project.write(R"(
stages:
  a: {uses: shell, outs: {o: a.txt}, with: {run: "fail {out.o}"}}
  b: {uses: shell, outs: {o: a.txt}, with: {run: "fail {out.o}"}}
)");
  const int cpus = GENERATE(1, 2);
  const Outcome outcome = project.run({.cpus = cpus, .keep_going = true});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.ran.size() == 1);
  CHECK(outcome.summary.failed == 2);
  const std::string second = outcome.ran[0] == "a" ? "b" : "a";
  CHECK(outcome.messages.at(second) == "the same work failed in another stage: exit code 1");
}

TEST_CASE("a stage does not fail because of a file in the way of its twin", "[cache]") {
  Project project;
  project.write(R"(
stages:
  a: {uses: shell, outs: {o: a.txt}, with: {run: "same {out.o}"}}
  b: {uses: shell, outs: {o: a.txt}, with: {run: "same {out.o}"}}
)");
  project.disk.put(project.outputs / "p" / "a" / "a.txt", "mine");
  const Outcome outcome = project.run({.keep_going = true});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.statuses.at("a") == "failed");
  CHECK(outcome.statuses.at("b") == "fresh");
}

TEST_CASE("a forced stage runs again, and equal bytes stop the rerun there", "[cache]") {
  Project project;
  project.write(kDiamond);
  project.run();
  const Outcome outcome = project.run({.force = {"a"}});
  CHECK(outcome.ran == Names{"a"});
  CHECK(project.starts.at(0).reason == "forced");
  CHECK(outcome.summary.fresh == 4);
}

TEST_CASE("forced stages with the same key run once", "[cache]") {
  Project project;
  project.write(R"(
stages:
  a: {uses: shell, outs: {o: a.txt}, with: {run: "same {out.o}"}}
  b: {uses: shell, outs: {o: a.txt}, with: {run: "same {out.o}"}}
)");
  project.run();
  CHECK(project.run({.force = {"a", "b"}}).ran.size() == 1);
}

TEST_CASE("only the requested stages are run", "[cache]") {
  Project project;
  project.write(kDiamond);
  CHECK(project.run({.targets = {"b"}}).ran == Names{"a", "b"});
  const Outcome rest = project.run();
  CHECK(rest.ran == Names{"c", "d", "e"});
}

TEST_CASE("the option --only refuses if an input is missing", "[cache]") {
  Project project;
  project.write(kDiamond);
  const Outcome outcome = project.run({.targets = {"b"}, .only = {"b"}});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.ran.empty());
  CHECK(outcome.error ==
        "--only: the result of stage 'a' is needed but not there (never run); run it first, or "
        "leave out --only");
}

TEST_CASE("the option --only runs if its inputs are fresh, and otherwise says which changed",
          "[cache]") {
  Project project;
  project.write(kDiamond);
  project.run({.targets = {"a"}});
  CHECK(project.run({.targets = {"b"}, .only = {"b"}}).ran == Names{"b"});
  const Outcome changed = project.run({.sets = {"a=2"}, .targets = {"b"}, .only = {"b"}});
  CHECK(changed.exit_code == 2);
  CHECK(changed.error ==
        "--only: the result of stage 'a' is needed but not there (a: 1 -> 2); run it first, or "
        "leave out --only");
}

}  // namespace headway::testing
