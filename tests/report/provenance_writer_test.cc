// The provenance that a stage is given of the stages it depends on, and when it causes a rerun.
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

struct SummaryParams {
  bool times = true;
};

// Like a report: it gets the provenance of its inputs.
StageType summary_stage() {
  SchemaOf<SummaryParams> schema;
  schema.add("times", &SummaryParams::times, "with times");
  StageType type;
  type.name = "summarize";
  type.version = 3;
  type.params = std::make_shared<SchemaOf<SummaryParams>>(schema);
  type.free_inputs = true;
  type.outputs = {{"o", "summary.txt", "the summary", {}}};
  type.provenance = ProvenanceUse{"times", provenance_text};
  return type;
}

constexpr const char* kProvenancePipeline = R"(
params: {seed: 1}
stages:
  summary: {uses: summarize, in: {all: "probe@*", first: data}}
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
  const std::string before = "uses: summarize,";
  return yaml.replace(yaml.find(before), before.size(), before + " with: {times: false},");
}

struct ProvenanceProject : SweepProject {
  explicit ProvenanceProject(const std::string& yaml = kProvenancePipeline) {
    stages.add(summary_stage());
    write(yaml);
  }

  // What the stage was given when it last ran.
  std::string text(const std::string& stage = "summary") {
    return disk.read(executor.last_job(stage).provenance).value_or("");
  }
  Json provenance(const std::string& stage = "summary") { return parse_json(text(stage)).value(); }

  // As an older version of the program wrote it.
  void age_record(const std::string& stage) {
    const Path path = layout.record(record_of(stage)->key);
    Json json = parse_json(*disk.read(path)).value();
    REQUIRE(json.erase("run") == 1);
    REQUIRE(json.erase("machine") == 1);
    REQUIRE(json.erase("checksum") == 1);  // older versions had none
    disk.put(path, to_line(json) + "\n");
  }
};

Names names_in(const Json& provenance) {
  Names names;
  for (const Json& stage : provenance.at("stages")) names.push_back(stage.at("name"));
  return names;
}

const Json& stage_in(const Json& provenance, const std::string& name) {
  for (const Json& stage : provenance.at("stages")) {
    if (stage.at("name") == name) return stage;
  }
  throw Error("no provenance of " + name);
}

std::string start_reason(const Project& project, const std::string& stage) {
  for (const StageStart& start : project.starts) {
    if (start.stage == stage) return start.reason;
  }
  return "not started";
}

}  // namespace

TEST_CASE("provenance lists everything that a stage's inputs depend on, in order", "[provenance]") {
  ProvenanceProject project;
  REQUIRE(project.run().exit_code == 0);
  const Json provenance = project.provenance();
  CHECK(provenance.at("pipeline") == "p");
  CHECK(provenance.at("variant") == "");
  CHECK(provenance.at("file") == "p.yaml");
  CHECK(provenance.at("report") == "summary");
  CHECK(provenance.at("has_times") == true);
  CHECK(names_in(provenance) ==
        Names{"data", "train", "probe@zero", "probe@mean"});  // `needs` gives nothing
  CHECK(provenance.at("inputs") == Json::parse(R"([
    {"port": "all", "sources": ["probe@zero.o", "probe@mean.o"]},
    {"port": "first", "sources": ["data.o"]}])"));
}

TEST_CASE("provenance describes each stage, what made it and its results", "[provenance]") {
  ProvenanceProject project;
  project.executor.on("train", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    StageResult result = project.executor.work(job);
    result.numerics = "AVX2";
    return result;
  });
  project.run();
  const Json provenance = project.provenance();
  const Json& train = stage_in(provenance, "train");
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
  CHECK(train.at("numerics") == "AVX2");
  CHECK_FALSE(stage_in(provenance, "data").contains("numerics"));  // as in older versions
  CHECK(stage_in(provenance, "probe@mean").at("family") == "probe");
}

TEST_CASE("commands can be typed as they are, including --set, and are safely quoted",
          "[provenance]") {
  ProvenanceProject project;
  project.run({.sets = {"seed=2", "+note=it's"}});
  const std::string command = stage_in(project.provenance(), "probe@zero").at("command");
  CHECK_THAT(command, ContainsSubstring("--set seed=2 ") && ContainsSubstring("probe@zero"));
  CHECK_THAT(command, ContainsSubstring(quote_for_shell("+note=it's")));
}

TEST_CASE("stage types that do not ask for provenance get none", "[provenance]") {
  ProvenanceProject project;
  project.run();
  CHECK(project.executor.last_job("train").provenance.empty());
  const std::optional<Record> record = project.record_of("train");
  REQUIRE(record);
  for (const Fact& fact : record->facts) CHECK(fact_kind(fact.name) != FactKind::kProvenance);
}

