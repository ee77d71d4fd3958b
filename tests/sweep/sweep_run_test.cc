// Running sweeps: what trials share with plain runs, and what happens to failed ones.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>

#include "tests/support/sweep_project.h"

namespace headway::testing {
namespace {

constexpr const char* kSweptStudy = R"(
params: {seed: 1, rate: 0.1}
stages:
  data: {uses: shell, outs: {o: o.txt}, with: {run: "data {out.o}"}}
  train:
    uses: shell
    in: {d: data}
    outs: {o: o.txt, metrics: m.json}
    with: {run: "train right=${seed} {out.o} {out.metrics}"}
  probe:
    uses: shell
    matrix: {how: [zero, mean]}
    in: {m: train.o}
    outs: {o: o.txt}
    with: {run: "probe ${matrix.how} ${rate} {out.o}"}
  gather:
    uses: shell
    in: {all: "probe@*", two: [data, train.o]}
    needs: ["probe@*"]
    outs: {o: o.txt}
    with: {run: "gather {out.o}"}
sweeps:
  s:
    axes: {rate: [0.1, 0.2], seed: [1, 2]}
    maximize: train.right
    stages:
      both:
        uses: shell
        in: {t: trials.table, m: "train@*.metrics"}
        outs: {o: o.txt}
        with: {run: "both {out.o}"}
)";

constexpr const char* kShort = R"(
params: {seed: 1}
stages:
  data: {uses: shell, outs: {o: o.txt}, with: {run: "data {out.o}"}}
  train:
    uses: shell
    in: {d: data}
    outs: {metrics: m.json}
    expect: {right: "<= 2"}
    with: {run: "train right=${seed} {out.metrics}"}
  after: {uses: shell, in: {m: train}, outs: {o: o.txt}, with: {run: "after {out.o}"}}
sweeps:
  s: {axes: {seed: [1, 2, 3]}, maximize: train.right}
)";

RunSettings plain(const std::string& rate, const std::string& seed) {
  return {.sets = {"rate=" + rate, "seed=" + seed}};
}

FakeExecutor::Behaviour failing() {
  return [](const StageJob&, const ProgressSink&, Interrupt&) { return failed("no"); };
}

const std::vector<std::string>& items_of(const StageJob& job, const std::string& port) {
  for (const InputPaths& input : job.inputs) {
    if (input.port == port) return input.items;
  }
  throw Error("no input " + port);
}

}  // namespace

TEST_CASE("a trial equal to an earlier plain run runs nothing, including fan-ins and matrix",
          "[sweep-run]") {
  SweepProject project;
  project.write(kSweptStudy);
  REQUIRE(project.run(plain("0.2", "2")).exit_code == 0);
  const Outcome outcome = project.sweep({.request = axes({"rate=0.2", "seed=2"})});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.ran == Names{"trials"});
  CHECK(outcome.summary.fresh == 5);
}

TEST_CASE("a plain run equal to an earlier trial runs nothing", "[sweep-run]") {
  SweepProject project;
  project.write(kSweptStudy);
  REQUIRE(project.sweep().exit_code == 0);
  for (const char* rate : {"0.1", "0.2"}) {
    for (const char* seed : {"1", "2"}) {
      const Outcome outcome = project.run(plain(rate, seed));
      CAPTURE(rate, seed);
      CHECK(outcome.ran.empty());
      CHECK(outcome.summary.fresh == 5);
    }
  }
}

TEST_CASE("a stage of a trial has the key of its plain run", "[sweep-run]") {
  SweepProject project;
  project.write(kSweptStudy);
  REQUIRE(project.sweep().exit_code == 0);
  const RunSettings settings = plain("0.2", "1");
  CHECK(project.key_in_sweep("data") == project.key_of("data", settings));
  CHECK(project.key_in_sweep("train@seed=1") == project.key_of("train", settings));
  CHECK(project.key_in_sweep("probe@zero,rate=0.2,seed=1") ==
        project.key_of("probe@zero", settings));
  CHECK(project.key_in_sweep("gather@rate=0.2,seed=1") == project.key_of("gather", settings));
  CHECK(project.key_in_sweep("gather@rate=0.2,seed=1") !=
        project.key_in_sweep("gather@rate=0.2,seed=2"));
}

