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

}  // namespace headway::testing