TEST_CASE("a second run is fresh, even if records are only remembered", "[provenance]") {
  ProvenanceProject project;
  project.run();
  for (int i = 0; i < 3; ++i) CHECK(project.run().ran.empty());
  // The last resort: without history, records are read.
  project.disk.remove(project.layout.states());
  CHECK(project.run().ran.empty());
}

TEST_CASE("the way the file is named on the command line makes no difference", "[provenance]") {
  ProvenanceProject project;
  project.run();
  CHECK(project.run({.file = "./p.yaml"}).ran.empty());
  CHECK(project.run({.file = ".//p.yaml"}).ran.empty());
  project.disk.make_directories(project.folder / "below");
  CHECK(project.run({.file = "below/../p.yaml"}).ran.empty());
}

TEST_CASE("with times, an upstream stage that was rerun causes a rerun", "[provenance]") {
  ProvenanceProject project;
  project.run();
  const std::string before = project.text();
  const Outcome outcome = project.run({.force = {"train"}});
  CHECK(outcome.ran == Names{"train", "summary"});
  CHECK(start_reason(project, "summary") == "stages it rests on were made anew");
  CHECK(project.text() != before);
  CHECK(project.run().ran.empty());
}

TEST_CASE("without times, it does not", "[provenance]") {
  ProvenanceProject project(without_times(kProvenancePipeline));
  project.run();
  const Json provenance = project.provenance();
  CHECK(provenance.at("has_times") == false);
  for (const char* field : {"seconds", "cpu_seconds", "peak_memory", "finished", "run", "headway",
                            "machine", "numerics"}) {
    INFO(field);
    CHECK(!stage_in(provenance, "train").contains(field));
  }
  CHECK(project.run({.force = {"train"}}).ran == Names{"train"});
}

TEST_CASE("without times, the same artifacts have the same key on any day", "[provenance]") {
  ProvenanceProject here(without_times(kProvenancePipeline)),
      there(without_times(kProvenancePipeline));
  there.disk.advance(1e6);
  here.run();
  there.run();
  CHECK(here.text() == there.text());
  CHECK(here.key_of("summary") == there.key_of("summary"));

  ProvenanceProject with_here, with_there;
  with_there.disk.advance(1e6);
  with_here.run();
  with_there.run();
  CHECK(with_here.key_of("summary") != with_there.key_of("summary"));
}

TEST_CASE("a changed upstream parameter is recorded, even if the bytes are the same",
          "[provenance]") {
  ProvenanceProject project(without_times(kProvenancePipeline));
  project.run();
  std::string yaml = without_times(kProvenancePipeline);
  yaml.replace(yaml.find("data {out.o}"), 12, "data {out.o} # otherwise");
  project.write(yaml);
  // The comment does not change the output of data: train is not rerun, but the summary is.
  const Outcome outcome = project.run();
  CHECK(outcome.ran.front() == "data");
  CHECK(std::count(outcome.ran.begin(), outcome.ran.end(), "train") == 0);
  CHECK(outcome.ran.back() == "summary");
  CHECK_THAT(stage_in(project.provenance(), "data").at("params").at("run").get<std::string>(),
             ContainsSubstring("# otherwise"));
}

TEST_CASE("old records without run and machine are reported as they are", "[provenance]") {
  ProvenanceProject project;
  project.run();
  project.age_record("train");
  CHECK(project.run().ran == Names{"summary"});
  const Json provenance = project.provenance();
  CHECK(stage_in(provenance, "train").at("run") == "");
  CHECK(stage_in(provenance, "train").at("machine").is_null());
  CHECK(stage_in(provenance, "data").at("run") != "");
  CHECK(project.run().ran.empty());
}

TEST_CASE("gc keeps the provenance of a record in use, and no other", "[provenance][gc]") {
  ProvenanceProject project;
  project.run();
  const Path first = project.executor.last_job("summary").provenance;
  project.run({.force = {"train"}});
  const Path second = project.executor.last_job("summary").provenance;
  REQUIRE(first != second);
  std::set<Digest> keys;
  for (const StagePlan& stage : project.plan().stages) keys.insert(stage.key);
  Store store(project.disk, project.outputs);
  remove_garbage(store, find_garbage(store, keys, 0));
  CHECK(project.disk.exists(second));
  CHECK(!project.disk.exists(first));
  CHECK(project.run().ran.empty());
}

TEST_CASE("checking what would run does not write provenance to the store", "[provenance]") {
  ProvenanceProject project;
  project.run();
  project.disk.remove(project.layout.record(project.record_of("summary")->key));
  project.disk.remove(project.layout.lists());
  const auto before = project.disk.tree(project.outputs);
  CHECK(project.plan().stages[0].status == StageStatus::kReady);
  CHECK(project.disk.tree(project.outputs) == before);
}