TEST_CASE("a sweep runs shared stages once, and a second time nothing", "[sweep-run]") {
  SweepProject project;
  project.write(kSweptStudy);
  const Outcome first = project.sweep();
  CHECK(first.exit_code == 0);
  CHECK(first.ran.size() == 1 + 2 + 8 + 4 + 2);
  CHECK(project.sweep().ran.empty());
}

TEST_CASE("a sweep with an additional value runs only the new trials", "[sweep-run]") {
  SweepProject project;
  project.write(kSweptStudy);
  project.sweep();
  const Outcome outcome = project.sweep({.request = axes({"seed=1,2,3"}, "s")});
  CHECK(sorted(outcome.ran) ==
        sorted({"train@seed=3", "probe@zero,rate=0.1,seed=3", "probe@mean,rate=0.1,seed=3",
                "probe@zero,rate=0.2,seed=3", "probe@mean,rate=0.2,seed=3",
                "gather@rate=0.1,seed=3", "gather@rate=0.2,seed=3", "trials", "both"}));
}

TEST_CASE("the table and a sweep's stages read trials by name", "[sweep-run]") {
  SweepProject project;
  project.write(kSweptStudy);
  project.sweep();
  CHECK(items_of(project.executor.last_job("trials"), "train") == Names{"seed=1", "seed=2"});
  CHECK(items_of(project.executor.last_job("both"), "m") == Names{"seed=1", "seed=2"});
  CHECK(items_of(project.executor.last_job("gather@rate=0.1,seed=2"), "all") ==
        Names{"zero", "mean"});
}

TEST_CASE("one failed trial does not stop the others, and the table contains the rest",
          "[sweep-run]") {
  SweepProject project;
  project.write(kSweptStudy);
  project.executor.on("train@seed=2", failing());
  const Outcome outcome = project.sweep({.cpus = GENERATE(1, 3)});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.statuses.at("gather@rate=0.2,seed=1") == "done");
  CHECK(outcome.statuses.at("gather@rate=0.2,seed=2") == "skipped");
  CHECK(outcome.messages.at("gather@rate=0.2,seed=2") == "train@seed=2 failed");
  CHECK(outcome.statuses.at("trials") == "done");
  CHECK(outcome.statuses.at("both") == "done");
  CHECK(items_of(project.executor.last_job("trials"), "train") == Names{"seed=1"});
  CHECK(items_of(project.executor.last_job("both"), "m") == Names{"seed=1"});

  SECTION("only the failed trial is retried") {
    const Outcome again = project.sweep();
    CHECK(again.ran == Names{"train@seed=2"});
    CHECK(again.statuses.at("trials") == "fresh");
    CHECK(again.statuses.at("both") == "fresh");
    CHECK(again.exit_code == 1);
  }
  SECTION("once it is fixed, the table is recreated") {
    project.executor.on("train@seed=2", nullptr);
    const Outcome mended = project.sweep();
    CHECK(mended.exit_code == 0);
    CHECK(mended.statuses.at("trials") == "done");
    CHECK(items_of(project.executor.last_job("trials"), "train") == Names{"seed=1", "seed=2"});
  }
}

TEST_CASE("an empty table is made if all trials, or what they share, failed", "[sweep-run]") {
  SweepProject project;
  project.write(kSweptStudy);
  const bool shared = GENERATE(false, true);
  project.executor.on(shared ? "data" : "train@seed=1", failing());
  if (!shared) project.executor.on("train@seed=2", failing());
  const Outcome outcome = project.sweep();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.statuses.at("gather@rate=0.1,seed=1") == "skipped");
  CHECK(outcome.statuses.at("trials") == "done");
  CHECK(outcome.statuses.at("both") == "done");
  CHECK(items_of(project.executor.last_job("trials"), "train").empty());
}

