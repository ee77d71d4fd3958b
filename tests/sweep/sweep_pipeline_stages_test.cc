// Behind the trials of a sweep: their table, the sweep's own stages, and mistakes of all of them.
#include <catch2/catch_test_macros.hpp>

#include "lib/sweep/sweep_pipeline.h"
#include "tests/support/loading.h"
#include "tests/support/sweeping.h"
#include "tests/support/test_stages.h"

namespace headway::testing {
namespace {

using Texts = std::vector<std::string>;

// Five lines; the sweep `s` stands in the seventh, from column 6.
const std::string kWork =
    "params: {seed: 1, rate: 0.1}\n"
    "stages:\n"
    "  data: {uses: make-data}\n"
    "  work: {uses: fit, in: {data: data}, with: {seed: '${seed}', lr: '${rate}'}}\n"
    "  check: {uses: train-model, in: {data: work.model}}\n";

std::string work(const std::string& sweep) {
  return kWork + "sweeps:\n  s: " + sweep + "\n";
}
std::string refused(const std::string& sweep) {
  return sweep_mistakes(work(sweep));
}
SweepPipeline loaded(const std::string& sweep) {
  return campaign_in(work(sweep));
}

TEST_CASE("the table reads the metrics of every stage that has some, over all trials",
          "[campaign]") {
  const PipelineSpec pipeline = loaded("{axes: {seed: [1, 2]}}").pipeline;
  const StageSpec& table = stage(pipeline, "trials");
  CHECK(table.type->name == "collect-trials");
  CHECK(sources(pipeline, "trials", "work") == "work@*.metrics");
  CHECK(members(pipeline, "trials", "work") == Texts{"work@seed=1", "work@seed=2"});
  CHECK(members(pipeline, "trials", "check") == Texts{"check@seed=1", "check@seed=2"});
  CHECK(table.inputs.size() == 2);
  for (const InputSpec& input : table.inputs) {
    const int fan_in = input.sources.at(0).fan_in;
    CHECK(pipeline.fan_ins.at(static_cast<std::size_t>(fan_in)).over_variations);
  }
}

TEST_CASE("the table is told the trials, and which of its inputs are theirs", "[campaign]") {
  const SweepPipeline campaign = loaded(
      "{axes: {seed: [1, 2], rate: [0.1]}, minimize: work.loss, metrics: [work.loss], "
      "until: work}");
  const Json params = to_json(stage(campaign.pipeline, "trials").params);
  CHECK(params["objective"] == "work.loss");
  CHECK(params["maximize"] == false);
  CHECK(params["metrics"] == Json({"work.loss"}));
  CHECK(params["decisions"] == Json::array());
  REQUIRE(params["trials"].size() == 2);
  CHECK(*parse_json(params["trials"][1].get<std::string>()) ==
        Json({{"name", "seed=2,rate=0.1"},
              {"overrides", Json::array({{"seed", 2}, {"rate", 0.1}})},
              {"stages", Json::array({{"work", "work", "seed=2,rate=0.1"}})}}));
}

TEST_CASE("a metric's stage that all trials share is one input of the table", "[campaign]") {
  const SweepPipeline campaign = loaded("{axes: {check.lr: [0.1, 0.2]}}");
  CHECK(members(campaign.pipeline, "trials", "work") == Texts{"work"});
  const Json params = to_json(stage(campaign.pipeline, "trials").params);
  CHECK((*parse_json(params["trials"][0].get<std::string>()))["stages"] ==
        Json({{"work", "work", "work"}, {"check", "check", "check.lr=0.1"}}));
}

TEST_CASE("a program without the type of the table makes none", "[campaign]") {
  const std::string text =
      "params: {note: x}\n"
      "stages:\n"
      "  data: {uses: make-data}\n"
      "  work: {uses: train-model, in: {data: data}, with: {note: '${note}'}}\n"
      "sweeps: {s: {axes: {note: [a, b]}}}\n";
  const Sweeping sweeping(text, {}, test_stages());
  CHECK(stage_names(sweeping->load_all().pipeline) == Texts{"data", "work@note=a", "work@note=b"});
}

TEST_CASE("a sweep's own stages read the table, all of a stage, or one of it", "[campaign]") {
  const PipelineSpec pipeline =
      loaded(
          "{axes: {seed: [1, 2]}, stages: {\n"
          "      lines: {uses: plot-tables, in: {tables: trials.table}},\n"
          "      all: {uses: plot-tables, in: {tables: 'work@*.metrics'}},\n"
          "      one: {uses: plot-tables, in: {tables: 'work@seed=2.model'}},\n"
          "      more: {uses: plot-tables, in: {tables: lines}, needs: ['check@*', data]}}}")
          .pipeline;
  CHECK(sources(pipeline, "lines", "tables") == "trials.table");
  CHECK(members(pipeline, "all", "tables") == Texts{"work@seed=1", "work@seed=2"});
  CHECK(sources(pipeline, "one", "tables") == "work@seed=2.model");
  CHECK(sources(pipeline, "more", "tables") == "lines.figure");
  CHECK(needs(pipeline, "more") == "check@*, data");
  CHECK(stage(pipeline, "lines").places.empty());
}

TEST_CASE("a sweep's own stages read the same stages, however many trials differ in them",
          "[campaign]") {
  const std::string stages =
      ", stages: {x: {uses: plot-tables, in: {tables: [data, 'work@*.metrics', 'data@*']}}}}";
  const PipelineSpec several = loaded("{axes: {seed: [1, 2], rate: [0.1]}" + stages).pipeline;
  CHECK(sources(several, "x", "tables") == "data.data, work@*.metrics, data@*.data");
  const PipelineSpec one = loaded("{axes: {seed: [1]}" + stages).pipeline;
  CHECK(sources(one, "x", "tables") == "data@seed=1.data, work@*.metrics, data@*.data");
  const PipelineSpec shared = loaded("{axes: {check.lr: [0.1, 0.2]}" + stages).pipeline;
  CHECK(sources(shared, "x", "tables") == "data.data, work@*.metrics, data@*.data");
}

TEST_CASE("a sweep's own stages are told only where it is summed up", "[campaign]") {
  const Sweeping sweeping(work(
      "{axes: {seed: [1, 2]}, stages: {lines: {uses: plot-tables, in: {tables: trials.table}}}}"));
  const SweepPipeline campaign =
      sweeping->load({{sweeping->trials().at(0)}, {sweeping->trials().at(1)}}, false);
  CHECK(stage_names(campaign.pipeline) ==
        Texts{"data", "work@seed=1", "check@seed=1", "work@seed=2", "check@seed=2"});
}

TEST_CASE("a sweep's own stages may use params and have a matrix", "[campaign]") {
  const PipelineSpec pipeline =
      loaded(
          "{axes: {rate: [0.3]}, stages: {note: {uses: shell, matrix: {i: [a, b]}, outs: {o: o},\n"
          "    with: {run: 'x ${rate} ${matrix.i} {out.o}'}}}}")
          .pipeline;
  CHECK(to_json(stage(pipeline, "note@b").params)["run"] == "x 0.1 b {out.o}");
}

TEST_CASE("mistakes of a sweep's own stages are told", "[campaign]") {
  const std::string begin = "{axes: {seed: [1, 2]}, stages: {x: {uses: plot-tables, in: {tables: ";
  CHECK(refused(begin + "wrk}}}}") ==
        "p.yaml:7:74: stage 'x': input 'tables': unknown stage 'wrk'; did you mean 'work'?");
  CHECK(refused(begin + "work.metrics}}}}") ==
        "p.yaml:7:74: stage 'x': input 'tables': stage 'work' is a matrix: write work@* for all of "
        "it or work@seed=1 for one");
  CHECK(refused("{axes: {seed: [1]}, stages: {x: {uses: plot-tables, in: {tables: y}},\n"
                "    y: {uses: plot-tables, in: {tables: x}}}}")
            .find("circle") != std::string::npos);
}

TEST_CASE("a sweep's own stage may not have the name of a stage or of the table", "[campaign]") {
  CHECK(refused(
            "{axes: {seed: [1]}, stages: {work: {uses: make-data}, trials: {uses: make-data}}}") ==
        "p.yaml:7:35: sweep 's': there is a stage 'work' already\n"
        "p.yaml:7:60: sweep 's': there is a stage 'trials' already");
  CHECK(sweep_mistakes("stages: {trials: {uses: make-data}}\nparams: {seed: 1}\n"
                       "sweeps: {s: {axes: {seed: [1]}}}\n") ==
        "p.yaml:1:18: a pipeline with sweeps cannot have a stage 'trials': that is the table of a "
        "sweep's trials");
}

TEST_CASE("a mistake of all trials is told once", "[campaign]") {
  CHECK(
      sweep_mistakes(kWork + "  bad: {uses: mke-data}\nsweeps: {s: {axes: {seed: [1, 2, 3]}}}\n") ==
      "p.yaml:6:15: stage 'bad': unknown stage type 'mke-data'; did you mean 'make-data'?");
  CHECK(refused("{axes: {sed: [1, 2, 3]}}").find("unknown parameter 'sed'") != std::string::npos);
}

TEST_CASE("a mistake of some trials is told once, with the first that has it", "[campaign]") {
  CHECK(refused("{axes: {work.lr: [0.1, -1], seed: [1, 2]}}") ==
        "p.yaml:7:29: stage 'work': parameter 'lr' must be above 0, got -1.0 (trial "
        "work.lr=-1,seed=1 and 1 more)");
  CHECK(refused("{axes: {work.lr: [0.1, -1]}}") ==
        "p.yaml:7:29: stage 'work': parameter 'lr' must be above 0, got -1.0 (trial work.lr=-1)");
  CHECK(refused("{axes: {seed: [1, x]}}") ==
        "p.yaml:7:24: parameter 'seed' is the integer 1; it cannot become the text 'x' (trial "
        "seed=x)");
}

TEST_CASE("of very many mistakes the first are told", "[campaign]") {
  const std::string told = refused("{axes: {work.lr: 'int:-100..-1'}}");
  CHECK(std::count(told.begin(), told.end(), '\n') == 40);
  CHECK(told.ends_with("\n… and 60 more mistakes"));
}

TEST_CASE("an objective that no stage can have is refused, with those that can", "[campaign]") {
  CHECK(refused("{axes: {seed: [1, 2]}, maximize: wrk.x}") ==
        "p.yaml:7:39: sweep 's': 'wrk.x' is not a metric of a stage that has metrics; did you mean "
        "'work'? (those are work, check)");
  CHECK(refused("{axes: {seed: [1, 2]}, maximize: data.x}") ==
        "p.yaml:7:39: sweep 's': 'data.x' is not a metric of a stage that has metrics (those are "
        "work, check)");
  CHECK(sweep_mistakes("params: {a: 1}\nstages: {d: {uses: make-data}}\n"
                       "sweeps: {s: {axes: {a: [1]}, maximize: d.x}}\n") ==
        "p.yaml:3:40: sweep 's': 'd.x' is not a metric of a stage that has metrics");
}

TEST_CASE("metrics to show are checked as the objective is", "[campaign]") {
  CHECK(refused("{axes: {seed: [1, 2]}, metrics: [work, check.x, wrk.y]}") ==
        "p.yaml:7:38: sweep 's': 'wrk.y' is not a metric of a stage that has metrics; did you mean "
        "'work'? (those are work, check)");
  CHECK(refused("{axes: {seed: [1, 2]}, metrics: [work.a / check.b]}") == "");
}

TEST_CASE("a stage of 'until' that is not there is told once", "[campaign]") {
  CHECK(refused("{axes: {seed: [1, 2]}, until: [wrk]}") ==
        "p.yaml:7:37: sweep 's': 'until': p.yaml: unknown stage 'wrk'; did you mean 'work'?");
  CHECK(refused("{axes: {seed: [1, 2]}, until: 3}") ==
        "p.yaml:7:36: sweep 's': 'until': expects a stage's name, got the integer 3");
  CHECK(refused("{axes: {seed: [1, 2]}, until: work.model}") ==
        "p.yaml:7:36: sweep 's': 'until': p.yaml: 'work.model' names an output; give a stage");
}

}  // namespace
}  // namespace headway::testing