TEST_CASE("why explains it in words, not in digests", "[provenance][explain]") {
  ProvenanceProject project;
  Store store(project.disk, project.outputs);
  const std::string a = list_value(digest_of("a")), b = list_value(digest_of("b"));
  const Change change{FactKind::kProvenance, "provenance", a, b, {}, "", {}, {}};
  CHECK(brief(change) == "stages it rests on were made anew");
  CHECK(
      detailed(change, store) ==
      "provenance: stages it rests on were made anew, or are called or set otherwise than before");
  CHECK(brief({FactKind::kProvenance, "provenance", "", b, {}, "", {}, {}}) == "provenance is new");
}

TEST_CASE("stages that fork and join repeatedly are listed once each", "[provenance]") {
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
  ProvenanceProject project(yaml + "  summary: {uses: summarize, in: {x: " + a + ", y: " + b +
                            "}}\n");
  // The default would write all that it reads, twice as much at every fork.
  for (const StageSpec& stage : project.load().stages) {
    project.executor.on(stage.name, [&](const StageJob& job, const ProgressSink&, Interrupt&) {
      project.files.write(job.outputs[0].second, job.stage, Durability::kCached);
      return StageResult();
    });
  }
  REQUIRE(project.run().exit_code == 0);
  const Json provenance = project.provenance();
  Names seen;
  for (const Json& stage : provenance.at("stages")) {
    for (const Json& input : stage.at("inputs")) {
      const std::string source = input.at("sources").at(0);
      CHECK(std::count(seen.begin(), seen.end(), source.substr(0, source.rfind('.'))) == 1);
    }
    seen.push_back(stage.at("name"));
  }
  CHECK(seen.size() == 2 * kForks + 2);
}

namespace {

constexpr const char* kProvenanceSweep = R"(
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
  summary: {uses: summarize, in: {all: "probe@*"}, with: {times: false}}
sweeps:
  s:
    axes: {seed: [1, 2]}
    maximize: train.right
    stages:
      over-all: {uses: summarize, in: {t: trials.table, m: "train@*.metrics"}}
)";

SweepRequest sweep_s() {
  SweepRequest request;
  request.name = "s";
  return request;
}

}  // namespace

TEST_CASE("in a trial, stages are named as in a plain run, and commands name the trial",
          "[provenance][sweep]") {
  ProvenanceProject project(kProvenanceSweep);
  REQUIRE(project.sweep({.request = sweep_s()}).exit_code == 0);
  const Json provenance = project.provenance("summary@seed=2");
  CHECK(provenance.at("report") == "summary");
  CHECK(provenance.at("variant") == "seed=2");
  CHECK(names_in(provenance) == Names{"data", "train", "probe@zero"});
  CHECK(provenance.at("inputs").at(0).at("sources") == Json::array({"probe@zero.o"}));
  CHECK(stage_in(provenance, "train").at("command") == "headway run p.yaml --set seed=2 train");
  CHECK(stage_in(provenance, "probe@zero").at("command") ==
        "headway run p.yaml --set seed=2 probe@zero");
  CHECK(stage_in(provenance, "data").at("command") == "headway run p.yaml --set seed=2 data");
}

TEST_CASE("across all trials, stages are named by trial, and the table by the sweep",
          "[provenance][sweep]") {
  ProvenanceProject project(kProvenanceSweep);
  project.sweep({.request = sweep_s()});
  const Json provenance = project.provenance("over-all");
  CHECK(provenance.at("variant") == "s");
  CHECK(sorted(names_in(provenance)) == Names{"data", "train@seed=1", "train@seed=2", "trials"});
  CHECK(stage_in(provenance, "trials").at("command") == "headway sweep p.yaml s");
  CHECK(stage_in(provenance, "train@seed=2").at("command") ==
        "headway run p.yaml --set seed=2 train");
  CHECK(project.sweep({.request = sweep_s()}).ran.empty());
}

TEST_CASE("a failed trial is left out, and included once it succeeds", "[provenance][sweep]") {
  ProvenanceProject project(kProvenanceSweep);
  project.executor.on("train@seed=2", [](const StageJob&, const ProgressSink&, Interrupt&) {
    return failed("unlucky");
  });
  const Outcome outcome = project.sweep({.request = sweep_s()});
  CHECK(outcome.exit_code == 1);
  CHECK(sorted(outcome.summary.lost) ==
        Names{"probe@zero,seed=2", "summary@seed=2", "train@seed=2"});
  CHECK(sorted(names_in(project.provenance("over-all"))) ==
        Names{"data", "train@seed=1", "trials"});
  project.executor.on("train@seed=2", nullptr);
  CHECK(project.sweep({.request = sweep_s()}).summary.lost.empty());
  CHECK(sorted(names_in(project.provenance("over-all"))) ==
        Names{"data", "train@seed=1", "train@seed=2", "trials"});
}

}  // namespace headway::testing
