// What a stage is told of the stages it rests on, and when that makes it run again.
#include "lib/report/provenance.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/run/explain.h"
#include "lib/store/housekeeping.h"
#include "tests/support/sweep_project.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

struct TellParams {
  bool times = true;
};

// As a report: told where its inputs come from.
StageType tell_stage() {
  SchemaOf<TellParams> schema;
  schema.add("times", &TellParams::times, "with times");
  StageType type;
  type.name = "tell";
  type.version = 3;
  type.params = std::make_shared<SchemaOf<TellParams>>(schema);
  type.free_inputs = true;
  type.outputs = {{"o", "told.txt", "what was told", {}}};
  type.provenance = ProvenanceUse{"times", provenance_text};
  return type;
}

constexpr const char* kTold = R"(
params: {seed: 1}
stages:
  told: {uses: tell, in: {all: "probe@*", first: data}}
  aside: {uses: shell, outs: {o: o.txt}, with: {run: "aside {out.o}"}}
  probe:
    uses: shell
    matrix: {how: [zero, mean]}
    in: {m: train.o}
    outs: {o: o.csv}
    with: {run: "probe ${matrix.how} {out.o}"}
  train:
    uses: shell
    in: {d: data}
    needs: [aside]
    outs: {o: o.txt, metrics: m.json}
    with: {run: "train right=${seed} {out.o} {out.metrics}"}
  data: {uses: shell, outs: {o: o.txt}, with: {run: "data {out.o}"}}
)";

std::string without_times(std::string yaml) {
  const std::string before = "uses: tell,";
  return yaml.replace(yaml.find(before), before.size(), before + " with: {times: false},");
}

struct ToldProject : SweepProject {
  explicit ToldProject(const std::string& yaml = kTold) {
    stages.add(tell_stage());
    write(yaml);
  }

  // What the stage was given when it last ran.
  std::string text(const std::string& stage = "told") {
    return disk.read(executor.last_job(stage).provenance).value_or("");
  }
  Json told(const std::string& stage = "told") { return parse_json(text(stage)).value(); }

  // As a version of the program before this one wrote it.
  void age_record(const std::string& stage) {
    const Path path = layout.record(record_of(stage)->key);
    Json json = parse_json(*disk.read(path)).value();
    REQUIRE(json.erase("run") == 1);
    REQUIRE(json.erase("machine") == 1);
    REQUIRE(json.erase("checksum") == 1);  // nor did they have one
    disk.put(path, to_line(json) + "\n");
  }
};

Names names_in(const Json& told) {
  Names names;
  for (const Json& stage : told.at("stages")) names.push_back(stage.at("name"));
  return names;
}

const Json& stage_in(const Json& told, const std::string& name) {
  for (const Json& stage : told.at("stages")) {
    if (stage.at("name") == name) return stage;
  }
  throw Error("nothing is told of " + name);
}

std::string reason_told(const Project& project, const std::string& stage) {
  for (const StageStart& start : project.starts) {
    if (start.stage == stage) return start.reason;
  }
  return "not started";
}

}  // namespace

TEST_CASE("a stage is told all that its inputs rest on, each after those it reads",
          "[provenance]") {
  ToldProject project;
  REQUIRE(project.run().exit_code == 0);
  const Json told = project.told();
  CHECK(told.at("pipeline") == "p");
  CHECK(told.at("variant") == "");
  CHECK(told.at("file") == "p.yaml");
  CHECK(told.at("report") == "told");
  CHECK(told.at("has_times") == true);
  CHECK(names_in(told) ==
        Names{"data", "train", "probe@zero", "probe@mean"});  // `needs` gives nothing
  CHECK(told.at("inputs") == Json::parse(R"([
    {"port": "all", "sources": ["probe@zero.o", "probe@mean.o"]},
    {"port": "first", "sources": ["data.o"]}])"));
}

