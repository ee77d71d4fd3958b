// Why a stage must run, in words.
#include "lib/run/explain.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/project.h"

namespace headway::testing {
namespace {

const std::string* source() {
  return SourceLocation::intern("p.yaml");
}

Change param(const std::string& before, const std::string& after) {
  return {FactKind::kParam, "param epochs", before, after, {source(), 14, 9}, "", {}};
}

SourcedFact fact(const std::string& name, const std::string& value) {
  return {fact_kind(name), {name, value}, {source(), 1, 2}, ""};
}

struct Explained {
  Project project;
  Store store{project.disk, project.outputs};
  std::string text(const Change& change) { return detailed(change, store); }
};

// All changes of a stage, as `headway why` shows them.
std::string why(Project& project, const std::string& stage, const RunSettings& settings = {}) {
  PipelineSpec pipeline = project.load(settings);
  const StageId index = select_stages(pipeline, stage).at(0);
  const PipelineState state(project.disk, project.layout, pipeline.name, pipeline.variant);
  Store store(project.disk, project.outputs);
  const std::optional<Record> record = last_record(state.find_similar(stage), store);
  if (!record) return "no record";
  std::string text;
  for (const Change& change :
       compare_stage(*record, project.plan(settings).stages[index].facts, pipeline.stages[index])) {
    text += detailed(change, store) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("facts are compared by name: changed, new and missing", "[explain]") {
  Record record;
  record.facts = {{"a", "1"}, {"b", "1"}, {"c", "1"}};
  const std::vector<Change> changes =
      compare(record, {fact("a", "1"), fact("b", "2"), fact("d", "3")}, {});
  REQUIRE(changes.size() == 3);
  CHECK(changes[0].fact == "b");
  CHECK(changes[0].before == "1");
  CHECK(changes[0].after == "2");
  CHECK(changes[0].location.line == 1);
  CHECK(changes[1].fact == "d");
  CHECK(changes[1].before.empty());
  CHECK(changes[2].fact == "c");
  CHECK(changes[2].after.empty());
  CHECK(compare(record, {fact("a", "1"), fact("b", "1"), fact("c", "1")}, {}).empty());
}

TEST_CASE("a change in a few words", "[explain]") {
  const std::string one(64, '1'), two(64, '2');
  CHECK(brief(param("30", "40")) == "param epochs: 30 -> 40");
  CHECK(brief(param("", "40")) == "param epochs is new");
  CHECK(brief(param("30", "")) == "param epochs is gone");
  CHECK(brief({FactKind::kInput, "input text", one, two, {}, "fetch.text", {}}) ==
        "input text changed (from fetch.text)");
  CHECK(brief({FactKind::kInput, "input text", one, "", {}, "", {}}) == "input text is gone");
  CHECK(brief({FactKind::kFile, "file tools/x.py", one, two, {}, "", {}}) ==
        "file tools/x.py changed");
  CHECK(brief({FactKind::kVariable, "variable LANG", "C", "(not set)", {}, "", {}}) ==
        "variable LANG: C -> (not set)");
  CHECK(brief({FactKind::kTypeVersion, "version of the stage type", "1", "2", {}, "", {}}) ==
        "version of the stage type: 1 -> 2");
  CHECK(brief({FactKind::kParam, "param run", "\"a\nb\"", "\"a\x1b[31m\"", {}, "", {}}) ==
        "param run: \"a\\nb\" -> \"a\xEF\xBF\xBD[31m\"");
}

TEST_CASE("a change in full includes its location", "[explain]") {
  Explained explained;
  const std::string one(64, '1'), two(64, '2');
  CHECK(explained.text(param("30", "40")) == "param epochs: 30 -> 40\n    at p.yaml:14:9");
  CHECK(explained.text(param("", "40")) == "param epochs: (none) -> 40\n    at p.yaml:14:9");
  CHECK(explained.text(param("30", "")) == "param epochs: 30 -> (none)\n    at p.yaml:14:9");
  CHECK(explained.text({FactKind::kInput,
                        "input text",
                        one + ".txt",
                        two + ".txt",
                        {source(), 3, 4},
                        "fetch.text",
                        {}}) ==
        "input text: 111111111111 -> 222222222222\n    from fetch.text\n    at p.yaml:3:4");
  CHECK(explained.text({FactKind::kVariable, "variable LANG", "C", "(not set)", {}, "", {}}) ==
        "variable LANG: C -> (not set)");
}

TEST_CASE("the digest of a new input is abbreviated too", "[explain]") {
  Explained explained;
  CHECK(explained.text(
            {FactKind::kInput, "input text", "", std::string(64, '2'), {}, "fetch.text", {}}) ==
        "input text: (none) -> 222222222222\n    from fetch.text");
}

TEST_CASE("of long texts only the difference is shown, never split inside a character",
          "[explain]") {
  const std::string head = "python3 tools/train.py --data ",
                    tail = " --out /some/where/far/away/model.bin";
  CHECK(
      brief(
          {FactKind::kParam, "param run", head + "one" + tail, head + "two" + tail, {}, "", {}}) ==
      "param run: …train.py --data one --out /some/whe… -> …train.py --data two --out /some/whe…");
  const std::string umlauts = "ääääääääääääääääääääää";
  CHECK(brief({FactKind::kParam,
               "param run",
               umlauts + "1" + umlauts,
               umlauts + "2" + umlauts,
               {},
               "",
               {}}) == "param run: …ääääääää1ääääääää… -> …ääääääää2ääääääää…");
}

TEST_CASE("why: the pipeline parameter behind a changed command", "[explain]") {
  Project project;
  project.write(
      "params: {seed: 1}\nstages:\n  a: {uses: shell, outs: {o: o.txt}, with: {run: \"a ${seed} "
      "{out.o}\"}}\n");
  project.run();
  CHECK(project.reason_of("a", {.sets = {"seed=2"}}) == "seed: 1 -> 2");
  CHECK(why(project, "a", {.sets = {"seed=2"}}) ==
        "param run: \"a 1 {out.o}\" -> \"a 2 {out.o}\"\n"
        "    through seed: 1 -> 2, at --set seed=2\n"
        "    at /headway-test/project/p.yaml:3:50\n");
}

namespace {

// The pipeline parameters behind the first change from record to fact, when `seed` became 9.
std::vector<std::string> behind(const std::string& before, const SourcedFact& after) {
  Record record;
  record.facts = {{after.fact.name, before}};
  record.references = {{"seed", "1"}};
  std::vector<std::string> texts;
  for (const Change& change : compare(record, {after}, {{"seed", "9", {source(), 7, 7}}})) {
    for (const Change::Reason& reason : change.because) texts.push_back(reason.text);
  }
  return texts;
}

}  // namespace

TEST_CASE("why: a pipeline parameter is not named behind a number that was edited", "[explain]") {
  const std::vector<std::string> none, seed = {"seed: 1 -> 9"};
  CHECK(behind("2", fact("param boot", "3")) == none);
  CHECK(behind("1", fact("param boot", "9")) == none);  // by chance the same
  CHECK(behind("1", {FactKind::kParam, {"param boot", "9"}, {source(), 7, 7}, ""}) == seed);
  CHECK(behind("\"a 1 b\"", fact("param run", "\"a 9 b\"")) == seed);
  CHECK(behind("[\"x\",\"s1\"]", fact("param env", "[\"x\",\"s9\"]")) == seed);
}

TEST_CASE("why: a file that only the command names has no place in the pipeline", "[explain]") {
  Record record;
  record.facts = {{"file x.py", "1"}};
  SourcedFact file = fact("file x.py", "2");
  file.files.emplace_back();
  CHECK(compare(record, {file}, {}).at(0).location.line == 1);
  file.files[0].is_found = true;
  CHECK_FALSE(compare(record, {file}, {}).at(0).location.source);
}

TEST_CASE("why: a default is where its declared type is", "[explain]") {
  Record record;
  record.facts = {{"param n", "5"}};
  StageType type;
  StageSpec stage;
  stage.type = &type;
  stage.params.location = {source(), 1, 2};  // as that of the fact: the stage does not set it
  CHECK(compare_stage(record, {fact("param n", "6")}, stage).at(0).location.text() == "p.yaml:1:2");
  type.declared = {SourceLocation::intern("tools/t.yaml"), 3, 1};
  CHECK(compare_stage(record, {fact("param n", "6")}, stage).at(0).location.text() ==
        "tools/t.yaml:3:1");
  stage.params.location = {source(), 1, 1};
  CHECK(compare_stage(record, {fact("param n", "6")}, stage).at(0).location.text() == "p.yaml:1:2");
}

TEST_CASE("why: a parameter that is not part of the key is not given as the reason", "[explain]") {
  Project project;
  const std::string head =
      "params: {n: 1}\nstages:\n  a: {uses: shell, resources: {cpus: \"${n}\"}, outs: {o: o.txt}, "
      "with: {run: \"";
  project.write(head + "one {out.o}\"}}\n");
  project.run();
  project.write(head + "two {out.o}\"}}\n");
  CHECK(project.reason_of("a", {.sets = {"n=2"}}) ==
        "param run: \"one {out.o}\" -> \"two {out.o}\"");
}

TEST_CASE("why: a changed input names the stage it comes from", "[explain]") {
  Project project;
  const std::string yaml =
      "stages:\n"
      "  a: {uses: shell, outs: {text: a.txt}, with: {run: \"one {out.text}\"}}\n"
      "  b: {uses: shell, in: {x: a.text}, outs: {o: b.txt}, with: {run: \"b {out.o}\"}}\n";
  project.write(yaml);
  project.run();
  project.write(std::string(yaml).replace(yaml.find("one"), 3, "two"));
  CHECK(project.reason_of("b") == "waits for a");
  project.run({.targets = {"a"}});
  CHECK(project.reason_of("b") == "input x changed (from a.text)");
  CHECK(why(project, "b") == "input x: " + digest_of("one {out.text}\n").short_hex() + " -> " +
                                 digest_of("two {out.text}\n").short_hex() +
                                 "\n    from a.text\n    at /headway-test/project/p.yaml:3:25\n");
}

namespace {

std::string fan_in_yaml(const std::string& items) {
  return "stages:\n  m: {uses: shell, matrix: {i: [" + items +
         "]}, outs: {o: m.txt}, with: {run: \"m ${matrix.i} {out.o}\"}}\n"
         "  all: {uses: shell, in: {parts: \"m@*\"}, outs: {o: o.txt}, with: {run: \"all "
         "{out.o}\"}}\n";
}

// The line on the items.
std::string items_line(const std::string& why) {
  return why.substr(why.find("p.yaml:3:") + 12);
}

}  // namespace

TEST_CASE("why: fan-in members that changed, are new or are missing", "[explain]") {
  Project project;
  project.write(fan_in_yaml("a, b, c"));
  project.run();
  project.executor.on(
      "all", [](const StageJob&, const ProgressSink&, Interrupt&) { return failed("no"); });
  const auto changes = [&](const std::string& items) {
    project.write(fan_in_yaml(items));
    REQUIRE(project.run().exit_code == 1);
    const std::string text = why(project, "all");
    CHECK(text.starts_with("input parts: list "));
    return items_line(text);
  };
  CHECK(changes("a, b, c, d") == "    items that changed: d (new)\n");
  CHECK(changes("a, c") == "    items that changed: b (gone)\n");
  CHECK(changes("c, b, a") == "    order of the items\n");
  CHECK(project.reason_of("all") == "input parts changed (from m@*)");
}

TEST_CASE("why: the members of a fan-in are listed before a run, too", "[explain]") {
  Project project;
  project.write(fan_in_yaml("a, b, c"));
  project.run();
  project.write(fan_in_yaml("a, b, c, d"));
  project.run({.targets = {"m@*"}});
  CHECK(items_line(why(project, "all")) == "    items that changed: d (new)\n");
}

TEST_CASE("why: a changed member of a list of stages is not reported as a change of order",
          "[explain]") {
  Project project;
  const std::string yaml =
      "stages:\n"
      "  a: {uses: shell, outs: {o: o.txt}, with: {run: \"one {out.o}\"}}\n"
      "  b: {uses: shell, outs: {o: o.txt}, with: {run: \"b {out.o}\"}}\n"
      "  all: {uses: shell, in: {parts: [a, b]}, outs: {o: o.txt}, with: {run: \"all {out.o}\"}}\n";
  project.write(yaml);
  project.run();
  project.write(std::string(yaml).replace(yaml.find("one"), 3, "two"));
  project.run({.targets = {"a"}});
  // Only a run writes the list; an explanation without a run must have the words too.
  Store store(project.disk, project.outputs);
  const PipelineSpec pipeline = project.load();
  FactMaker facts(pipeline, store);
  facts.facts_of(pipeline.stages[2], project.plan().finished);
  CHECK(why(project, "all").find("order of the items") == std::string::npos);
  CHECK(why(project, "all").find("items that changed: a") != std::string::npos);
}

TEST_CASE("reasons: never run, forced, damaged, missing, and the number of changes", "[explain]") {
  Project project;
  const std::string yaml =
      "stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: \"a {out.o}\"}}}";
  project.write(yaml);
  CHECK(project.reason_of("a") == "never run");
  project.run();
  project.run({.force = {"a"}});
  CHECK(project.starts.at(0).reason == "forced");
  const Path object = project.object_of("a");
  project.disk.remove(object);
  CHECK(project.reason_of("a") == "object " + object.string() + " is missing");
  project.run();
  project.write("stages: {a: {uses: shell, outs: {o: o.csv}, with: {run: \"b {out.o}\"}}}");
  CHECK(project.reason_of("a") == "output o: o.txt -> o.csv and 1 more");
  project.disk.remove(project.layout.records());
  CHECK(project.reason_of("a") == "its last record is gone");
}

TEST_CASE("reasons: a stage that never succeeded failed last time", "[explain]") {
  Project project;
  project.write("stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: \"fail {out.o}\"}}}");
  CHECK(project.reason_of("a") == "never run");
  project.run();
  CHECK(project.reason_of("a") == "it failed last time");
}

TEST_CASE("a plan distinguishes fresh, must run and waits, and runs nothing", "[explain]") {
  Project project;
  project.write(
      "params: {b: 1}\nstages:\n"
      "  a: {uses: shell, outs: {o: o.txt}, with: {run: \"a {out.o}\"}}\n"
      "  b: {uses: shell, in: {x: a}, outs: {o: o.txt}, with: {run: \"b ${b} {out.o}\"}}\n"
      "  c: {uses: shell, in: {x: b}, outs: {o: o.txt}, with: {run: \"c {out.o}\"}}\n");
  project.run();
  const auto before = project.disk.tree(project.outputs);
  const Plan plan = project.plan({.sets = {"b=2"}});
  CHECK(plan.stages[0].status == StageStatus::kFresh);
  CHECK(plan.stages[1].status == StageStatus::kReady);
  CHECK(plan.stages[2].status == StageStatus::kWaiting);
  CHECK(plan.stages[2].waits_on == StageId(1));
  CHECK(plan.finished[0]);
  CHECK(!plan.finished[1]);
  CHECK(project.disk.tree(project.outputs) == before);
  CHECK(project.executor.ran().size() == 3);  // of the run before
}

}  // namespace headway::testing
