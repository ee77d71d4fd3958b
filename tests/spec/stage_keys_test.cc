// The keys of a stage that are not `in`, `outs`, `needs` and `matrix`: each right and wrong.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

std::string having(const std::string& key) {
  return "stages:\n  s: {uses: shell, with: {run: x}, " + key + "}\n";
}
StageSpec read(const std::string& key) {
  return load(having(key)).stages.at(0);
}
std::string refused_key(const std::string& key) {
  return mistakes(having(key));
}

TEST_CASE("an unknown stage type is refused with a suggestion", "[spec]") {
  CHECK(mistakes("stages:\n  s: {uses: train_model}\n") ==
        "p.yaml:2:13: stage 's': unknown stage type 'train_model'; did you mean 'train-model'?");
  CHECK(mistakes("stages:\n  s: {uses: zebra}\n") ==
        "p.yaml:2:13: stage 's': unknown stage type 'zebra'");
}

TEST_CASE("a stage type is required, and must be text", "[spec]") {
  CHECK(mistakes("stages:\n  s: {}\n") ==
        "p.yaml:2:3: stage 's': 'uses' is missing: which stage type is it? (`headway stages` lists "
        "them)");
  CHECK(mistakes("stages:\n  s: {uses: 3}\n") ==
        "p.yaml:2:13: stage 's': 'uses' expects a stage type, got the integer 3");
  CHECK(mistakes("stages:\n  s: {uses: }\n") ==
        "p.yaml:2:7: stage 's': 'uses' expects a stage type, got nothing");
}

TEST_CASE("an unknown key of a stage is refused with a suggestion", "[spec]") {
  CHECK(refused_key("need: x") ==
        "p.yaml:2:36: stage 's': unknown key 'need'; did you mean 'needs'?");
  CHECK(refused_key("color: red") == "p.yaml:2:36: stage 's': unknown key 'color'");
}

TEST_CASE("a stage is a map", "[spec]") {
  CHECK(mistakes("stages:\n  s: shell\n") ==
        "p.yaml:2:6: stage 's': a stage is a map with 'uses', got the text 'shell'");
  CHECK(mistakes("stages:\n  s:\n") ==
        "p.yaml:2:3: stage 's': a stage is a map with 'uses', got nothing");
}

TEST_CASE("a stage's name is a plain word", "[spec]") {
  for (const char* name : {"'a b'", "a.b", "a/b", "a@b", "-a", "''", "é", "\"a\\nb\""}) {
    CAPTURE(name);
    const std::string text = mistakes(std::string("stages:\n  ") + name + ": {uses: make-data}\n");
    CHECK(text.starts_with("p.yaml:2:3: '"));
    CHECK(text.ends_with("' is not a stage's name: use letters, digits, '_' and '-'"));
  }
  CHECK(mistakes("stages:\n  " + std::string(101, 'a') + ": {uses: make-data}\n")
            .ends_with("use letters, digits, '_' and '-'"));
  CHECK(mistakes("stages:\n  A_1-b: {uses: make-data}\n  12: {uses: make-data}\n") == "");
}

TEST_CASE("parameters are a map", "[spec]") {
  CHECK(mistakes("stages:\n  s: {uses: shell, with: run}\n") ==
        "p.yaml:2:26: stage 's': 'with' must be a map of parameters, got the text 'run'");
}

TEST_CASE("a missing parameter is reported at the parameters, or at the stage", "[spec]") {
  CHECK(mistakes("stages:\n  s: {uses: shell}\n")
            .starts_with("p.yaml:2:3: stage 's': parameter 'run' is missing (the command"));
  CHECK(mistakes("stages:\n  s: {uses: shell, with: {}}\n")
            .starts_with("p.yaml:2:26: stage 's': parameter 'run' is missing"));
}

