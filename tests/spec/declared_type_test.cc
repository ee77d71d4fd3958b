// Stage types that users declare in YAML, under `types` or in a file of their own.
#include "lib/spec/declared_type.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/spec/document.h"
#include "tests/support/loading.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kTrain = R"(summary: trains a classifier
params:
  epochs: {type: integer, default: 10, at_least: 1, help: passes over the data}
  lr: {default: 0.001, above: 0}
  optimiser: {choices: [adam, sgd], default: adam}
  width: 128
  tags: {type: list of texts, default: []}
  seed: {type: integer}
in:
  data: labelled rows
  start: {help: a model to go on from, required: false}
outs: {model: model.pt, metrics: {file: metrics.json, help: accuracy and loss}}
metrics: [accuracy, "by.*"]
run: >
  python3 train.py {in.data} {in.start} --epochs {with.epochs} --lr {with.lr} --with {with.optimiser}
  {with.width} {with.tags} {with.seed} --home $${HOME} --out {out.model} {out.metrics}
code: [train.py]
env: [LANG]
)";

// A folder with a pipeline that uses tools/train.yaml.
struct Typed {
  explicit Typed(const std::string& with = "{seed: 1}", const std::string& rest = "") {
    folder.write("tools/train.yaml", kTrain);
    folder.write("tools/train.py", "print(1)\n");
    folder.write("rows.csv", "1\n");
    folder.write("p.yaml",
                 "stages:\n  t: {uses: ./tools/train.yaml, in: {data: ./rows.csv}, with: " + with +
                     rest + "}\n");
  }
  std::string mistakes() const { return mistakes_in(folder, "p.yaml"); }
  void replace(const std::string& from, const std::string& to) const {
    std::string text = kTrain;
    text.replace(text.find(from), from.size(), to);
    folder.write("tools/train.yaml", text);
  }
  std::string mistakes_after(const std::string& from, const std::string& to) const {
    replace(from, to);
    return mistakes();
  }

  TemporaryFolder folder;
};

}  // namespace

TEST_CASE("a declared type gives its stages parameters, inputs, outputs and a command", "[spec]") {
  const Typed typed("{seed: 7, width: 64, tags: [a b, c]}");
  const PipelineSpec pipeline = load_in(typed.folder, "p.yaml");
  const StageSpec& train = stage(pipeline, "t");
  Json params = to_json(train.params);
  params.erase("run");
  CHECK(params == Json{{"epochs", 10},
                       {"lr", 0.001},
                       {"optimiser", "adam"},
                       {"width", 64},
                       {"tags", {"a b", "c"}},
                       {"seed", 7},
                       {"code", {"train.py"}},
                       {"env", {"LANG"}}});
  CHECK(train.outputs.at(0).file == "model.pt");
  CHECK(train.type->folder == typed.folder.path() / "tools");

  StageJob job;
  job.params = to_json(train.params);
  job.inputs = {{"data", {""}, {"/in/rows.csv"}}};
  job.outputs = {{"model", "/out/model.pt"}, {"metrics", "/out/metrics.json"}};
  CHECK(train.type->command(job) ==
        "python3 train.py /in/rows.csv  --epochs 10 --lr 0.001 --with adam 64 'a b' c 7 --home "
        "${HOME} --out /out/model.pt /out/metrics.json\n");
}

TEST_CASE("stages of a declared type are checked as those of any type", "[spec]") {
  CHECK(Typed().mistakes() == "");
  CHECK_THAT(Typed("{}").mistakes(), ContainsSubstring("stage 't': parameter 'seed' is missing"));
  CHECK_THAT(Typed("{seed: 1, epoch: 3}").mistakes(),
             ContainsSubstring("stage 't': unknown parameter 'epoch'; did you mean 'epochs'?"));
  CHECK_THAT(Typed("{seed: 1, run: x}").mistakes(),
             ContainsSubstring("stage 't': unknown parameter 'run'"));
  CHECK_THAT(Typed("{seed: 1, lr: 0}").mistakes(), ContainsSubstring("must be above 0, got 0"));
  CHECK_THAT(Typed("{seed: 1, optimiser: adm}").mistakes(),
             ContainsSubstring("must be one of adam, sgd, got 'adm'; did you mean 'adam'?"));
  CHECK_THAT(Typed("{seed: 1}", ", outs: {x: y}").mistakes(),
             ContainsSubstring("has outputs of its own"));
  CHECK_THAT(Typed("{seed: 1}", ", expect: {acuracy: '> 0.9'}").mistakes(),
             ContainsSubstring("./tools/train.yaml has no metric 'acuracy'; did you "
                               "mean 'accuracy'?"));
  CHECK(Typed("{seed: 1}", ", expect: {accuracy: '> 0.9', by.carry: '> 0'}").mistakes() == "");
}

