// After the trials of a sweep: their table, the sweep's own stages, and mistakes in all of them.
#include <catch2/catch_test_macros.hpp>

#include "lib/sweep/sweep_pipeline.h"
#include "tests/support/loading.h"
#include "tests/support/sweeping.h"
#include "tests/support/test_stages.h"

namespace headway::testing {
namespace {

using Texts = std::vector<std::string>;

// Five lines; the sweep `s` is in the seventh, from column 6.
const std::string kWork =
    "params: {seed: 1, rate: 0.1}\n"
    "stages:\n"
    "  data: {uses: make-data}\n"
    "  work: {uses: fit, in: {data: data}, with: {seed: '${seed}', lr: '${rate}'}}\n"
    "  check: {uses: train-model, in: {data: work.model}}\n";

std::string work(const std::string& sweep) {
  return kWork + "sweeps:\n  s: " + sweep + "\n";
}
std::string refused_work(const std::string& sweep) {
  return sweep_mistakes(work(sweep));
}
SweepPipeline loaded(const std::string& sweep) {
  return sweep_pipeline_in(work(sweep));
}

TEST_CASE("the table reads the metrics of every stage that has any, over all trials",
          "[sweep_pipeline]") {
  const PipelineSpec pipeline = loaded("{axes: {seed: [1, 2]}}").pipeline;
  const StageSpec& table = stage(pipeline, "trials");
  CHECK(table.type->name == "collect-trials");
  CHECK(sources(pipeline, "trials", "work") == "work@*.metrics");
  CHECK(members(pipeline, "trials", "work") == Texts{"work@seed=1", "work@seed=2"});
  CHECK(members(pipeline, "trials", "check") == Texts{"check@seed=1", "check@seed=2"});
  CHECK(table.inputs.size() == 2);
  for (const InputSpec& input : table.inputs) {
    const FanInId fan_in = input.sources.at(0).fan_in;
    CHECK(pipeline.fan_ins[fan_in].over_variations);
  }
}

TEST_CASE("the table gets the trials, and which of its inputs are theirs", "[sweep_pipeline]") {
  const SweepPipeline sweep_pipeline = loaded(
      "{axes: {seed: [1, 2], rate: [0.1]}, minimize: work.loss, metrics: [work.loss], "
      "until: work}");
  const Json params = to_json(stage(sweep_pipeline.pipeline, "trials").params);
  CHECK(params["objective"] == "work.loss");
  CHECK(params["maximize"] == false);
  CHECK(params["metrics"] == Json({"work.loss"}));
  CHECK(params["decisions"] == Json::array());
  REQUIRE(params["trials"].size() == 2);
  CHECK(params["trials"][1] == Json::parse(R"({
    "name": "seed=2,rate=0.1",
    "overrides": [{"path": "seed", "value": "2"}, {"path": "rate", "value": "0.1"}],
    "stages": [{"name": "work", "port": "work", "item": "seed=2,rate=0.1", "expect": []}]})"));
}

TEST_CASE("a metric's stage shared by all trials is one input of the table", "[sweep_pipeline]") {
  const SweepPipeline sweep_pipeline = loaded("{axes: {check.lr: [0.1, 0.2]}}");
  CHECK(members(sweep_pipeline.pipeline, "trials", "work") == Texts{"work"});
  const Json params = to_json(stage(sweep_pipeline.pipeline, "trials").params);
  CHECK(params["trials"][0]["stages"] == Json::parse(R"([
    {"name": "work", "port": "work", "item": "work", "expect": []},
    {"name": "check", "port": "check", "item": "check.lr=0.1", "expect": []}])"));
}

TEST_CASE("a program without the table's stage type creates none", "[sweep_pipeline]") {
  const std::string text =
      "params: {note: x}\n"
      "stages:\n"
      "  data: {uses: make-data}\n"
      "  work: {uses: train-model, in: {data: data}, with: {note: '${note}'}}\n"
      "sweeps: {s: {axes: {note: [a, b]}}}\n";
  const Sweeping sweeping(text, {}, test_stages());
  CHECK(stage_names(sweeping->load_all().pipeline) == Texts{"data", "work@note=a", "work@note=b"});
}

TEST_CASE("a sweep's own stages read the table, all instances of a stage, or one of them",
          "[sweep_pipeline]") {
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
          "[sweep_pipeline]") {
  const std::string stages =
      ", stages: {x: {uses: plot-tables, in: {tables: [data, 'work@*.metrics', 'data@*']}}}}";
  const PipelineSpec several = loaded("{axes: {seed: [1, 2], rate: [0.1]}" + stages).pipeline;
  CHECK(sources(several, "x", "tables") == "data.data, work@*.metrics, data@*.data");
  const PipelineSpec one = loaded("{axes: {seed: [1]}" + stages).pipeline;
  CHECK(sources(one, "x", "tables") == "data@seed=1.data, work@*.metrics, data@*.data");
  const PipelineSpec shared = loaded("{axes: {check.lr: [0.1, 0.2]}" + stages).pipeline;
  CHECK(sources(shared, "x", "tables") == "data.data, work@*.metrics, data@*.data");
}

TEST_CASE("a sweep's own stages may read those trials that have a value", "[sweep_pipeline]") {
  const PipelineSpec pipeline =
      loaded(
          "{axes: {seed: [1, 2], rate: [0.1, 0.2]}, stages: {\n"
          "      some: {uses: plot-tables, in: {tables: 'work@seed=2,*.metrics'}},\n"
          "      one: {uses: plot-tables, in: {tables: 'work@rate=0.2,seed=1.model'}}}}")
          .pipeline;
  CHECK(members(pipeline, "some", "tables") ==
        Texts{"work@seed=2,rate=0.1", "work@seed=2,rate=0.2"});
  CHECK(sources(pipeline, "one", "tables") == "work@seed=1,rate=0.2.model");
}

TEST_CASE("a sweep's own stages are loaded only for its summary", "[sweep_pipeline]") {
  const Sweeping sweeping(work(
      "{axes: {seed: [1, 2]}, stages: {lines: {uses: plot-tables, in: {tables: trials.table}}}}"));
  const SweepPipeline sweep_pipeline =
      sweeping->load({{sweeping->trials().at(0)}, {sweeping->trials().at(1)}}, false);
  CHECK(stage_names(sweep_pipeline.pipeline) ==
        Texts{"data", "work@seed=1", "check@seed=1", "work@seed=2", "check@seed=2"});
}

TEST_CASE("a sweep's own stages may use params and have a matrix", "[sweep_pipeline]") {
  const PipelineSpec pipeline =
      loaded(
          "{axes: {rate: [0.3]}, stages: {note: {uses: shell, matrix: {i: [a, b]}, outs: {o: o},\n"
          "    with: {run: 'x ${rate} ${matrix.i} {out.o}'}}}}")
          .pipeline;
  CHECK(to_json(stage(pipeline, "note@b").params)["run"] == "x 0.1 b {out.o}");
}

TEST_CASE("mistakes in a sweep's own stages are reported", "[sweep_pipeline]") {
  const std::string begin = "{axes: {seed: [1, 2]}, stages: {x: {uses: plot-tables, in: {tables: ";
  CHECK(refused_work(begin + "wrk}}}}") ==
        "p.yaml:7:74: stage 'x': input 'tables': unknown stage 'wrk'; did you mean 'work'?");
  CHECK(refused_work(begin + "work.metrics}}}}") ==
        "p.yaml:7:74: stage 'x': input 'tables': stage 'work' is a matrix: write work@* for all of "
        "it or work@seed=1 for one");
  CHECK(refused_work("{axes: {seed: [1]}, stages: {x: {uses: plot-tables, in: {tables: y}},\n"
                     "    y: {uses: plot-tables, in: {tables: x}}}}")
            .find("circle") != std::string::npos);
}

TEST_CASE("a sweep's own stage cannot have the name of a stage or of the table",
          "[sweep_pipeline]") {
  CHECK(refused_work(
            "{axes: {seed: [1]}, stages: {work: {uses: make-data}, trials: {uses: make-data}}}") ==
        "p.yaml:7:35: sweep 's': there is a stage 'work' already\n"
        "p.yaml:7:60: sweep 's': there is a stage 'trials' already");
  CHECK(sweep_mistakes("stages: {trials: {uses: make-data}}\nparams: {seed: 1}\n"
                       "sweeps: {s: {axes: {seed: [1]}}}\n") ==
        "p.yaml:1:18: a pipeline with sweeps cannot have a stage 'trials': that is the table of a "
        "sweep's trials");
}

TEST_CASE("a mistake in all trials is reported once", "[sweep_pipeline]") {
  CHECK(
      sweep_mistakes(kWork + "  bad: {uses: mke-data}\nsweeps: {s: {axes: {seed: [1, 2, 3]}}}\n") ==
      "p.yaml:6:15: stage 'bad': unknown stage type 'mke-data'; did you mean 'make-data'?");
  CHECK(refused_work("{axes: {sed: [1, 2, 3]}}").find("unknown parameter 'sed'") !=
        std::string::npos);
}

TEST_CASE("a mistake in some trials is reported once, with the first affected trial",
          "[sweep_pipeline]") {
  CHECK(refused_work("{axes: {work.lr: [0.1, -1], seed: [1, 2]}}") ==
        "p.yaml:7:29: stage 'work': parameter 'lr' must be above 0, got -1.0 (trial "
        "work.lr=-1,seed=1 and 1 more)");
  CHECK(refused_work("{axes: {work.lr: [0.1, -1]}}") ==
        "p.yaml:7:29: stage 'work': parameter 'lr' must be above 0, got -1.0 (trial work.lr=-1)");
  CHECK(refused_work("{axes: {seed: [1, x]}}") ==
        "p.yaml:7:24: parameter 'seed' is the integer 1; it cannot become the text 'x' (trial "
        "seed=x)");
}

TEST_CASE("of very many mistakes only the first are reported", "[sweep_pipeline]") {
  const std::string message = refused_work("{axes: {work.lr: 'int:-100..-1'}}");
  CHECK(std::count(message.begin(), message.end(), '\n') == 40);
  CHECK(message.ends_with("\n… and 60 more mistakes"));
}

TEST_CASE("an objective that no stage can have is refused, with the possible ones",
          "[sweep_pipeline]") {
  CHECK(refused_work("{axes: {seed: [1, 2]}, maximize: wrk.x}") ==
        "p.yaml:7:39: sweep 's': 'wrk.x' is not a metric of a stage that has metrics; did you mean "
        "'work'? (those are work, check)");
  CHECK(refused_work("{axes: {seed: [1, 2]}, maximize: data.x}") ==
        "p.yaml:7:39: sweep 's': 'data.x' is not a metric of a stage that has metrics (those are "
        "work, check)");
  CHECK(sweep_mistakes("params: {a: 1}\nstages: {d: {uses: make-data}}\n"
                       "sweeps: {s: {axes: {a: [1]}, maximize: d.x}}\n") ==
        "p.yaml:3:40: sweep 's': 'd.x' is not a metric of a stage that has metrics");
}

TEST_CASE("displayed metrics are checked like the objective", "[sweep_pipeline]") {
  CHECK(refused_work("{axes: {seed: [1, 2]}, metrics: [work, check.x, wrk.y]}") ==
        "p.yaml:7:38: sweep 's': 'wrk.y' is not a metric of a stage that has metrics; did you mean "
        "'work'? (those are work, check)");
  CHECK(refused_work("{axes: {seed: [1, 2]}, metrics: [work.a / check.b]}") == "");
  CHECK(refused_work("{axes: {seed: [1, 2]}, maximize: 'work.tokens / s'}") == "");
}

TEST_CASE("a metric that the stage's type does not declare is refused before anything runs",
          "[sweep_pipeline]") {
  const auto refused_for_declared = [](const std::string& sweep) {
    return sweep_mistakes(
        "params: {a: 1}\nstages: {m: {uses: measure-model}}\nsweeps:\n  s: " + sweep + "\n");
  };
  CHECK(refused_for_declared("{axes: {a: [1, 2]}, minimize: m.loss}") == "");
  CHECK(refused_for_declared("{axes: {a: [1, 2]}, maximize: m.greddy}") ==
        "p.yaml:4:36: sweep 's': stage 'm' has no metric 'greddy'; did you mean 'greedy'?");
  CHECK(refused_for_declared("{axes: {a: [1, 2]}, maximize: m.accuracy}") ==
        "p.yaml:4:36: sweep 's': stage 'm' has no metric 'accuracy'; did you mean 'accuracy.*'?");
  CHECK(refused_for_declared("{axes: {a: [1, 2]}, metrics: [m, m.accuracy]}") == "");
  CHECK(refused_for_declared("{axes: {a: [1, 2]}, metrics: [m.removed.1.heads / m.los]}") ==
        "p.yaml:4:35: sweep 's': stage 'm' has no metric 'los'; did you mean 'loss'?");
}

TEST_CASE("a missing stage in 'until' is reported once", "[sweep_pipeline]") {
  CHECK(refused_work("{axes: {seed: [1, 2]}, until: [wrk]}") ==
        "p.yaml:7:37: sweep 's': 'until': p.yaml: unknown stage 'wrk'; did you mean 'work'?");
  CHECK(refused_work("{axes: {seed: [1, 2]}, until: 3}") ==
        "p.yaml:7:36: sweep 's': 'until': expects a stage's name, got the integer 3");
  CHECK(refused_work("{axes: {seed: [1, 2]}, until: work.model}") ==
        "p.yaml:7:36: sweep 's': 'until': p.yaml: 'work.model' names an output; give a stage");
}

}  // namespace
}  // namespace headway::testing
