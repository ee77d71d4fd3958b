// The report of a file that declares none: its inputs, its name, and when there is none.
#include "lib/report/default_report.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/base/text.h"
#include "lib/sweep/sweep_report.h"
#include "tests/support/loading.h"
#include "tests/support/sweeping.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using Words = std::vector<std::string>;

struct MissingParam {
  std::vector<std::string> missing;
  std::vector<std::string> warnings;
};

// The language knows of the real one only its name, its parameters and that it takes any inputs.
const StageRegistry& report_registry() {
  static const StageRegistry kRegistry = [] {
    StageRegistry registry = sweep_stages();
    SchemaOf<MissingParam> schema;
    schema.add("missing", &MissingParam::missing, "what is missing");
    schema.add("warnings", &MissingParam::warnings, "what is wrong");
    StageType type;
    type.name = "report";
    type.params = std::make_shared<SchemaOf<MissingParam>>(schema);
    type.free_inputs = true;
    type.outputs = {{"page", "index.html", "", {}}, {"markdown", "REPORT.md", "", {}}};
    registry.add(type);
    StageType model;
    model.name = "save-model";
    model.outputs = {{.name = "table", .file = "t.csv", .help = ""},
                     {.name = "config", .file = "c.json", .help = "", .is_for_programs = true}};
    registry.add(model);
    return registry;
  }();
  return kRegistry;
}

PipelineSpec load_for_report(const std::string& text) {
  const TemporaryFolder folder;
  folder.write("p.yaml", text);
  const InFolder inside(folder.path());
  RealFileSystem files;
  return load_variation(read_pipeline_file("p.yaml", files), {}, report_registry(), files);
}

PipelineSpec load_sweep_for_report(const std::string& text) {
  return Sweeping(text, {}, report_registry())->load_all().pipeline;
}

PipelineSpec with_default_report(PipelineSpec pipeline) {
  RealFileSystem files;
  add_default_report(pipeline, report_registry(), files, sweep_input_name);
  return pipeline;
}

std::string report_mistakes(PipelineSpec pipeline) {
  try {
    with_default_report(std::move(pipeline));
    return "";
  } catch (const PipelineError& error) {
    return error.what();
  }
}

// "curves: curves.svg" of each input, in order.
Words inputs_of(const PipelineSpec& pipeline, const std::string& name = "report") {
  Words inputs;
  for (const InputSpec& input : stage(pipeline, name).inputs)
    inputs.push_back(input.port + ": " + sources(pipeline, name, input.port));
  return inputs;
}

Words reports_of(const PipelineSpec& pipeline) {
  Words names;
  for (const StageId index : report_stages(pipeline)) names.push_back(pipeline.stages[index].name);
  return names;
}

std::string shell_stage_of(const std::string& name, const std::string& outs) {
  std::string run;
  for (const std::string& out : split(outs, ','))
    run += "{out." + std::string(trim(out.substr(0, out.find(':')))) + "} ";
  return "  " + name + ": {uses: shell, outs: {" + outs + "}, with: {run: '" + run + "'}}\n";
}

}  // namespace

TEST_CASE("a default report does without missing stages, and says so", "[report]") {
  PipelineSpec pipeline = load_for_report(
      "stages:\n" + shell_stage_of("a", "t: t.txt") + shell_stage_of("b", "t: t.txt") +
      "  m: {uses: shell, matrix: {i: [1, 2]}, outs: {t: t.txt}, with: {run: '{out.t}'}}\n");
  RealFileSystem files;
  add_default_report(pipeline, report_registry(), files, sweep_input_name,
                     {{"b", "m@2"}, {"b failed: no", "m@2 did not run"}});
  CHECK(inputs_of(pipeline) == Words{"a: a.t", "m: m@1.t"});
  CHECK(to_json(stage(pipeline, "report").params)["missing"] ==
        Json{"b failed: no", "m@2 did not run"});
}

TEST_CASE("a default report names expectations that only warn", "[report]") {
  PipelineSpec pipeline = load_for_report("stages:\n" + shell_stage_of("a", "t: t.txt"));
  RealFileSystem files;
  add_default_report(pipeline, report_registry(), files, sweep_input_name,
                     {.warnings = {"a: expected x > 5, got 1"}});
  CHECK(inputs_of(pipeline) == Words{"a: a.t"});
  const Json params = to_json(stage(pipeline, "report").params);
  CHECK(params["missing"].empty());
  CHECK(params["warnings"] == Json::array({"a: expected x > 5, got 1"}));
}

TEST_CASE("the default report reads the outputs meant for people, in file order",
          "[default-report]") {
  const PipelineSpec pipeline = with_default_report(load_for_report(
      "stages:\n" + shell_stage_of("data", "d: data.csv, raw: data.bin") +
      shell_stage_of("train", "model: m.safetensors, metrics: metrics.json, log: log.csv") +
      shell_stage_of("curves", "svg: f.svg, gp: f.gp, dat: f.dat, png: f.png") +
      shell_stage_of("folder", "site: site") + shell_stage_of("words", "t: a.md, u: b.txt")));
  CHECK(inputs_of(pipeline) == Words{"data: data.d", "train-metrics: train.metrics",
                                     "train-log: train.log", "curves: curves.svg",
                                     "words-t: words.t", "words-u: words.u"});
  CHECK(stage(pipeline, "report").type->name == "report");
  CHECK(reports_of(pipeline) == Words{"report"});
}

