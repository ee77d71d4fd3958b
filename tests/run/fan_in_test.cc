// Fan-ins: all items of a matrix as one input.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <ctime>

#include "tests/support/project.h"
#include "tests/support/sanitized.h"

namespace headway::testing {
namespace {

constexpr const char* kFanIn = R"(
params: {z: 1, a: 1, k: 1}
stages:
  m: {uses: shell, matrix: {i: [z, a, k]}, outs: {o: m.txt}, with: {run: "m ${matrix.i} {out.o}"}}
  all: {uses: shell, in: {parts: "m@*"}, outs: {o: all.txt}, with: {run: "all {in.parts} {items.parts} {out.o}"}}
)";

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i ? ", " : "") + std::to_string(i);
  return text;
}

}  // namespace

TEST_CASE("a fan-in reads its members in the order of the matrix", "[fan-in]") {
  Project project;
  project.write(kFanIn);
  Names contents;
  project.executor.on("all", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    for (const Path& path : job.inputs.at(0).paths) contents.push_back(*project.disk.read(path));
    return project.executor.work(job);
  });
  REQUIRE(project.run().exit_code == 0);
  const StageJob job = project.executor.last_job("all");
  REQUIRE(job.inputs.size() == 1);
  CHECK(job.inputs[0].items == Names{"z", "a", "k"});
  CHECK(contents == Names{"m z {out.o}\n", "m a {out.o}\n", "m k {out.o}\n"});
  std::string script = "all";
  for (const Path& path : job.inputs[0].paths) script += " " + path.string();
  CHECK(job.script == script + " z a k " + job.outputs[0].second.string());
}

TEST_CASE("the digest of a fan-in is that of the list kept in the store", "[fan-in]") {
  Project project;
  project.write(kFanIn);
  project.run();
  std::string list;
  for (const std::string item : {"z", "a", "k"})
    list += digest_of("m " + item + " {out.o}\n").hex() + ".txt " + item + "\n";
  CHECK(project.disk.read(project.layout.list(digest_of(list))) == list);
  const std::optional<Record> record = project.record_of("all");
  REQUIRE(record);
  const Fact expected{"input parts", "list " + digest_of(list).hex()};
  CHECK(std::find(record->facts.begin(), record->facts.end(), expected) != record->facts.end());
}

TEST_CASE("a change to one member reruns it and the fan-in's consumers", "[fan-in]") {
  Project project;
  project.write(kFanIn);
  project.run();
  SECTION("one that produces different bytes") {
    Project other;
    other.write(R"(
stages:
  m: {uses: shell, matrix: {i: [1, 2, 3]}, outs: {o: m.txt}, with: {run: "m ${matrix.i} {out.o}"}}
  all: {uses: shell, in: {parts: "m@*"}, outs: {o: all.txt}, with: {run: "all {out.o}"}}
)");
    other.run();
    other.disk.remove(other.layout.records());
    other.executor.on("m@2", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
      other.files.write(job.outputs[0].second, "other bytes", Durability::kCached);
      return StageResult();
    });
    CHECK(other.run().ran.size() == 4);
    CHECK(other.shown("p/all/all.txt").find("other bytes") != std::string::npos);
  }
  SECTION("an additional member") {
    project.write(
        std::string(kFanIn).replace(std::string(kFanIn).find("[z, a, k]"), 9, "[z, a, k, n]"));
    CHECK(project.run().ran == Names{"m@n", "all"});
  }
  SECTION("a removed member") {
    project.write(std::string(kFanIn).replace(std::string(kFanIn).find("[z, a, k]"), 9, "[z, k]"));
    CHECK(project.run().ran == Names{"all"});
  }
  SECTION("a different order") {
    project.write(
        std::string(kFanIn).replace(std::string(kFanIn).find("[z, a, k]"), 9, "[a, k, z]"));
    CHECK(project.run().ran == Names{"all"});
    CHECK(project.executor.last_job("all").inputs[0].items == Names{"a", "k", "z"});
  }
}

TEST_CASE("a rerun of a member that produces equal bytes does not rerun the fan-in's consumers",
          "[fan-in]") {
  Project project;
  project.write(kFanIn);
  project.run();
  const Outcome outcome = project.run({.force = {"m@a"}});
  CHECK(outcome.ran == Names{"m@a"});
  CHECK(outcome.statuses.at("all") == "fresh");
}