TEST_CASE("of each stage it is told what it is, what made it and what came out", "[provenance]") {
  ToldProject project;
  project.run();
  const Json told = project.told();
  const Json& train = stage_in(told, "train");
  const std::optional<Record> record = project.record_of("train");
  REQUIRE(record);
  CHECK(train.at("family") == "train");
  CHECK(train.at("type") == "shell");
  CHECK(train.at("params").at("run") == "train right=1 {out.o} {out.metrics}");
  CHECK(train.at("inputs") == Json::parse(R"([{"port": "d", "sources": ["data.o"]}])"));
  CHECK(train.at("key") == record->key.hex());
  CHECK(train.at("command") == "headway run p.yaml train");
  const Json& metrics = train.at("outputs").at(1);
  CHECK(metrics.at("name") == "metrics");
  CHECK(metrics.at("file") == "m.json");
  CHECK(metrics.at("digest") == record->find("metrics")->object.digest.hex());
  CHECK(metrics.at("size") == record->find("metrics")->object.size);
  CHECK(train.at("cpu_seconds") == 0.5);
  CHECK(train.at("peak_memory") == 1000);
  CHECK(train.at("finished") == record->finished);
  CHECK(train.at("run") == record->run);
  CHECK(train.at("machine") == record->machine);
  CHECK(stage_in(told, "probe@mean").at("family") == "probe");
}

TEST_CASE("commands say what must be typed, --set and all, and safely", "[provenance]") {
  ToldProject project;
  project.run({.sets = {"seed=2", "+note=it's"}});
  const std::string command = stage_in(project.told(), "probe@zero").at("command");
  CHECK_THAT(command, ContainsSubstring("--set seed=2 ") && ContainsSubstring("probe@zero"));
  CHECK_THAT(command, ContainsSubstring(quote_for_shell("+note=it's")));
}

TEST_CASE("types that do not ask are told nothing", "[provenance]") {
  ToldProject project;
  project.run();
  CHECK(project.executor.last_job("train").provenance.empty());
  const std::optional<Record> record = project.record_of("train");
  REQUIRE(record);
  for (const Fact& fact : record->facts) CHECK(fact_kind(fact.name) != FactKind::kProvenance);
}

TEST_CASE("a run after a run finds it fresh, though records are only remembered", "[provenance]") {
  ToldProject project;
  project.run();
  for (int i = 0; i < 3; ++i) CHECK(project.run().ran.empty());
  // The last of the ways: history lost, records read.
  project.disk.remove(project.layout.states());
  CHECK(project.run().ran.empty());
}

TEST_CASE("how the file is named on the command line changes nothing", "[provenance]") {
  ToldProject project;
  project.run();
  CHECK(project.run({.file = "./p.yaml"}).ran.empty());
  CHECK(project.run({.file = ".//p.yaml"}).ran.empty());
  project.disk.make_directories(project.folder / "below");
  CHECK(project.run({.file = "below/../p.yaml"}).ran.empty());
}

TEST_CASE("made anew with other times, an upstream makes who is told of times run",
          "[provenance]") {
  ToldProject project;
  project.run();
  const std::string before = project.text();
  const Outcome outcome = project.run({.force = {"train"}});
  CHECK(outcome.ran == Names{"train", "told"});
  CHECK(reason_told(project, "told") == "stages it rests on were made anew");
  CHECK(project.text() != before);
  CHECK(project.run().ran.empty());
}

TEST_CASE("without times it does not", "[provenance]") {
  ToldProject project(without_times(kTold));
  project.run();
  const Json told = project.told();
  CHECK(told.at("has_times") == false);
  for (const char* field :
       {"seconds", "cpu_seconds", "peak_memory", "finished", "run", "headway", "machine"}) {
    INFO(field);
    CHECK(!stage_in(told, "train").contains(field));
  }
  CHECK(project.run({.force = {"train"}}).ran == Names{"train"});
}

TEST_CASE("without times the same artifacts have one key, whatever the day", "[provenance]") {
  ToldProject here(without_times(kTold)), there(without_times(kTold));
  there.disk.advance(1e6);
  here.run();
  there.run();
  CHECK(here.text() == there.text());
  CHECK(here.key_of("told") == there.key_of("told"));

  ToldProject with_here, with_there;
  with_there.disk.advance(1e6);
  with_here.run();
  with_there.run();
  CHECK(with_here.key_of("told") != with_there.key_of("told"));
}