TEST_CASE("resources are cpus, memory, time and gpus", "[spec]") {
  const StageSpec stage = read("resources: {cpus: 2, memory: 512MiB, time: 1h30m, gpus: 4}");
  CHECK(stage.resources.cpus == 2);
  CHECK(stage.resources.memory == 536'870'912u);
  CHECK(stage.resources.time == 5400);
  CHECK(stage.resources.gpus == 4);
  CHECK(read("resources: {memory: 1000}").resources.memory == 1000u);
  CHECK(read("resources: ").resources == Resources{});
  CHECK(read("resources: {gpus: 0}").resources == Resources{});
}

TEST_CASE("invalid resources are refused", "[spec]") {
  CHECK(refused_key("resources: 2") ==
        "p.yaml:2:47: stage 's': 'resources' is a map with cpus, memory, time and gpus, got "
        "the integer 2");
  CHECK(refused_key("resources: {cpu: 2}") ==
        "p.yaml:2:48: stage 's': resources: unknown key 'cpu'; did you mean 'cpus'?");
  CHECK(refused_key("resources: {cpus: 0}") ==
        "p.yaml:2:54: stage 's': 'cpus' expects an integer between 1 and 4096, got the integer 0");
  CHECK(refused_key("resources: {cpus: two}") ==
        "p.yaml:2:54: stage 's': 'cpus' expects an integer between 1 and 4096, got the text 'two'");
  CHECK(refused_key("resources: {cpus: 1.5}") ==
        "p.yaml:2:54: stage 's': 'cpus' expects an integer between 1 and 4096, got the number 1.5");
  CHECK(
      refused_key("resources: {memory: lots}") ==
      "p.yaml:2:56: stage 's': 'memory' expects a size such as 512MiB or 2GB, got the text 'lots'");
  CHECK(refused_key("resources: {memory: [1]}") ==
        "p.yaml:2:56: stage 's': 'memory' expects a size such as 512MiB or 2GB, got a list");
  CHECK(
      refused_key("resources: {time: 0}") ==
      "p.yaml:2:54: stage 's': 'time' expects a time such as 30s, 5m or 1h30m, got the integer 0");
  CHECK(refused_key("resources: {gpus: 65}") ==
        "p.yaml:2:54: stage 's': 'gpus' expects an integer between 0 and 64, got the integer 65");
  CHECK(refused_key("resources: {gpus: -1}") ==
        "p.yaml:2:54: stage 's': 'gpus' expects an integer between 0 and 64, got the integer -1");
}

TEST_CASE("a stage may not be asked to run longer than its time at the scheduler", "[spec]") {
  CHECK(refused_key("timeout: 20m, resources: {time: 10m}") ==
        "p.yaml:2:68: stage 's': 'time': the scheduler would end the stage after 10 min 00 s, "
        "before its timeout of 20 min 00 s");
  CHECK(refused_key("timeout: 10m, resources: {time: 10m}") == "");
  CHECK(refused_key("timeout: 10m") == "");
  CHECK(refused_key("resources: {time: 10m}") == "");
}

TEST_CASE("a timeout is a duration", "[spec]") {
  CHECK(read("timeout: 30").timeout == 30);
  CHECK(read("timeout: 1h30m").timeout == 5400);
  CHECK(read("timeout: 0.5").timeout == 0.5);
  CHECK(read("timeout: ").timeout == 0);
  for (const char* wrong : {"0", "-1", "soon", "[1]", "true"}) {
    CAPTURE(wrong);
    CHECK(
        refused_key(std::string("timeout: ") + wrong)
            .starts_with(
                "p.yaml:2:45: stage 's': 'timeout' expects a time such as 30s, 5m or 1h30m, got "));
  }
}

TEST_CASE("retries are a small integer", "[spec]") {
  CHECK(read("retries: 0").retries == 0);
  CHECK(read("retries: 1000").retries == 1000);
  for (const char* wrong : {"-1", "1001", "1.0", "often", "[1]", "9223372036854775807"}) {
    CAPTURE(wrong);
    CHECK(refused_key(std::string("retries: ") + wrong)
              .starts_with(
                  "p.yaml:2:45: stage 's': 'retries' expects an integer between 0 and 1000, got "));
  }
}

