// outputs/ never shows results that do not belong together: what is no longer current is set aside.
#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "lib/run/inspection.h"
#include "tests/support/project.h"

namespace headway::testing {
namespace {

// walk -> measure -> table; walk -> figure
std::string walks(const std::string& steps) {
  return "params: {steps: " + steps + "}\n" + R"(stages:
  walk: {uses: shell, outs: {o: o.txt}, with: {run: "{out.o} walk ${steps}"}}
  measure: {uses: shell, in: {x: walk}, outs: {o: o.txt}, with: {run: "{out.o} measure"}}
  table: {uses: shell, in: {x: measure}, outs: {o: o.txt}, with: {run: "{out.o} table"}}
  figure: {uses: shell, in: {x: walk}, outs: {o: deep/o.txt}, with: {run: "{out.o} figure"}}
)";
}

// What `status` says: the stages that are fresh.
Names fresh(Project& project, const RunSettings& settings = {}) {
  const PipelineSpec pipeline = project.load(settings);
  Store store(project.files, project.outputs);
  const Inspection inspection(pipeline, store);
  Names names;
  for (const StageId stage : pipeline.stages.ids()) {
    if (inspection.is_fresh(stage)) names.push_back(pipeline.stages[stage].name);
  }
  return sorted(names);
}

// How many steps the walk had that a result comes from.
std::string steps_in(Project& project, const std::string& file) {
  const std::string text = project.shown(file), word = "walk ";
  const std::size_t at = text.find(word);
  return at == std::string::npos
             ? ""
             : text.substr(at + word.size(), text.find_first_of("]\n", at) - at - word.size());
}

Names folders(Project& project, const std::string& of = "p") {
  return sorted(project.disk.list(project.outputs / of));
}

}  // namespace

TEST_CASE("results of --set have their own folder", "[stale]") {
  Project project;
  project.write(walks("2000"));
  project.run();
  project.run({.sets = {"steps=50"}, .targets = {"measure"}});
  CHECK(steps_in(project, "p/table/o.txt") == "2000");
  CHECK(steps_in(project, "p/measure/o.txt") == "2000");
  CHECK(steps_in(project, "p/steps=50/measure/o.txt") == "50");
  CHECK(folders(project, "p/steps=50") == Names{"measure", "walk"});
  CHECK(fresh(project).size() == 4);
  CHECK(fresh(project, {.sets = {"steps=50"}}) == Names{"measure", "walk"});
  CHECK(project.run({.sets = {"steps=2000"}}).ran.empty());
  CHECK(folders(project) == Names{"figure", "measure", "steps=50", "table", "walk"});
}

TEST_CASE("a partial run of a changed file sets aside what it leaves behind", "[stale]") {
  Project project;
  project.write(walks("2000"));
  project.run();
  project.write(walks("50"));
  project.run({.targets = {"measure"}});
  CHECK(folders(project) == Names{"figure.stale", "measure", "table.stale", "walk"});
  CHECK(fresh(project) == Names{"measure", "walk"});
  CHECK(steps_in(project, "p/table.stale/o.txt") == "2000");
  CHECK(steps_in(project, "p/figure.stale/deep/o.txt") == "2000");
  project.run({.targets = {"table"}});
  CHECK(folders(project) == Names{"figure.stale", "measure", "table", "walk"});
  project.run();
  CHECK(folders(project) == Names{"figure", "measure", "table", "walk"});
  CHECK(steps_in(project, "p/figure/deep/o.txt") == "50");
}

TEST_CASE("a failure sets aside the old results of what it skips", "[stale]") {
  Project project;
  project.write(walks("2000"));
  project.run();
  project.write(walks("50"));
  project.executor.on(
      "measure", [](const StageJob&, const ProgressSink&, Interrupt&) { return failed("no"); });
  project.run({.keep_going = true});
  CHECK(folders(project) == Names{"figure", "measure.stale", "table.stale", "walk"});
  CHECK(fresh(project) == Names{"figure", "walk"});
}

TEST_CASE("a killed run leaves no old result that looks current", "[stale]") {
  Project project;
  project.write(walks("2000"));
  project.run();
  project.write(walks("50"));
  Names during;
  project.executor.on("walk", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    during = folders(project);
    return project.executor.work(job);
  });
  project.run();
  CHECK(during == Names{"figure.stale", "measure.stale", "table.stale", "walk.stale"});
}

TEST_CASE("a stage that turns out to be current after all is shown again", "[stale]") {
  Project project;
  project.write(walks("2000"));
  project.run();
  SECTION("because its input is the same again") {
    project.write(walks("'2000  # more words'"));
  }
  SECTION("because its input was only made again") {}
  project.run({.targets = {"walk"}, .force = {"walk"}});
  CHECK(fresh(project).size() == 4);
  CHECK(folders(project) == Names{"figure", "measure", "table", "walk"});
  CHECK(steps_in(project, "p/table/o.txt") == "2000");
}

TEST_CASE("going back to earlier parameters shows their results again", "[stale]") {
  Project project;
  project.write(walks("2000"));
  project.run();
  project.write(walks("50"));
  project.run({.targets = {"walk"}});
  project.write(walks("2000"));
  CHECK(project.run({.targets = {"walk"}}).ran.empty());
  CHECK(fresh(project).size() == 4);
  CHECK(folders(project) == Names{"figure", "measure", "table", "walk"});
}