TEST_CASE("another parameter upstream is told, though the bytes are the same", "[provenance]") {
  ToldProject project(without_times(kTold));
  project.run();
  std::string yaml = without_times(kTold);
  yaml.replace(yaml.find("data {out.o}"), 12, "data {out.o} # otherwise");
  project.write(yaml);
  // The comment leaves no trace in data's output: train is cut off, who tells of data is not.
  const Outcome outcome = project.run();
  CHECK(outcome.ran.front() == "data");
  CHECK(std::count(outcome.ran.begin(), outcome.ran.end(), "train") == 0);
  CHECK(outcome.ran.back() == "told");
  CHECK_THAT(stage_in(project.told(), "data").at("params").at("run").get<std::string>(),
             ContainsSubstring("# otherwise"));
}

TEST_CASE("records of old, without run and machine, are told as they are", "[provenance]") {
  ToldProject project;
  project.run();
  project.age_record("train");
  CHECK(project.run().ran == Names{"told"});
  const Json told = project.told();
  CHECK(stage_in(told, "train").at("run") == "");
  CHECK(stage_in(told, "train").at("machine").is_null());
  CHECK(stage_in(told, "data").at("run") != "");
  CHECK(project.run().ran.empty());
}

TEST_CASE("gc keeps what a record in use was told, and no other", "[provenance][gc]") {
  ToldProject project;
  project.run();
  const Path first = project.executor.last_job("told").provenance;
  project.run({.force = {"train"}});
  const Path second = project.executor.last_job("told").provenance;
  REQUIRE(first != second);
  std::set<Digest> keys;
  for (const StagePlan& stage : project.plan().stages) keys.insert(stage.key);
  Store store(project.disk, project.outputs);
  remove_garbage(store, find_garbage(store, keys, 0));
  CHECK(project.disk.exists(second));
  CHECK(!project.disk.exists(first));
  CHECK(project.run().ran.empty());
}

TEST_CASE("asking what would run writes nothing of it to the store", "[provenance]") {
  ToldProject project;
  project.run();
  project.disk.remove(project.layout.record(project.record_of("told")->key));
  project.disk.remove(project.layout.lists());
  const auto before = project.disk.tree(project.outputs);
  CHECK(project.plan().stages[0].status == StageStatus::kReady);
  CHECK(project.disk.tree(project.outputs) == before);
}

TEST_CASE("why says it in words, not in digests", "[provenance][explain]") {
  ToldProject project;
  Store store(project.disk, project.outputs);
  const std::string a = kListPrefix + digest_of("a").hex(), b = kListPrefix + digest_of("b").hex();
  const Change change{FactKind::kProvenance, "provenance", a, b, {}, "", {}, {}};
  CHECK(brief(change) == "stages it rests on were made anew");
  CHECK(
      detailed(change, store) ==
      "provenance: stages it rests on were made anew, or are called or set otherwise than before");
  CHECK(brief({FactKind::kProvenance, "provenance", "", b, {}, "", {}, {}}) == "provenance is new");
}

TEST_CASE("stages that fork and join again and again are told once each", "[provenance]") {
  std::string yaml =
      "stages:\n  top-a: {uses: shell, outs: {o: o.txt}, with: {run: \"a {out.o}\"}}\n";
  yaml += "  top-b: {uses: shell, outs: {o: o.txt}, with: {run: \"b {out.o}\"}}\n";
  std::string a = "top-a", b = "top-b";
  constexpr int kForks = 30;  // a billion ways from the last to the first
  for (int i = 0; i < kForks; ++i) {
    for (const std::string side : {"a", "b"}) {
      const std::string name = side + std::to_string(i);
      yaml += "  " + name + ": {uses: shell, in: {x: " + a + ", y: " + b +
              "}, outs: {o: o.txt}, with: {run: \"" + name + " {out.o}\"}}\n";
    }
    a = "a" + std::to_string(i);
    b = "b" + std::to_string(i);
  }
  ToldProject project(yaml + "  told: {uses: tell, in: {x: " + a + ", y: " + b + "}}\n");
  // The default would write all that it reads, twice as much at every fork.
  for (const StageSpec& stage : project.load().stages) {
    project.executor.on(stage.name, [&](const StageJob& job, const ProgressSink&, Interrupt&) {
      project.files.write(job.outputs[0].second, job.stage, Durability::kCached);
      return StageResult();
    });
  }
  REQUIRE(project.run().exit_code == 0);
  const Json told = project.told();
  Names seen;
  for (const Json& stage : told.at("stages")) {
    for (const Json& input : stage.at("inputs")) {
      const std::string source = input.at("sources").at(0);
      CHECK(std::count(seen.begin(), seen.end(), source.substr(0, source.rfind('.'))) == 1);
    }
    seen.push_back(stage.at("name"));
  }
  CHECK(seen.size() == 2 * kForks + 2);
}

