// gc, verify, export: maintenance of the store.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kTwo = R"(
name: two
params: {x: 1}
stages:
  a: {uses: shell, outs: {t: a.txt}, with: {run: "echo a >> ran.txt; echo a ${x} > {out.t}"}}
  b: {uses: shell, in: {t: a}, outs: {t: b.txt, d: d}, with: {run: "echo b >> ran.txt; (cat {in.t}; echo b) > {out.t}; mkdir {out.d}; cp {in.t} {out.d}"}}
variants:
  other: {x: 7}
)";

struct Two : Sandbox {
  Two() { write("p.yaml", kTwo); }

  void run(const Words& more = {}) {
    Words words{"run", "p.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = headway(words);
    INFO(outcome.all());
    REQUIRE(outcome.exit_code == 0);
  }

  void edit(int x) {
    write("p.yaml", kTwo);
    replace("p.yaml", "{x: 1}", "{x: " + std::to_string(x) + "}");
  }

  void run_edited(int x) {
    edit(x);
    run();
  }

  std::map<std::string, std::string> store() const {
    return contents("outputs/.headway", {"digests"});
  }
};

TEST_CASE("gc keeps everything in use and removes the rest") {
  Two two;
  two.run_edited(2);
  two.run_edited(3);
  two.edit(1);
  two.run({"--variant", "other"});
  two.run();
  two.ran();
  const auto before = two.store();
  const Outcome dry = two.headway({"gc", "--dry-run"});
  INFO(dry.all());
  CHECK(dry.exit_code == 0);
  CHECK_THAT(dry.out, ContainsSubstring("4 records") && ContainsSubstring("would free"));
  CHECK(two.store() == before);

  CHECK_THAT(two.headway({"gc", "--older-than", "1h"}).out, ContainsSubstring("freed 0 B"));
  CHECK(two.store() == before);
  CHECK(two.headway({"gc", "--older-than", "soon"}).exit_code == 2);

  const Outcome gc = two.headway({"gc"});
  INFO(gc.all());
  CHECK(gc.exit_code == 0);
  CHECK(two.store().size() < before.size());
  CHECK_THAT(two.headway({"verify"}).out,
             ContainsSubstring("4 records") && ContainsSubstring("all whole"));
  two.run();
  two.run({"--variant", "other"});
  CHECK(two.ran().empty());
  CHECK(two.read("outputs/two/b/b.txt") == "a 1\nb\n");
  two.run_edited(2);
  CHECK(two.ran() == Words{"a", "b"});
}

TEST_CASE("gc keeps what the current file would reuse, even if the last run used something else") {
  Two two;
  two.run();
  two.run_edited(2);
  two.edit(1);
  two.ran();
  CHECK(two.headway({"gc"}).exit_code == 0);
  two.run();
  CHECK(two.ran().empty());
}

TEST_CASE("gc keeps the results of --set until they are forgotten") {
  Two two;
  two.run();
  two.run({"--set", "x=2"});
  two.ran();
  CHECK_THAT(two.headway({"gc"}).out, ContainsSubstring("freed 0 B"));
  two.run({"--set", "x=2"});
  CHECK(two.ran().empty());
  const Outcome gc = two.headway({"gc", "--forget", "two/x=2"});
  INFO(gc.all());
  CHECK_THAT(gc.out, ContainsSubstring("2 records"));
  CHECK(two.list("outputs/two") == Words{"a", "b", "trace.json"});
  two.run();
  CHECK(two.ran().empty());
}

TEST_CASE("gc keeps all results of a pipeline that is currently unreadable") {
  Two two;
  two.run();
  two.run_edited(2);
  two.edit(1);
  two.ran();
  const std::string good = two.read("p.yaml");
  two.write("p.yaml", "stages: [");
  const Outcome gc = two.headway({"gc"});
  CHECK(gc.exit_code == 0);
  CHECK_THAT(gc.err, ContainsSubstring("two: its file p.yaml cannot be read now") &&
                         ContainsSubstring("headway gc --forget two"));
  two.write("p.yaml", good);
  two.run();
  CHECK(two.ran().empty());
}

TEST_CASE("gc keeps all results of a pipeline whose file is missing, and says how to remove them") {
  Two two;
  two.run();
  two.run_edited(2);
  two.run({"--variant", "other"});
  std::filesystem::rename(two.at("p.yaml"), two.at("q.yaml"));
  const Outcome gc = two.headway({"gc"});
  INFO(gc.all());
  CHECK(gc.exit_code == 0);
  CHECK_THAT(gc.err, ContainsSubstring("two: its file p.yaml is gone; all its results are kept") &&
                         ContainsSubstring("headway gc --forget two\n") &&
                         ContainsSubstring("headway gc --forget two/other\n"));
  CHECK_THAT(two.headway({"verify"}).out, ContainsSubstring("6 records"));

  CHECK_THAT(two.headway({"gc", "--forget", "two"}).out, ContainsSubstring("4 records"));
  CHECK(two.list("outputs/two") == Words{"other"});
  CHECK(two.read("outputs/two/other/a/a.txt") == "a 7\n");
  CHECK(two.headway({"gc", "--forget", "two/other"}).exit_code == 0);
  CHECK_FALSE(two.exists("outputs/two"));
  CHECK_THAT(two.headway({"verify"}).out, ContainsSubstring("0 records"));
}

TEST_CASE("gc finds the files of a project that was moved as a whole") {
  const Sandbox sandbox;
  std::string unnamed = kTwo;
  unnamed.replace(unnamed.find("name: two\n"), 10, "");
  sandbox.write("a/sub/p.yaml", kTwo);
  sandbox.write("a/q.yaml", unnamed);
  const auto headway = [&](const Words& words, const char* folder) {
    const Outcome outcome = sandbox.headway(words, {{}, sandbox.at(folder), false});
    INFO(outcome.all());
    CHECK(outcome.exit_code == 0);
    return outcome;
  };
  headway({"run", "q.yaml"}, "a");
  sandbox.replace("a/sub/p.yaml", "{x: 1}", "{x: 2}");
  headway({"run", "sub/p.yaml"}, "a");
  sandbox.replace("a/sub/p.yaml", "{x: 2}", "{x: 3}");
  headway({"run", "sub/p.yaml"}, "a");
  headway({"run", "sub/p.yaml", "--variant", "other"}, "a");
  std::filesystem::rename(sandbox.at("a"), sandbox.at("b"));
  const Outcome gc = headway({"gc"}, "b");
  CHECK(gc.err.empty());
  CHECK_THAT(gc.out, ContainsSubstring("2 records"));
  CHECK_THAT(headway({"verify"}, "b").out, ContainsSubstring("6 records"));
  CHECK(sandbox.read("b/outputs/two/a/a.txt") == "a 3\n");

  SECTION("but not another pipeline's file of the same name") {
    sandbox.replace("b/sub/p.yaml", "name: two", "name: three");
    CHECK_THAT(headway({"gc"}, "b").err, ContainsSubstring("sub/p.yaml is gone"));
    CHECK_THAT(headway({"verify"}, "b").out, ContainsSubstring("6 records"));
  }
  SECTION("and a variant that the file no longer has is removed, as without moving") {
    sandbox.replace("b/sub/p.yaml", "other:", "another:");
    CHECK_THAT(headway({"gc"}, "b").out, ContainsSubstring("its file has no such variant"));
    CHECK_THAT(headway({"verify"}, "b").out, ContainsSubstring("4 records"));
  }
}

TEST_CASE("gc --forget removes the given results with their links, and nothing else") {
  Two two;
  two.run();
  two.run({"--variant", "other"});
  two.write("outputs/two/other/notes.txt", "mine");
  two.write("outputs/index.html", "the page before");

  const Outcome typo = two.headway({"gc", "--forget", "two/othr"});
  CHECK(typo.exit_code == 2);
  CHECK_THAT(typo.err, ContainsSubstring("did you mean 'two/other'?"));
  CHECK_THAT(two.headway({"gc", "--forget", "two/other", "--dry-run"}).out,
             ContainsSubstring("2 records"));
  const Outcome young = two.headway({"gc", "--forget", "two/other", "--older-than", "1h"});
  CHECK_THAT(young.out, ContainsSubstring("two/other: ") && ContainsSubstring("freed 0 B"));
  CHECK(two.read("outputs/two/other/a/a.txt") == "a 7\n");
  CHECK(two.read("outputs/index.html") == "the page before");

  CHECK_THAT(two.headway({"gc", "--forget", "two/other"}).out, ContainsSubstring("2 records"));
  CHECK(two.list("outputs/two/other") == Words{"notes.txt"});
  CHECK(two.read("outputs/two/a/a.txt") == "a 1\n");
  CHECK_THAT(two.read("outputs/index.html"), ContainsSubstring("1 pipeline ran"));
  CHECK(two.headway({"gc", "--forget", "two/other"}).exit_code == 2);
}

Path object_of(const Two& two, const Path& shown) {
  return std::filesystem::canonical(two.at(shown));
}

void overwrite(const Path& path, const std::string& text) {
  ::chmod(path.c_str(), 0644);
  std::ofstream(path) << text;
}

TEST_CASE("verify finds a flipped byte, and the next run recreates the result") {
  Two two;
  two.run();
  two.ran();
  const Path object = object_of(two, "outputs/two/a/a.txt");
  overwrite(object, "b 1\n");
  const Outcome verified = two.headway({"verify"});
  INFO(verified.all());
  CHECK(verified.exit_code == 1);
  CHECK_THAT(verified.out, ContainsSubstring("its contents are") && ContainsSubstring("two/a.t"));
  CHECK_THAT(two.headway({"status"}).out, ContainsSubstring("a  stale"));
  two.run();
  CHECK(two.ran() == Words{"a"});
  CHECK(two.read("outputs/two/a/a.txt") == "a 1\n");
  CHECK(two.headway({"verify"}).exit_code == 0);
}

TEST_CASE("a run also notices a damaged result, and never uses it") {
  Two two;
  two.run();
  two.ran();
  SECTION("a file with different contents") {
    overwrite(object_of(two, "outputs/two/a/a.txt"), "b 1\n");
  }
  SECTION("a truncated file") {
    overwrite(object_of(two, "outputs/two/a/a.txt"), "");
  }
  SECTION("a missing file") {
    std::filesystem::remove(object_of(two, "outputs/two/a/a.txt"));
  }
  SECTION("an invalid record") {
    for (const auto& [name, text] : two.contents("outputs/.headway/records")) {
      if (text.find("\"a.txt\"") != std::string::npos)
        overwrite(two.at("outputs/.headway/records") / name, text.substr(0, text.size() / 2));
    }
  }
  SECTION("an extra file in a folder") {
    const Path folder = object_of(two, "outputs/two/b/d");
    ::chmod(folder.c_str(), 0755);
    overwrite(folder / "more", "x");
    const Outcome outcome = two.headway({"run", "p.yaml"});
    CHECK(outcome.exit_code == 0);
    CHECK_THAT(outcome.out, ContainsSubstring("damaged"));
    CHECK(two.ran() == Words{"b"});
    return;
  }
  const Outcome outcome = two.headway({"run", "p.yaml"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(two.ran() == Words{"a"});
  CHECK(two.read("outputs/two/a/a.txt") == "a 1\n");
  CHECK(two.headway({"verify"}).exit_code == 0);
}

TEST_CASE("a store full of garbage leads to a rerun, not a crash") {
  Two two;
  two.run();
  two.ran();
  for (const char* name : {"outputs/.headway/digests", "outputs/.headway/state/two"})
    overwrite(two.at(name), std::string("\0{\"x\":[\n\xff\xfe{}\n[]\n1\n", 18));
  for (const auto& [name, text] : two.contents("outputs/.headway/records"))
    overwrite(two.at("outputs/.headway/records") / name, "{\"outputs\": 3}\n");
  CHECK(two.headway({"status", "p.yaml"}).exit_code == 0);
  CHECK(two.headway({"show", "p.yaml"}).exit_code == 0);
  CHECK(two.headway({"why", "p.yaml", "b"}).exit_code == 0);
  CHECK(two.headway({"gc", "--dry-run"}).exit_code == 0);
  const Outcome outcome = two.headway({"run", "p.yaml"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(two.ran() == Words{"a", "b"});
  CHECK(two.headway({"verify"}).exit_code == 0);
}

TEST_CASE("results in the outputs folder cannot be changed by accident") {
  Two two;
  two.run();
  if (::geteuid() == 0) SKIP("root may write everything");
  CHECK(two.sh("echo x > outputs/two/a/a.txt").exit_code != 0);
  CHECK(two.read("outputs/two/a/a.txt") == "a 1\n");
}

TEST_CASE("export copies results with their provenance, for all pipelines or one") {
  Two two;
  two.run();
  two.run({"--variant", "other"});
  const Outcome all = two.headway({"export", "all"});
  CHECK(all.exit_code == 0);
  CHECK(two.contents("all").size() == 2 * 4);
  CHECK(two.read("all/two/other/b/d/" + two.list("all/two/other/b/d").front()) == "a 7\n");
  const Json provenance = Json::parse(two.read("all/two/provenance.json"));
  CHECK(provenance.at("stages").at("a").at("outputs").at("t").at("file") == "a/a.txt");
  CHECK(provenance.at("stages").at("b").at("facts").at("output t") == "b.txt");

  CHECK(two.headway({"export", "one", "p.yaml", "--variant", "other"}).exit_code == 0);
  CHECK(two.contents("one").size() == 4);
  CHECK_FALSE(std::filesystem::is_symlink(two.at("one/two/other/a/a.txt")));

  const Outcome again = two.headway({"export", "all"});
  CHECK(again.exit_code == 2);
  CHECK_THAT(again.err, ContainsSubstring("not empty"));
}

TEST_CASE("export leaves out what the file has changed since, and says so") {
  Two two;
  two.run();
  two.run({"--set", "x=5"});
  two.run({"--variant", "other"});
  two.write("p.yaml", kTwo);
  two.replace("p.yaml", "echo b)", "echo c)");
  two.replace("p.yaml", "  other: {x: 7}", "  another: {x: 7}");
  const Outcome all = two.headway({"export", "all"});
  INFO(all.all());
  CHECK(all.exit_code == 1);
  CHECK_THAT(all.err, ContainsSubstring("two: b: left out: stale: ") &&
                          ContainsSubstring("two/x=5: b: left out: stale: ") &&
                          ContainsSubstring("two/other: left out: its file has no such variant"));
  CHECK_THAT(all.out, ContainsSubstring("2 files"));
  CHECK(two.read("all/two/a/a.txt") == "a 1\n");
  CHECK(two.read("all/two/x=5/a/a.txt") == "a 5\n");
  CHECK_FALSE(two.exists("all/two/b"));
  CHECK_FALSE(two.exists("all/two/other"));

  std::filesystem::remove(two.at("p.yaml"));
  const Outcome gone = two.headway({"export", "gone"});
  CHECK(gone.exit_code == 1);
  CHECK_THAT(gone.err, ContainsSubstring("two: left out: ") && ContainsSubstring("p.yaml"));
  CHECK_THAT(gone.out, ContainsSubstring("0 files"));
}

TEST_CASE("export names what failed or never ran, and keeps what only misses its expectation") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
params: {n: 1}
variants: {more: {n: 2}}
stages:
  low: {uses: shell, outs: {metrics: m.json}, expect: {x: "> 5"}, with: {run: "echo '{\"x\": ${n}}' > {out.metrics}"}}
  bad: {uses: shell, outs: {t: t.txt}, with: {run: "exit 3; : {out.t}"}}
  next: {uses: shell, in: {t: bad}, outs: {t: t.txt}, with: {run: "cp {in.t} {out.t}"}}
)");
  sandbox.headway({"run", "p.yaml", "--keep-going", "-q"});
  const Outcome outcome = sandbox.headway({"export", "x", "p.yaml"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("p: low: misses its expectation: ") &&
                              ContainsSubstring("p: bad: left out: failed: ") &&
                              ContainsSubstring("p: next: left out: never run"));
  CHECK(sandbox.list("x/p") == Words{"low", "provenance.json"});

  const Outcome never = sandbox.headway({"export", "y", "p.yaml", "--variant", "more"});
  CHECK(never.exit_code == 1);
  CHECK(never.err == "p/more: left out: it has not run yet\n");
}

TEST_CASE("export takes the report that a file without one got, while it is current") {
  Two two;
  two.run();
  REQUIRE(two.headway({"report", "p.yaml", "-q"}).exit_code == 0);
  CHECK(two.headway({"export", "x"}).exit_code == 0);
  CHECK(two.exists("x/two/report/index.html"));
  two.edit(2);
  const Outcome outcome = two.headway({"export", "y"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("two: report: left out: stale"));
}

TEST_CASE("verbs report a missing store and do not create one") {
  const Sandbox sandbox;
  for (const Words& words : {Words{"gc"}, Words{"verify"}, Words{"export", "x"}}) {
    const Outcome outcome = sandbox.headway(words);
    INFO(words.front() << ": " << outcome.all());
    CHECK(outcome.exit_code == 2);
    CHECK_FALSE(outcome.err.empty());
  }
  CHECK(sandbox.headway({"status"}).exit_code == 0);
  CHECK(sandbox.headway({"show"}).exit_code == 0);
  CHECK(sandbox.list(".").empty());
}

}  // namespace
}  // namespace headway::e2e