TEST_CASE("mistakes in a declaration are reported where they are", "[spec]") {
  const Typed typed;
  const std::string at = "tools/train.yaml:";
  CHECK(typed.mistakes_after("type: integer, default: 10", "type: int, default: 10") ==
        at +
            "3:18: type './tools/train.yaml': parameter 'epochs': 'type' is one of boolean, "
            "integer, number, text, list of booleans, list of integers, list of numbers, list of "
            "texts, got the text 'int'\n" +
            at + "14:6: type './tools/train.yaml': {with.epochs} in 'run': no parameter 'epochs'");
  CHECK(typed.mistakes_after("default: 10, at_least: 1", "default: 0, at_least: 1") ==
        at + "3:36: type './tools/train.yaml': parameter 'epochs' must be at least 1, got 0");
  CHECK(typed.mistakes_after("{with.width}", "{with.witdh}") ==
        at +
            "14:6: type './tools/train.yaml': {with.witdh} in 'run': no parameter 'witdh'; did "
            "you mean 'width'?\n" +
            at +
            "14:6: type './tools/train.yaml': parameter 'width' is never used: 'run' has no "
            "{with.width}");
  CHECK(typed.mistakes_after("code: [train.py]", "code: [trian.py]") ==
        at + "17:8: type './tools/train.yaml': 'code': no such file: tools/trian.py");
  CHECK_THAT(typed.mistakes_after("$${HOME}", "${seed}"),
             ContainsSubstring("'run' has ${seed}: a type does not see the params of a pipeline. "
                               "Declare a parameter and write {with.seed}, or $${seed} for the "
                               "shell's own"));
  CHECK_THAT(typed.mistakes_after("summary:", "sumary:"),
             ContainsSubstring("unknown key 'sumary'; did you mean 'summary'?"));
  CHECK_THAT(typed.mistakes_after("width: 128", "width:"),
             ContainsSubstring("parameter 'width' needs a default, such as 0.1, or a 'type'"));
  CHECK_THAT(typed.mistakes_after("metrics: {file: metrics.json, help: accuracy and loss}",
                                  "log: ../log.txt"),
             ContainsSubstring("'../log.txt' is not a file inside the stage's folder"));
}

TEST_CASE("a type's file that is missing, or no type, is reported", "[spec]") {
  const Typed typed;
  typed.folder.write("p.yaml", "stages:\n  t: {uses: ./tools/trian.yaml}\n");
  CHECK(typed.mistakes() ==
        "p.yaml:2:13: tools/trian.yaml: no such file; did you mean 'tools/train.yaml'?");
  for (const char* text : {"{}", "params: {a: 1}\n"}) {
    typed.folder.write("tools/trian.yaml", text);
    CHECK_THAT(typed.mistakes(), ContainsSubstring("a stage type needs 'run'"));
  }
}

TEST_CASE("types may be declared in a pipeline and in the files it includes", "[spec]") {
  const TemporaryFolder folder;
  folder.write("lib/types.yaml",
               "types:\n  count: {in: {x: }, outs: {n: n.txt}, run: 'sh count.sh {in.x} > "
               "{out.n}', code: count.sh}\n");
  folder.write("lib/count.sh", "wc -l\n");
  folder.write("p.yaml", R"(include: lib/types.yaml
types:
  make: {params: {n: 3}, outs: {o: o.txt}, run: "seq {with.n} > {out.o}"}
stages:
  a: {uses: make, with: {n: 4}}
  b: {uses: count, in: {x: a}}
)");
  const PipelineSpec pipeline = load_in(folder, "p.yaml");
  CHECK(stage(pipeline, "b").type->folder == folder.path() / "lib");
  CHECK(sources(pipeline, "b", "x") == "a.o");
  CHECK(pipeline.digests.size() == 2);
}

TEST_CASE("a type's name must be new", "[spec]") {
  CHECK(
      mistakes("types: {shell: {run: 'true'}}\nstages: {a: {uses: shell}}\n")
          .starts_with("p.yaml:1:9: 'shell' is a stage type of Headway; give yours another name"));
  CHECK(mistakes("types: {mak: {run: 'true'}}\nstages: {a: {uses: make}}\n") ==
        "p.yaml:2:20: stage 'a': unknown stage type 'make'; did you mean 'mak'?");
}

TEST_CASE("the help of a declared type shows everything that it declares", "[spec]") {
  const Typed typed;
  const InFolder inside(typed.folder.path());
  RealFileSystem files;
  const StageRegistry types = read_declared_types("tools/train.yaml", files);
  CHECK(help_text(*types.find("tools/train.yaml")) ==
        R"(tools/train.yaml (tools/train.yaml:1:1): trains a classifier

parameters (`with`):
  epochs: integer, at least 1, default 10
      passes over the data
  lr: number, above 0, default 0.001
  optimiser: text, one of adam | sgd, default "adam"
  width: integer, default 128
  tags: list of texts, default []
  seed: integer, required

inputs (`in`):
  data   required  one  labelled rows
  start  optional  one  a model to go on from

outputs:
  model    model.pt
  metrics  metrics.json  accuracy and loss

metrics (in `expect`; elsewhere as STAGE.METRIC):
  accuracy, by.*

run:
  python3 train.py {in.data} {in.start} --epochs {with.epochs} --lr {with.lr} --with {with.optimiser} {with.width} {with.tags} {with.seed} --home ${HOME} --out {out.model} {out.metrics}

code:
  train.py

env:
  LANG
)");
}

}  // namespace headway::testing