namespace {

constexpr const char* kToldSweep = R"(
params: {seed: 1}
stages:
  data: {uses: shell, outs: {o: o.txt}, with: {run: "data {out.o}"}}
  train:
    uses: shell
    in: {d: data}
    outs: {o: o.txt, metrics: m.json}
    with: {run: "train right=${seed} {out.o} {out.metrics}"}
  probe:
    uses: shell
    matrix: {how: [zero]}
    in: {m: train.o}
    outs: {o: o.txt}
    with: {run: "probe ${matrix.how} {out.o}"}
  told: {uses: tell, in: {all: "probe@*"}, with: {times: false}}
sweeps:
  s:
    axes: {seed: [1, 2]}
    maximize: train.right
    stages:
      over-all: {uses: tell, in: {t: trials.table, m: "train@*.metrics"}}
)";

SweepRequest sweep_s() {
  SweepRequest request;
  request.name = "s";
  return request;
}

}  // namespace

TEST_CASE("in a trial stages are called as in a plain run, and commands give the trial",
          "[provenance][sweep]") {
  ToldProject project(kToldSweep);
  REQUIRE(project.sweep({.request = sweep_s()}).exit_code == 0);
  const Json told = project.told("told@seed=2");
  CHECK(told.at("report") == "told");
  CHECK(told.at("variant") == "seed=2");
  CHECK(names_in(told) == Names{"data", "train", "probe@zero"});
  CHECK(told.at("inputs").at(0).at("sources") == Json::array({"probe@zero.o"}));
  CHECK(stage_in(told, "train").at("command") == "headway run p.yaml --set seed=2 train");
  CHECK(stage_in(told, "probe@zero").at("command") == "headway run p.yaml --set seed=2 probe@zero");
  CHECK(stage_in(told, "data").at("command") == "headway run p.yaml --set seed=2 data");
}

TEST_CASE("over all trials they are called by their trials, and the table by the sweep",
          "[provenance][sweep]") {
  ToldProject project(kToldSweep);
  project.sweep({.request = sweep_s()});
  const Json told = project.told("over-all");
  CHECK(told.at("variant") == "s");
  CHECK(sorted(names_in(told)) == Names{"data", "train@seed=1", "train@seed=2", "trials"});
  CHECK(stage_in(told, "trials").at("command") == "headway sweep p.yaml s");
  CHECK(stage_in(told, "train@seed=2").at("command") == "headway run p.yaml --set seed=2 train");
  CHECK(project.sweep({.request = sweep_s()}).ran.empty());
}

TEST_CASE("a trial that failed is not told of, and comes in when it is there",
          "[provenance][sweep]") {
  ToldProject project(kToldSweep);
  project.executor.on("train@seed=2", [](const StageJob&, const ProgressSink&, Interrupt&) {
    return failed("unlucky");
  });
  const Outcome outcome = project.sweep({.request = sweep_s()});
  CHECK(outcome.exit_code == 1);
  CHECK(sorted(outcome.summary.lost) == Names{"probe@zero,seed=2", "told@seed=2", "train@seed=2"});
  CHECK(sorted(names_in(project.told("over-all"))) == Names{"data", "train@seed=1", "trials"});
  project.executor.on("train@seed=2", nullptr);
  CHECK(project.sweep({.request = sweep_s()}).summary.lost.empty());
  CHECK(sorted(names_in(project.told("over-all"))) ==
        Names{"data", "train@seed=1", "train@seed=2", "trials"});
}

}  // namespace headway::testing