TEST_CASE("a list of stages is an input in its own order, under the stages' names", "[fan-in]") {
  const std::string yaml = R"(
stages:
  x: {uses: shell, outs: {o: o.txt}, with: {run: "x {out.o}"}}
  y: {uses: shell, outs: {o: o.txt}, with: {run: "y {out.o}"}}
  all: {uses: shell, in: {parts: [x, y]}, outs: {o: all.txt}, with: {run: "all {out.o}"}}
)";
  Project project;
  project.write(yaml);
  project.run();
  CHECK(project.shown("p/all/all.txt") ==
        "all {out.o}\nparts@x: [x {out.o}\n]\nparts@y: [y {out.o}\n]\n");
  CHECK(project.executor.last_job("all").inputs[0].items == Names{"x", "y"});
  project.write(std::string(yaml).replace(yaml.find("[x, y]"), 6, "[y, x]"));
  CHECK(project.run().ran == Names{"all"});
}

TEST_CASE("one failed member skips the fan-in's consumers, and nothing else", "[fan-in]") {
  Project project;
  project.write(kFanIn);
  project.executor.on(
      "m@a", [](const StageJob&, const ProgressSink&, Interrupt&) { return failed("no"); });
  const Outcome outcome = project.run({.keep_going = true});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.ran == Names{"m@z", "m@a", "m@k"});
  CHECK(outcome.statuses.at("all") == "skipped");
  CHECK(outcome.messages.at("all") == "m@a failed");
}

TEST_CASE("needs on a whole matrix affect only the order", "[fan-in]") {
  Project project;
  project.write(R"(
stages:
  after: {uses: shell, needs: ["m@*"], outs: {o: o.txt}, with: {run: "after {out.o}"}}
  m: {uses: shell, matrix: {i: [1, 2]}, outs: {o: m.txt}, with: {run: "m ${matrix.i} {out.o}"}}
)");
  CHECK(project.run().ran == Names{"m@1", "m@2", "after"});
  CHECK(project.executor.last_job("after").inputs.empty());
  CHECK(project.run({.force = {"m@1"}}).ran == Names{"m@1"});
}

TEST_CASE("1,000 stages that each read 1,000 need only 2,000 edges and little time",
          "[fan-in][slow]") {
  constexpr std::size_t kMany = kSanitized ? 200 : 1000;
  Project project;
  const std::string items = numbers(static_cast<int>(kMany));
  project.write(
      "stages:\n"
      "  m: {uses: shell, matrix: {i: [" +
      items +
      "]}, outs: {o: m.txt}, with: {run: \"m ${matrix.i} {out.o}\"}}\n"
      "  n: {uses: shell, matrix: {i: [" +
      items +
      "]}, in: {parts: \"m@*\"}, outs: {o: n.txt}, with: {run: \"n ${matrix.i} {out.o}\"}}\n");
  project.executor.keep_jobs = false;
  // Reading a thousand inputs a thousand times is the test's work, not the engine's.
  const PipelineSpec pipeline = project.load();
  for (const StageSpec& stage : pipeline.stages) {
    if (stage.family != "n") continue;
    project.executor.on(stage.name, [&](const StageJob& job, const ProgressSink&, Interrupt&) {
      project.files.write(job.outputs[0].second, job.stage, Durability::kCached);
      return StageResult();
    });
  }
  const Graph graph = build_graph(pipeline);
  std::size_t edges = 0;
  for (const auto& upstream : graph.waits_for) edges += upstream.size();
  CHECK(graph.stages == 2 * kMany);
  CHECK(graph.size() == 2 * kMany + 1);
  CHECK(edges == 2 * kMany);

  const std::clock_t start = std::clock();  // of the processor: others may keep the machine busy
  const Outcome first = project.run({.cpus = 2});
  CHECK(first.exit_code == 0);
  CHECK(first.summary.done == 2 * kMany);
  const Outcome second = project.run({.cpus = 2});
  CHECK(second.ran.empty());
  CHECK(second.summary.fresh == 2 * kMany);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  // About 15 of a shared Xeon: each of the thousand links, looks at and removes its thousand
  // inputs, half of which is the work of the file system in memory.
  if (!kSanitized) CHECK(seconds < 200);
  CHECK(project.disk.list(project.layout.lists()).size() == 1);
}

}  // namespace headway::testing