TEST_CASE("a file named by a parameter must exist", "[spec]") {
  TemporaryFolder folder;
  folder.write("tools/x.py", "");
  folder.write(
      "p.yaml",
      "stages:\n  s: {uses: shell, with: {run: x, code: [tools/x.py, tools, tools/y.py]}}\n");
  CHECK(mistakes_in(folder, "p.yaml") ==
        "p.yaml:2:61: stage 's': parameter 'code': no such file: tools/y.py");
}

TEST_CASE("a file that cannot be accessed is a located mistake, and hides no other", "[spec]") {
  TemporaryFolder folder;
  const std::string too_long(300, 'x');
  std::filesystem::create_symlink("loop", folder / "loop");
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  std::filesystem::create_symlink("p.yaml", folder / "good");
  folder.write("p.yaml", "stages:\n  s: {uses: shell, with: {run: x, code: [" + too_long +
                             ", loop, dangling, good, /dev/null]}}\n  t: {uses: shel}\n");
  CHECK(mistakes_in(folder, "p.yaml") ==
        "p.yaml:2:42: stage 's': parameter 'code': cannot look at " + (folder / too_long).string() +
            ": file name too long\n"
            "p.yaml:2:344: stage 's': parameter 'code': a link that leads to itself: loop\n"
            "p.yaml:2:350: stage 's': parameter 'code': no such file: dangling\n"
            "p.yaml:2:366: stage 's': parameter 'code': a device or pipe, not a file: /dev/null\n"
            "p.yaml:3:13: stage 't': unknown stage type 'shel'; did you mean 'shell'?");
}

TEST_CASE("files are looked up relative to the pipeline, not to the current folder", "[spec]") {
  TemporaryFolder folder;
  folder.write("sub/c.txt", "");
  folder.write("d.txt", "");
  folder.write("sub/p.yaml",
               "stages:\n  d: {uses: make-data}\n  t: {uses: train-model, in: {data: d}, with: "
               "{config: c.txt}}\n");
  CHECK(mistakes_in(folder, "sub/p.yaml") == "");
  folder.write("sub/p.yaml",
               "stages:\n  d: {uses: make-data}\n  t: {uses: train-model, in: {data: d}, with: "
               "{config: d.txt}}\n");
  CHECK(mistakes_in(folder, "sub/p.yaml") ==
        "sub/p.yaml:3:56: stage 't': parameter 'config': no such file: sub/d.txt");
}

TEST_CASE("expectations require metrics", "[spec]") {
  CHECK(refused_key("expect: {acc: 1}") ==
        "p.yaml:2:44: stage 's': 'expect' needs an output named 'metrics'");
  CHECK(refused_key("expect: 3")
            .starts_with("p.yaml:2:44: stage 's': 'expect' is a map from metrics to comparisons, "
                         "got the integer 3"));
  CHECK(mistakes("stages:\n  d: {uses: make-data}\n  t: {uses: train-model, in: {data: d}, expect: "
                 "{acc: '> 0.5'}}\n") == "");
}

TEST_CASE("an expectation on a metric that the type does not declare is refused", "[spec]") {
  CHECK(mistakes("stages:\n  m:\n    uses: measure-model\n    expect:\n      greddy: '> 0.5'\n"
                 "      accuracy.swaps.8: 1\n      perplexity: 2\n") ==
        "p.yaml:5:7: stage 'm': 'expect': measure-model has no metric 'greddy'; did you mean "
        "'greedy'?\n"
        "p.yaml:7:7: stage 'm': 'expect': measure-model has no metric 'perplexity' (it has greedy, "
        "loss, accuracy.*, removed.*.heads)");
}

}  // namespace
}  // namespace headway::testing
