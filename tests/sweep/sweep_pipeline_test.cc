// Trials merged into one pipeline: what they share, its names, where it is shown.
#include "lib/sweep/sweep_pipeline.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"
#include "tests/support/sweeping.h"
#include "tests/support/test_stages.h"

namespace headway::testing {
namespace {

using Texts = std::vector<std::string>;

// Data that depend on nothing, a training by seed, a matrix that reads it, and a figure of that.
const std::string kStudy =
    "params: {seed: 1, rate: 0.1, depth: 1}\n"
    "stages:\n"
    "  data: {uses: make-data}\n"
    "  train: {uses: fit, in: {data: data}, with: {seed: '${seed}'}}\n"
    "  ablate: {uses: fit, matrix: {how: [zero, mean]}, in: {data: train.model},\n"
    "           with: {lr: '${rate}'}}\n"
    "  figure: {uses: plot-tables, in: {tables: 'ablate@*.metrics'}}\n";

std::string study(const std::string& sweep) {
  return kStudy + "sweeps:\n  s: {" + sweep + "}\n";
}
Texts merged(const std::string& sweep) {
  return stage_names(sweep_pipeline_in(study(sweep)).pipeline);
}

TEST_CASE("what all trials share exists once, under its own name", "[sweep_pipeline]") {
  const Texts names = merged("axes: {seed: [1, 2, 3]}, until: train");
  CHECK(names == Texts{"data", "train@seed=1", "train@seed=2", "train@seed=3", "trials"});
}

TEST_CASE("a stage is named after what the trials that share it have in common",
          "[sweep_pipeline]") {
  const SweepPipeline sweep_pipeline =
      sweep_pipeline_in(study("axes: {rate: [0.1, 0.2], seed: [1, 2]}"));
  CHECK(trial_names(sweep_pipeline) ==
        Texts{"rate=0.1,seed=1", "rate=0.1,seed=2", "rate=0.2,seed=1", "rate=0.2,seed=2"});
  CHECK(stages_of(sweep_pipeline, "rate=0.2,seed=1") ==
        "data, train@seed=1, ablate@zero,rate=0.2,seed=1, ablate@mean,rate=0.2,seed=1, "
        "figure@rate=0.2,seed=1");
  CHECK(sweep_pipeline.pipeline.stages.size() == 1 + 2 + 8 + 4 + 1);
  const StageSpec& ablate = stage(sweep_pipeline.pipeline, "ablate@zero,rate=0.2,seed=1");
  CHECK(ablate.family == "ablate");
  CHECK(ablate.item == "zero");
  CHECK(ablate.variation == "rate=0.2,seed=1");
  CHECK(stage(sweep_pipeline.pipeline, "data").variation == "");
}

TEST_CASE("what all trials share has a plain name, even with an axis of one value",
          "[sweep_pipeline]") {
  const SweepPipeline sweep_pipeline =
      sweep_pipeline_in(study("axes: {ablate.lr: [0.5], seed: [1, 2]}"));
  CHECK(stages_of(sweep_pipeline, "ablate.lr=0.5,seed=2") ==
        "data, train@ablate.lr=0.5,seed=2, ablate@zero,ablate.lr=0.5,seed=2, "
        "ablate@mean,ablate.lr=0.5,seed=2, figure@ablate.lr=0.5,seed=2");
  const SweepPipeline seeds = sweep_pipeline_in(study("axes: {seed: [1, 2]}, until: ablate@zero"));
  CHECK(stages_of(seeds, "seed=2") == "data, train@seed=2, ablate@zero,seed=2");
}

TEST_CASE("a shared stage is shown in the folder of every trial that shares it",
          "[sweep_pipeline]") {
  const SweepPipeline sweep_pipeline =
      sweep_pipeline_in(study("axes: {rate: [0.1, 0.2], seed: [1, 2]}"));
  CHECK(places(sweep_pipeline, "data") == Texts{"rate=0.1,seed=1/data", "rate=0.1,seed=2/data",
                                                "rate=0.2,seed=1/data", "rate=0.2,seed=2/data"});
  CHECK(places(sweep_pipeline, "train@seed=2") ==
        Texts{"rate=0.1,seed=2/train", "rate=0.2,seed=2/train"});
  CHECK(places(sweep_pipeline, "ablate@zero,rate=0.1,seed=2") ==
        Texts{"rate=0.1,seed=2/ablate@zero"});
  CHECK(places(sweep_pipeline, "trials").empty());
}

TEST_CASE("a stage of a merged pipeline reads what its own trial reads", "[sweep_pipeline]") {
  const PipelineSpec pipeline = sweep_pipeline_in(study("axes: {seed: [1, 2]}")).pipeline;
  CHECK(sources(pipeline, "train@seed=2", "data") == "data.data");
  CHECK(sources(pipeline, "ablate@zero,seed=2", "data") == "train@seed=2.model");
  CHECK(to_json(stage(pipeline, "train@seed=2").params)["seed"] == 2);
}

TEST_CASE("a fan-in inside a trial has only that trial's members", "[sweep_pipeline]") {
  const PipelineSpec pipeline = sweep_pipeline_in(study("axes: {seed: [1, 2]}")).pipeline;
  CHECK(members(pipeline, "figure@seed=2", "tables") ==
        Texts{"ablate@zero,seed=2", "ablate@mean,seed=2"});
  for (const FanIn& fan_in : pipeline.fan_ins) {
    if (fan_in.family == "ablate" && fan_in.members.size() == 2)
      CHECK_FALSE(fan_in.over_variations);
  }
}

TEST_CASE("a fan-in that trials share exists once", "[sweep_pipeline]") {
  const std::string text =
      "params: {lr: 0.1}\n"
      "stages:\n"
      "  data: {uses: make-data}\n"
      "  many: {uses: fit, matrix: {i: [1, 2]}, in: {data: data}, with: {seed: '${matrix.i}'}}\n"
      "  one: {uses: fit, in: {data: data}, needs: ['many@*'], with: {lr: '${lr}'}}\n"
      "  figure: {uses: plot-tables, in: {tables: 'many@*.metrics'}}\n"
      "sweeps: {s: {axes: {lr: [0.1, 0.2, 0.3]}}}\n";
  const PipelineSpec pipeline = sweep_pipeline_in(text).pipeline;
  CHECK(stage_names(pipeline) == Texts{"data", "many@1", "many@2", "one@lr=0.1", "figure",
                                       "one@lr=0.2", "one@lr=0.3", "trials"});
  CHECK(needs(pipeline, "one@lr=0.3") == "many@*");
  const auto of_trials = std::count_if(pipeline.fan_ins.begin(), pipeline.fan_ins.end(),
                                       [](const FanIn& fan_in) { return fan_in.over_variations; });
  CHECK(pipeline.fan_ins.size() == 2 + static_cast<std::size_t>(of_trials));
}

TEST_CASE("trials run up to the stages of 'until', and no further", "[sweep_pipeline]") {
  const auto of_first = [](const std::string& until) {
    return stages_of(sweep_pipeline_in(study("axes: {seed: [5, 6]}, until: " + until)), "seed=5");
  };
  CHECK(of_first("[train]") == "data, train@seed=5");
  CHECK(of_first("data") == "data");
  CHECK(of_first("['ablate@mean', train]") == "data, train@seed=5, ablate@mean,seed=5");
  CHECK(of_first("ablate") == "data, train@seed=5, ablate@zero,seed=5, ablate@mean,seed=5");
}

TEST_CASE("trials also run up to the stage of the objective", "[sweep_pipeline]") {
  const SweepPipeline sweep_pipeline =
      sweep_pipeline_in(study("axes: {seed: [5, 6]}, until: data, maximize: train.x"));
  CHECK(stages_of(sweep_pipeline, "seed=5") == "data, train@seed=5");
}

TEST_CASE("an axis that no stage depends on is reported", "[sweep_pipeline]") {
  CHECK(sweep_pipeline_in(study("axes: {seed: [1, 2], depth: [1, 2]}")).unused_axes ==
        Texts{"depth"});
  CHECK(sweep_pipeline_in(study("axes: {seed: [1, 2], rate: [1, 2]}, until: train")).unused_axes ==
        Texts{"rate"});
  CHECK(sweep_pipeline_in(study("axes: {seed: [1, 2], rate: [1, 2]}")).unused_axes.empty());
  CHECK(sweep_pipeline_in(study("axes: {seed: [1, 2], depth: [1]}")).unused_axes.empty());
}

TEST_CASE("trials are in the order of the axes, with the last varying fastest",
          "[sweep_pipeline]") {
  CHECK(trial_names(
            sweep_pipeline_in(study("axes: {seed: [3, 1], rate: [0.2, 0.1]}, until: train"))) ==
        Texts{"seed=3,rate=0.2", "seed=3,rate=0.1", "seed=1,rate=0.2", "seed=1,rate=0.1"});
}

TEST_CASE("a matrix may depend on an axis", "[sweep_pipeline]") {
  const std::string text =
      "params: {sizes: [1]}\n"
      "stages:\n"
      "  many: {uses: make-data, matrix: {i: '${sizes}'}}\n"
      "  all: {uses: plot-tables, in: {tables: 'many@*'}}\n"
      "sweeps: {s: {axes: {sizes: [[1], [1, 2]]}}}\n";
  const SweepPipeline sweep_pipeline = sweep_pipeline_in(text);
  CHECK(stages_of(sweep_pipeline, "sizes=1") == "many@1, all@sizes=1");
  CHECK(stages_of(sweep_pipeline, "sizes=1_2") == "many@1, many@2,sizes=1_2, all@sizes=1_2");
  CHECK(members(sweep_pipeline.pipeline, "all@sizes=1_2", "tables") ==
        Texts{"many@1", "many@2,sizes=1_2"});
}

TEST_CASE("groups of trials with the same common values are distinguished", "[sweep_pipeline]") {
  // Of four trials, two that have no value in common share each of the trainings.
  const std::string text =
      "params: {a: 1, b: 1}\n"
      "stages:\n"
      "  data: {uses: make-data}\n"
      "  train: {uses: train-model, in: {data: data}, with: {seeds: ['${a}', '${b}']}}\n"
      "  same: {uses: shell, outs: {o: o.txt}, with: {run: 'x ${a}${b} {out.o}'}}\n"
      "sweeps: {s: {axes: {a: [1, 11], b: [11, 1]}, until: [same, train]}}\n";
  const SweepPipeline sweep_pipeline = sweep_pipeline_in(text);
  CHECK(stages_of(sweep_pipeline, "a=1,b=11") == "data, train@a=1,b=11, same");
  CHECK(stages_of(sweep_pipeline, "a=11,b=1") == "data, train@a=11,b=1, same");
  CHECK(stages_of(sweep_pipeline, "a=1,b=1") == "data, train@a=1,b=1, same@a=1,b=1");
  CHECK(stages_of(sweep_pipeline, "a=11,b=11") == "data, train@a=11,b=11, same@a=11,b=11");
}

TEST_CASE("no two stages of a merged pipeline have the same name", "[sweep_pipeline]") {
  const std::string text =
      "params: {a: 1, b: 1, c: 1, d: 1}\n"
      "stages:\n"
      "  parity: {uses: shell, outs: {o: o.txt}, with: {run: '${a}${b}${c}${d} {out.o}'}}\n"
      "sweeps: {s: {axes: {a: [1, 11], b: [1, 11], c: [1, 11], d: [1, 11]}}}\n";
  Texts names = stage_names(sweep_pipeline_in(text).pipeline);
  CHECK(names.size() == 5 + 1);  // four to eight ones, and the table
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST_CASE("1,000 trials are merged into the stages that differ", "[sweep_pipeline]") {
  const SweepPipeline sweep_pipeline =
      sweep_pipeline_in(study("axes: {rate: 'lin:1..100:100', seed: 'int:1..10'}"));
  CHECK(sweep_pipeline.trials.size() == 1000);
  CHECK(sweep_pipeline.pipeline.stages.size() == 1 + 10 + 2 * 1000 + 1000 + 1);
  CHECK(places(sweep_pipeline, "data").size() == 1000);
  CHECK(places(sweep_pipeline, "train@seed=3").size() == 100);
}

TEST_CASE("a merged pipeline belongs to the file, and its variant is the sweep",
          "[sweep_pipeline]") {
  const SweepPipeline sweep_pipeline =
      sweep_pipeline_in("name: pipe\n" + study("axes: {seed: [1]}, until: data"));
  CHECK(sweep_pipeline.pipeline.label() == "pipe/s");
  CHECK(sweep_pipeline.pipeline.is_merged);
  CHECK(sweep_pipeline.pipeline.file == "p.yaml");
  CHECK(sweep_pipeline.pipeline.other_folders == Texts{"s"});
  CHECK(sweep_pipeline.sweep.name == "s");
}

TEST_CASE("a trial of a variant and of --set is a variation of that", "[sweep_pipeline]") {
  SweepRequest request;
  request.variant = "fast";
  request.sets = {"train.epochs=3"};
  const SweepPipeline sweep_pipeline = sweep_pipeline_in(
      kStudy + "variants: {fast: {rate: 0.5, seed: 9}}\nsweeps: {s: {axes: {seed: [4]}}}\n",
      request);
  const Json params = to_json(stage(sweep_pipeline.pipeline, "train@seed=4").params);
  CHECK(params["epochs"] == 3);
  CHECK(params["seed"] == 4);
  CHECK(to_json(stage(sweep_pipeline.pipeline, "ablate@zero,seed=4").params)["lr"] == 0.5);
  CHECK(sweep_pipeline.pipeline.label() == "p/s@fast@train.epochs=3");
}

TEST_CASE("a single trial is the pipeline with its values", "[sweep_pipeline]") {
  const Sweeping sweeping(study("axes: {seed: [1, 2]}"));
  const PipelineSpec pipeline = sweeping->load_trial(sweeping->trials().at(1));
  CHECK(stage_names(pipeline) == stage_names(load_plainly(kStudy)));
  CHECK(to_json(stage(pipeline, "train").params)["seed"] == 2);
  CHECK(stage(pipeline, "train").places.empty());
}

}  // namespace
}  // namespace headway::testing
