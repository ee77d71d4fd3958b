// All mistakes in a file at once. The texts are approved: read them like a person who has to fix
// the file.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

TEST_CASE("mistakes of many kinds are reported at once, in line order", "[spec]") {
  CHECK(mistakes(R"(name: my pipeline
parms: {seed: 2}
params:
  seed: 1
  size: "${sede}"
stages:
  data:
    uses: make-data
    retries: often
  train:
    uses: train-model
    in: {dta: data}
    with: {epoch: 30, lr: fast, model: {d_model: 0}}
    timeout: soon
  many:
    uses: shell
    matrix: {n: [1, 2, 3], exclude: [{m: 1}]}
    in: {x: data.dat, y: trian.model}
    outs: {o: ../o.txt}
    with: {run: "cat {in.x}"}
  plot:
    uses: plot-table
    needs: ploot
  loop:
    uses: shell
    needs: loop
    with: {run: "true"}
    retry: 3
variants:
  plot: {seed: 2}
)") ==
        R"(p.yaml:1:7: 'name' must be letters, digits, '_', '-' and '.', got the text 'my pipeline'
p.yaml:2:1: pipeline: unknown key 'parms'; did you mean 'params'?
p.yaml:5:9: unknown parameter 'sede'; did you mean 'seed'?
p.yaml:9:14: stage 'data': 'retries' expects an integer between 0 and 1000, got the text 'often'
p.yaml:12:9: stage 'train': input 'data' is not connected (what to learn)
p.yaml:12:10: stage 'train': stage type 'train-model' has no input 'dta'; did you mean 'data'?
p.yaml:13:12: stage 'train': unknown parameter 'epoch'; did you mean 'epochs'?
p.yaml:13:27: stage 'train': parameter 'lr' expects a number, got the text 'fast'
p.yaml:13:50: stage 'train': 'model': parameter 'd_model' must be at least 1, got 0
p.yaml:14:14: stage 'train': 'timeout' expects a time such as 30s, 5m or 1h30m, got the text 'soon'
p.yaml:17:39: stage 'many': unknown matrix axis 'm'; did you mean 'n'?
p.yaml:18:13: stage 'many': input 'x': stage 'data' has no output 'dat'; did you mean 'data'? (it has data)
p.yaml:18:26: stage 'many': input 'y': unknown stage 'trian'; did you mean 'train'?
p.yaml:19:15: stage 'many': output 'o': '../o.txt' is not a file inside the stage's folder
p.yaml:22:11: stage 'plot': unknown stage type 'plot-table'; did you mean 'plot-tables'?
p.yaml:23:12: stage 'plot': 'needs': unknown stage 'ploot'; did you mean 'plot'?
p.yaml:24:3: stages wait for each other in a circle: loop -> loop
p.yaml:28:5: stage 'loop': unknown key 'retry'
p.yaml:30:3: variant 'plot' has the name of a stage; their folders would collide)");
}

TEST_CASE("every kind of name has a suggestion", "[spec]") {
  CHECK(mistakes(R"(prams: {}
params: {seed: 1, w: "${sed}"}
stages:
  one: {use: shell, uses: shel, with: {}}
  two: {uses: shell, matrix: {axis: [item]}, outs: {table: t}, with: {runn: x, run: "x {out.table} ${matrix.axes} {in.y}"}, resources: {cpu: 1}}
  three: {uses: shell, in: {y: two@itme, z: twoo, w: two@*.tabel}, with: {run: "x {in.yy}"}}
  four: {uses: train-model, in: {dat: two@item}, with: {mode: fats, model: {d_modl: 2}}}
variants:
  wide: {extends: wied}
)",
                 variant("wide")) ==
        R"(p.yaml:1:1: pipeline: unknown key 'prams'; did you mean 'params'?
p.yaml:2:22: unknown parameter 'sed'; did you mean 'seed'?
p.yaml:4:9: stage 'one': unknown key 'use'; did you mean 'uses'?
p.yaml:4:27: stage 'one': unknown stage type 'shel'; did you mean 'shell'?
p.yaml:5:71: stage 'two': unknown parameter 'runn'; did you mean 'run'?
p.yaml:5:85: unknown matrix axis 'axes'; did you mean 'axis'?
p.yaml:5:137: stage 'two': resources: unknown key 'cpu'; did you mean 'cpus'?
p.yaml:6:32: stage 'three': input 'y': stage 'two' has no matrix item 'itme'; did you mean 'item'?
p.yaml:6:45: stage 'three': input 'z': unknown stage 'twoo'; did you mean 'two'?
p.yaml:6:54: stage 'three': input 'w': stage 'two' has no output 'tabel'; did you mean 'table'? (it has table)
p.yaml:6:80: stage 'three': {in.yy} in 'run': no input 'yy'; did you mean 'y'?
p.yaml:7:33: stage 'four': input 'data' is not connected (what to learn)
p.yaml:7:34: stage 'four': stage type 'train-model' has no input 'dat'; did you mean 'data'?
p.yaml:7:63: stage 'four': parameter 'mode' must be one of fast, exact, got 'fats'; did you mean 'fast'?
p.yaml:7:77: stage 'four': 'model': unknown parameter 'd_modl'; did you mean 'd_model'?
p.yaml:9:19: unknown variant 'wied'; did you mean 'wide'?)");
}

TEST_CASE("what a mistake quotes cannot control the terminal", "[spec]") {
  const std::string text = mistakes(
      "stages:\n  s: {uses: \"\\e[2Jshell\", \"\\e[31m\": 1, in: {\"\\a\": \"\\e[0m\"}}\n");
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\a') == std::string::npos);
  CHECK(text.find("unknown stage type '�[2Jshell'") != std::string::npos);
}

TEST_CASE("a very long text in a mistake is truncated", "[spec]") {
  const std::string text = mistakes(
      "stages:\n  s: {uses: shell, with: {run: x}, timeout: " + std::string(5000, 'x') + "}\n");
  CHECK(text.size() < 200);
}

TEST_CASE("mistakes beyond a hundred are counted", "[spec]") {
  std::string text = "stages:\n";
  for (int i = 0; i < 150; ++i) text += "  s" + std::to_string(i) + ": 3\n";
  CHECK(mistakes(text).ends_with("\n… and 50 more mistakes"));
}

}  // namespace
}  // namespace headway::testing
