// Files as inputs and stage types of the user's own, with the real program.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

struct Study : Sandbox {
  Study() {
    write("data/a.csv", "3\n4\n");
    write("data/b.csv", "5\n");
    write("tools/add.sh", "awk '{s += $1 * '$1'} END {print s}' \"$2\"; echo add >> ran.txt\n");
    write("tools/add.yaml", R"(summary: adds numbers
params: {times: {default: 1, at_least: 1, help: a factor}, note: {default: it's}}
in: {rows: one number a line}
outs: {sum: sum.txt}
run: sh add.sh {with.times} {in.rows} > {out.sum}; echo {with.note} >> {out.sum}
)");
    write("p.yaml", R"(
stages:
  add: {uses: ./tools/add.yaml, in: {rows: ./data/a.csv}, with: {times: 2}}
  all:
    uses: shell
    in: {rows: "./data/*.csv"}
    outs: {o: o.txt}
    with: {run: "echo {items.rows} > {out.o}; cat {in.rows} >> {out.o}"}
)");
  }
  std::string said(const Words& words) const { return headway(words).all(); }
};

}  // namespace

TEST_CASE("a script with a declaration is a stage that reads the user's files") {
  const Study study;
  const Outcome outcome = study.headway({"run", "p.yaml"});
  INFO(outcome.all());
  REQUIRE(outcome.exit_code == 0);
  CHECK(study.read("outputs/p/add/sum.txt") == "14\nit's\n");
  CHECK(study.read("outputs/p/all/o.txt") == "a b\n3\n4\n5\n");
  CHECK(study.read("tools/ran.txt") == "add\n");  // it runs beside its declaration

  study.write("data/a.csv", "1\n");
  CHECK_THAT(study.said({"why", "p.yaml", "add"}), ContainsSubstring("from the file ./data/a.csv"));
  CHECK_THAT(study.said({"why", "p.yaml", "all"}), ContainsSubstring("items that changed: a"));
  CHECK_THAT(study.said({"status", "p.yaml"}),
             ContainsSubstring("input rows changed (from the file ./data/a.csv)"));
  CHECK_THAT(study.said({"graph", "p.yaml"}),
             ContainsSubstring("./data/a.csv (file)\n└─ add (./tools/add.yaml)"));
  CHECK_THAT(study.said({"show", "p.yaml", "add"}),
             ContainsSubstring("rows  the file ./data/a.csv"));
  CHECK(study.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(study.read("outputs/p/add/sum.txt") == "2\nit's\n");

  study.replace("tools/add.sh", "* ",
                "+ ");  // found in the command, though `code` does not list it
  CHECK_THAT(study.said({"why", "p.yaml", "add"}), ContainsSubstring("file add.sh"));
  REQUIRE(study.headway({"run", "p.yaml"}).exit_code == 0);
  REQUIRE(study.headway({"export", "exported"}).exit_code == 0);
  CHECK_THAT(study.read("exported/p/provenance.json"), ContainsSubstring("the file ./data/a.csv"));
}

TEST_CASE("a stage that writes to the user's file fails, and the file is left alone") {
  const Study study;
  study.write("p.yaml", R"(
stages:
  bad: {uses: shell, in: {x: ./data/a.csv}, outs: {o: o.txt}, with: {run: "echo 9 >> {in.x}; cp {in.x} {out.o}"}}
)");
  const Outcome outcome = study.headway({"run", "p.yaml"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.all(),
             ContainsSubstring("the file ./data/a.csv was changed while the stage ran"));
  CHECK(study.read("data/a.csv") == "3\n4\n9\n");
  CHECK(study.headway({"gc"}).exit_code == 0);
  CHECK(study.headway({"verify"}).exit_code == 0);
  CHECK(study.read("data/a.csv") == "3\n4\n9\n");
}

TEST_CASE("types of the user's own are listed, explained and completed") {
  const Study study;
  study.write("types.yaml", R"(
types:
  one: {summary: the first, run: "true"}
  two: {summary: the second, run: "true"}
stages: {a: {uses: one}}
)");
  CHECK_THAT(study.said({"stages", "tools/add.yaml"}),
             ContainsSubstring("times: integer, at least 1, default 1\n      a factor"));
  CHECK_THAT(study.said({"stages", "types.yaml"}),
             ContainsSubstring("one  the first\ntwo  the second"));
  CHECK_THAT(study.said({"stages", "types.yaml", "two"}), ContainsSubstring("the second"));
  CHECK(study.headway({"completion", "words", "types", "types.yaml"}).out == "one\ntwo\n");
  CHECK(study.headway({"stages", "p.yaml", "tow"}).exit_code == 2);
}

}  // namespace headway::e2e