TEST_CASE("a person's files stay where they are when results are set aside", "[stale]") {
  Project project;
  project.write(walks("2000"));
  project.run();
  project.disk.write(project.outputs / "p/table/notes.txt", "mine", Durability::kCached);
  project.write(walks("50"));
  project.run({.targets = {"walk"}});
  CHECK(project.shown("p/table/notes.txt") == "mine");
  CHECK(project.disk.list(project.outputs / "p/table") == Names{"notes.txt"});
  CHECK(steps_in(project, "p/table.stale/o.txt") == "2000");
  project.run();
  CHECK(project.shown("p/table/notes.txt") == "mine");
  CHECK(project.disk.list(project.outputs / "p").size() == 4);
}

TEST_CASE("a run with nothing to do changes nothing in outputs/", "[stale]") {
  Project project;
  project.write(walks("2000"));
  project.run();
  const auto before = project.shown_tree();
  project.run({.targets = {"walk"}});
  project.run();
  CHECK(project.shown_tree() == before);
}

namespace {

// Makes something else each time: "made 1", "made 2", …
void count_up(Project& project, const std::string& stage, int& made) {
  project.executor.on(stage, [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    project.files.write(job.outputs[0].second, "made " + std::to_string(++made),
                        Durability::kCached);
    return StageResult();
  });
}

bool shows(Project& project, const std::string& file, const std::string& text) {
  return project.shown(file).find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("the reader of a fan-in gets what a forced member has made now", "[stale]") {
  Project project;
  project.write(R"(stages:
  m: {uses: shell, matrix: {i: [a, b]}, outs: {o: o.txt}, with: {run: "{out.o} ${matrix.i}"}}
  r: {uses: shell, in: {x: "m@*"}, outs: {o: o.txt}, with: {run: "{out.o} r"}}
)");
  int made = 0;
  count_up(project, "m@a", made);
  project.run();
  CHECK(shows(project, "p/r/o.txt", "made 1"));
  project.run({.force = {"m@a"}});
  CHECK(shows(project, "p/r/o.txt", "made 2"));
  CHECK(fresh(project).size() == 3);
}

TEST_CASE("what is behind a forced stage is set aside until it is current again", "[stale]") {
  Project project;
  project.write(walks("2000"));
  int made = 0;
  count_up(project, "measure", made);
  project.run();
  project.run({.targets = {"measure"}, .force = {"measure"}});
  CHECK(folders(project) == Names{"figure", "measure", "table.stale", "walk"});
  project.run();
  CHECK(shows(project, "p/table/o.txt", "made 2"));
  project.run({.targets = {"walk"}, .force = {"walk"}});  // gives the same bytes
  CHECK(folders(project) == Names{"figure", "measure", "table", "walk"});
}

TEST_CASE("a result that missed its expectation is set aside when it is no longer current",
          "[stale]") {
  Project project;
  const auto pipeline = [](const std::string& word) {
    return "stages:\n  a: {uses: shell, outs: {metrics: m.json}, expect: {v: '>= 5'}, with: {run: "
           "\"{out.metrics} " +
           word + "\"}}\n  b: {uses: shell, outs: {o: o.txt}, with: {run: \"{out.o}\"}}\n";
  };
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    project.files.write(job.outputs[0].second, R"({"v": 1})", Durability::kCached);
    return StageResult();
  });
  project.write(pipeline("one"));
  CHECK(project.run().exit_code == 1);
  CHECK(shows(project, "p/a/m.json", "1"));
  project.write(pipeline("two"));
  project.run({.targets = {"b"}});
  CHECK(folders(project) == Names{"a.stale", "b"});
}

TEST_CASE("a stage with the key of a forced one shares its new result", "[stale]") {
  Project project;
  project.write(R"(stages:
  m: {uses: shell, outs: {o: o.txt}, with: {run: "{out.o} same"}}
  n: {uses: shell, outs: {o: o.txt}, with: {run: "{out.o} same"}}
  r: {uses: shell, in: {x: n}, outs: {o: o.txt}, with: {run: "{out.o} r"}}
)");
  int made = 0;
  count_up(project, "m", made);
  count_up(project, "n", made);
  project.run();
  CHECK(made == 1);
  project.run({.force = {"m"}});
  CHECK(made == 2);
  for (const char* stage : {"m", "n", "r"})
    CHECK(shows(project, std::string("p/") + stage + "/o.txt", "made 2"));
}

TEST_CASE("a run whose file was edited and run again meanwhile does not show its results",
          "[stale]") {
  Project project;
  project.write(walks("1"));
  project.executor.on("walk", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    project.write(walks("2"));
    Project other(project.shared_disk);
    CHECK(other.run().exit_code == 0);
    project.files.write(job.outputs[0].second, "walk 1", Durability::kCached);
    return StageResult();
  });
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 0);
  REQUIRE(outcome.warnings.size() == 1);
  CHECK(outcome.warnings[0].find("another run of it has begun") != std::string::npos);
  for (const char* file : {"p/walk/o.txt", "p/table/o.txt", "p/figure/deep/o.txt"})
    CHECK(steps_in(project, file) == "2");
  CHECK(fresh(project).size() == 4);
  CHECK(folders(project) == Names{"figure", "measure", "table", "walk"});
}

}  // namespace headway::testing