TEST_CASE("the default report leaves out what a type writes for other programs",
          "[default-report]") {
  CHECK(inputs_of(with_default_report(load_for_report("stages: {m: {uses: save-model}}"))) ==
        Words{"m: m.table"});
}

TEST_CASE("all items of a matrix are read as one input", "[default-report]") {
  const PipelineSpec pipeline = with_default_report(load_for_report(R"(
stages:
  probe: {uses: shell, matrix: {how: [zero, mean]}, outs: {t: t.csv, svg: f.svg}, with: {run: '{out.t} {out.svg}'}}
  sum: {uses: shell, in: {t: "probe@*.t"}, outs: {t: t.csv}, with: {run: '{out.t}'}}
)"));
  CHECK(inputs_of(pipeline) == Words{"probe-t: probe@*.t", "probe-svg: probe@*.svg", "sum: sum.t"});
  CHECK(members(pipeline, "report", "probe-t") == Words{"probe@zero", "probe@mean"});
}

TEST_CASE("inputs that would share a name get different ones", "[default-report]") {
  const PipelineSpec pipeline = with_default_report(load_for_report(
      "stages:\n" + shell_stage_of("a", "b: b.csv, c: c.csv") + shell_stage_of("a-b", "x: x.csv")));
  CHECK(inputs_of(pipeline) == Words{"a-b: a.b", "a-c: a.c", "a-b-2: a-b.x"});
}

TEST_CASE("names of the maximum length still make inputs", "[default-report]") {
  const std::string name(100, 'n'), output(100, 'o'), other(99, 'o');
  const PipelineSpec pipeline = with_default_report(load_for_report(
      "stages:\n" + shell_stage_of(name, output + ": o.csv, " + other + "p: p.csv")));
  CHECK(stage(pipeline, "report").inputs.size() == 2);
}

TEST_CASE("without outputs meant for people there is nothing to report", "[default-report]") {
  const std::string text = report_mistakes(
      load_for_report("stages:\n" + shell_stage_of("train", "model: m.safetensors")));
  CHECK_THAT(text, StartsWith("p.yaml: there is nothing to report"));
  CHECK_THAT(text, ContainsSubstring(".svg") && ContainsSubstring(".csv"));
}

TEST_CASE("a stage of another type named report is in the way, and is located",
          "[default-report]") {
  const PipelineSpec pipeline = load_for_report("stages:\n" + shell_stage_of("a", "t: t.csv") +
                                                shell_stage_of("report", "t: t.csv"));
  CHECK(reports_of(pipeline).empty());
  CHECK_THAT(report_mistakes(pipeline),
             StartsWith("p.yaml:3:3: a stage is called 'report' but does not use"));
}

TEST_CASE("report stages are found by their type", "[default-report]") {
  const PipelineSpec pipeline = load_for_report(R"(
stages:
  first: {uses: report, in: {t: a}}
  a: {uses: shell, outs: {t: t.csv}, with: {run: '{out.t}'}}
  second: {uses: report, in: {t: first.markdown}}
  report-of-old: {uses: shell, with: {run: 'true'}}
)");
  CHECK(reports_of(pipeline) == Words{"first", "second"});
}

namespace {

std::string swept(const std::string& stages, const std::string& of_sweep = "") {
  return "params: {seed: 1}\nstages:\n"
         "  data: {uses: shell, outs: {t: t.csv}, with: {run: '{out.t}'}}\n"
         "  work: {uses: shell, in: {t: data}, outs: {metrics: m.json, t: t.csv}, "
         "with: {run: 'echo ${seed} {out.metrics} {out.t}'}}\n" +
         stages + "sweeps:\n  s:\n    axes: {seed: [1, 2]}\n" + of_sweep;
}

constexpr const char* kPlainReport = "  report: {uses: report, in: {t: work.t}}\n";

}  // namespace

TEST_CASE("the default report of a sweep reads the table of trials and the sweep's own stages",
          "[default-report]") {
  const PipelineSpec pipeline = with_default_report(
      load_sweep_for_report(swept("",
                                  "    stages:\n"
                                  "      heat: {uses: shell, in: {t: trials.table}, outs: {svg: "
                                  "f.svg}, with: {run: '{out.svg}'}}\n")));
  const Words inputs = inputs_of(pipeline);
  CHECK(inputs.front() == "trials: trials.table");
  CHECK(std::count(inputs.begin(), inputs.end(), "comparison: trials.comparison") == 1);
  CHECK(inputs.back() == "heat: heat.svg");
  for (const std::string& input : inputs) CHECK_THAT(input, !ContainsSubstring("work"));
  CHECK(stage(pipeline, "report").places.empty());
}

TEST_CASE("the trials' own reports do not count as the sweep's report", "[default-report]") {
  const PipelineSpec merged = load_sweep_for_report(swept(kPlainReport));
  REQUIRE(!stage(merged, "report@seed=1").places.empty());
  CHECK(reports_of(merged).empty());
  const PipelineSpec pipeline = with_default_report(merged);
  CHECK(reports_of(pipeline) == Words{"sweep-report"});
  CHECK(default_report_name(pipeline) == "sweep-report");
  CHECK(inputs_of(pipeline, "sweep-report").front() == "trials: trials.table");
}

TEST_CASE("a report stage of the sweep itself is the sweep's report", "[default-report]") {
  const PipelineSpec pipeline = load_sweep_for_report(
      swept(kPlainReport, "    stages:\n      summary: {uses: report, in: {t: trials.table}}\n"));
  CHECK(reports_of(pipeline) == Words{"summary"});
}

}  // namespace headway::testing