TEST_CASE("a sweep's stage that reads one trial needs only that one", "[sweep-run]") {
  SweepProject project;
  std::string yaml = kSweptStudy;
  yaml.replace(yaml.find("\"train@*.metrics\""), 17, "\"train@seed=2.metrics\"");
  project.write(yaml);
  project.executor.on("train@seed=2", failing());
  const Outcome outcome = project.sweep();
  CHECK(outcome.statuses.at("trials") == "done");
  CHECK(outcome.statuses.at("both") == "skipped");
}

TEST_CASE("a trial that does not meet an expectation fails alone, and keeps its row",
          "[sweep-run]") {
  SweepProject project;
  project.write(kShort);
  const Outcome outcome = project.sweep();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.statuses.at("train@seed=3") == "failed");
  CHECK(outcome.statuses.at("after@seed=3") == "skipped");
  CHECK(outcome.statuses.at("after@seed=2") == "done");
  CHECK(outcome.statuses.at("trials") == "done");
  CHECK(items_of(project.executor.last_job("trials"), "train") ==
        Names{"seed=1", "seed=2", "seed=3"});
  CHECK(project.trials.back().failed == 1);
  CHECK(project.trials.back().finished == 2);

  const Outcome again = project.sweep();  // all of it fresh, and as bad as before
  CHECK(again.ran.empty());
  CHECK(again.exit_code == 1);
  CHECK(again.statuses.at("train@seed=3") == "failed");
  CHECK(again.statuses.at("after@seed=3") == "skipped");
  CHECK(again.statuses.at("trials") == "fresh");
  CHECK(project.trials.back().failed == 1);
  CHECK(project.trials.back().finished == 2);
}

TEST_CASE("trials are finished one after another", "[sweep-run]") {
  SweepProject project;
  project.write(kSweptStudy);
  const Outcome outcome = project.sweep();
  const auto place = [&](const std::string& stage) {
    return std::ranges::find(outcome.ran, stage) - outcome.ran.begin();
  };
  CHECK(place("gather@rate=0.1,seed=1") < place("train@seed=2"));
  CHECK(place("gather@rate=0.1,seed=2") < place("probe@zero,rate=0.2,seed=1"));
}

TEST_CASE("each trial that finishes is told once, with what it reached", "[sweep-run]") {
  SweepProject project;
  project.write(kShort);
  project.sweep();
  REQUIRE(project.finished.size() == 2);  // the third fails
  CHECK(project.finished[0].text == "seed=1: train.right 1");
  CHECK(project.finished[1].event == Json{{"event", "trial-finished"},
                                          {"trial", "seed=2"},
                                          {"metrics", {{"train.right", 2.0}}}});
  project.sweep();  // nothing new
  CHECK(project.finished.empty());
}

TEST_CASE("a missed expectation stops the rest of its trial, but nothing that others share",
          "[sweep-run]") {
  SweepProject project;
  std::string yaml = kSweptStudy;
  const std::string outs = "outs: {o: o.txt, metrics: m.json}\n";
  yaml.replace(yaml.find(outs), outs.size(), outs + "    expect: {right: \"< 2\"}\n");
  // Only `rate` makes a difference to it, so that seeds share it; and `alone` is a trial's own.
  yaml.insert(yaml.find("sweeps:"),
              R"(  shared: {uses: shell, outs: {o: o.txt}, with: {run: "shared ${rate} {out.o}"}}
  alone: {uses: shell, outs: {o: o.txt}, with: {run: "alone ${rate} ${seed} {out.o}"}}
)");
  project.write(yaml);
  const Outcome outcome = project.sweep();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.statuses.at("train@seed=2") == "failed");
  CHECK(outcome.statuses.at("alone@rate=0.1,seed=2") == "skipped");
  CHECK(outcome.messages.at("alone@rate=0.1,seed=2") == "train@seed=2 failed");
  CHECK(outcome.statuses.at("alone@rate=0.2,seed=2") == "skipped");
  CHECK(outcome.statuses.at("alone@rate=0.2,seed=1") == "done");
  CHECK(outcome.statuses.at("shared@rate=0.1") == "done");
  CHECK(outcome.statuses.at("trials") == "done");
  CHECK(project.trials.back().failed == 2);
  CHECK(project.trials.back().finished == 2);

  const Outcome again = project.sweep();
  CHECK(again.ran.empty());
  CHECK(again.statuses.at("alone@rate=0.1,seed=2") == "skipped");
  CHECK(project.trials.back().failed == 2);
  // Once it is met, the rest of these trials runs.
  project.write(yaml.replace(yaml.find("\"< 2\""), 5, "\"< 9\""));
  const Outcome met = project.sweep();
  CHECK(met.exit_code == 0);
  CHECK(met.statuses.at("alone@rate=0.1,seed=2") == "done");
  CHECK(met.statuses.at("shared@rate=0.1") == "fresh");
}

TEST_CASE("every trial has a folder, with those of the sweep's stages beside them", "[sweep-run]") {
  SweepProject project;
  project.write(kShort);
  project.sweep({.request = axes({"seed=1,2"}, "s")});
  Names files;
  for (const std::string& name : project.shown_files("s")) {
    if (name.find('.') != std::string::npos) files.push_back(name);
  }
  CHECK(sorted(files) == sorted({"seed=1/data/o.txt", "seed=1/train/m.json", "seed=1/after/o.txt",
                                 "seed=2/data/o.txt", "seed=2/train/m.json", "seed=2/after/o.txt",
                                 "trials/table.csv", "trials/leading.csv", "trials/comparison.csv",
                                 "trials/overview.csv", "trials/comparison.md",
                                 "trials/failures.csv", "trials/decisions.csv"}));
  CHECK(project.shown("p/s/seed=2/train/m.json") == R"({"right":2.0})");
  CHECK(project.shown("p/s/seed=2/data/o.txt") == project.shown("p/s/seed=1/data/o.txt"));
}

TEST_CASE("trials that a sweep no longer has are removed from outputs, but not users' files",
          "[sweep-run]") {
  SweepProject project;
  project.write(kShort);
  project.sweep({.request = axes({"seed=1,2"}, "s")});
  project.disk.put(project.outputs / "p/s/seed=2/notes.md", "mine");
  project.disk.put(project.outputs / "p/s/a=b/notes.md", "mine too");
  const bool forgets = GENERATE(true, false);
  project.sweep({.request = axes({"seed=1"}, "s"), .forgets = forgets});
  CHECK(project.shown("p/s/seed=1/train/m.json") != "");
  CHECK((project.shown("p/s/seed=2/train/m.json") == "") == forgets);
  CHECK((project.shown("p/s/seed=2/data/o.txt") == "") == forgets);
  CHECK(project.shown("p/s/seed=2/notes.md") == "mine");
  CHECK(project.shown("p/s/a=b/notes.md") == "mine too");
  CHECK(project.sweep({.request = axes({"seed=1,2"}, "s")}).ran.empty());  // results are kept
}

TEST_CASE("a plain run leaves the folders of sweeps alone, and vice versa", "[sweep-run]") {
  SweepProject project;
  project.write(kShort);
  project.sweep({.request = named("s")});
  project.run();
  CHECK(project.shown("p/s/seed=2/train/m.json") != "");
  CHECK(project.shown("p/train/m.json") != "");
  project.sweep({.request = named("s")});
  CHECK(project.shown("p/train/m.json") != "");
}

TEST_CASE("a sweep runs as many concurrent jobs as allowed, with the same table", "[sweep-run]") {
  SweepProject one, many;
  one.write(kSweptStudy);
  many.write(kSweptStudy);
  one.sweep();
  many.sweep({.cpus = 4});
  CHECK(one.shown("p/s/trials/table.csv") != "");
  CHECK(one.shown("p/s/trials/table.csv") == many.shown("p/s/trials/table.csv"));
  CHECK(one.shown("p/s/both/o.txt") == many.shown("p/s/both/o.txt"));
}

}  // namespace headway::testing
