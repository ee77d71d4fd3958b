// The addition study on the real worker, as small as possible: its outputs, that they are the same
// however it is run, and that little is recomputed.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::StartsWith;

constexpr const char* kStudy = R"(
params:
  title: Curves
  tolerances: [1, 5]
stages:
  data: {uses: generate-addition, with: {digits: 2, train: 400, val: 60, test: 60}}
  train:
    uses: train-seq2seq
    in: {data: data}
    with: {model: {d_model: 8, n_heads: 2, n_layers: 1, d_ff: 16}, epochs: 2, batch: 16}
  evaluate: {uses: evaluate-model, in: {model: train, data: data}, with: {exhaustive: true}}
  attention: {uses: attention-maps, in: {model: train, data: data}, with: {problems: [37+81], sampled: 1}}
  ablate:
    uses: ablate-model
    matrix: {mode: [zero, mean]}
    in: {model: train, data: data}
    with: {mode: "${matrix.mode}"}
  prune: {uses: prune-model, in: {model: train, data: data}, with: {tolerances: "${tolerances}", fine_tune: {epochs: 1}}}
  again: {uses: evaluate-model, in: {model: prune, data: data}}
  curves: {uses: plot, in: {table: train.log}, with: {kind: training-curves, title: "${title}"}}
  carries: {uses: plot, in: {table: evaluate}, with: {kind: group-accuracy}}
  map: {uses: plot, in: {table: attention.maps}, with: {kind: attention, problem: 1}}
  roles: {uses: plot, in: {table: attention.roles}, with: {kind: role-attention}}
  statistics: {uses: plot, in: {table: attention}, with: {kind: head-statistics}}
  importance: {uses: plot, in: {table: "ablate@*"}, with: {kind: head-importance}}
  pruning: {uses: plot, in: {table: prune}, with: {kind: pruning-curve}}
)";

// Of `run --json`: the stages that were started, sorted.
Words started(const Outcome& outcome) {
  Words stages;
  for (const Json& event : events(outcome.out)) {
    if (event.at("event") == "stage-started") stages.push_back(event.at("stage"));
  }
  std::sort(stages.begin(), stages.end());
  return stages;
}

bool has_gnuplot(const Sandbox& sandbox) {
  return sandbox.sh("command -v gnuplot").exit_code == 0;
}

Json metrics(const Sandbox& sandbox, const std::string& stage) {
  return Json::parse(sandbox.read("outputs/p/" + stage + "/metrics.json"));
}

TEST_CASE("every stage type of the addition study runs and writes what it declares") {
  const Sandbox sandbox;
  if (!has_gnuplot(sandbox)) SKIP("needs gnuplot");
  sandbox.write("p.yaml", kStudy);
  const Outcome run = sandbox.headway({"run", "p.yaml"});
  INFO(run.all());
  REQUIRE(run.exit_code == 0);

  Words expected = {"trace.json"};
  const auto expect = [&](const std::string& stage, const Words& files) {
    for (const std::string& file : files) expected.push_back(stage + "/" + file);
  };
  expect("data", {"data.safetensors", "metrics.json", "statistics.csv"});
  expect("train", {"config.json", kEventFileName, "log.csv", "metrics.json", "model.safetensors",
                   "timing.csv"});
  expect("evaluate", {"accuracy.csv", "failures.txt", "metrics.json"});
  expect("again", {"accuracy.csv", "failures.txt", "metrics.json"});
  expect("attention", {"heads.csv", "maps.safetensors", "metrics.json", "roles.csv"});
  expect("ablate@zero", {"components.csv", "metrics.json"});
  expect("ablate@mean", {"components.csv", "metrics.json"});
  expect("prune", {"config.json", "curves.csv", "metrics.json", "model.safetensors", "timing.csv",
                   "tolerances.csv"});
  for (const char* plot :
       {"curves", "carries", "map", "roles", "statistics", "importance", "pruning"}) {
    expect(plot, {"figure.dat", "figure.gp", "figure.png", "figure.svg"});
    CHECK_THAT(sandbox.read(Path("outputs/p") / plot / "figure.svg"), StartsWith("<?xml"));
    CHECK_THAT(sandbox.read(Path("outputs/p") / plot / "figure.png"), StartsWith("\x89PNG"));
  }
  std::sort(expected.begin(), expected.end());
  Words found;
  for (const auto& [name, bytes] : sandbox.contents("outputs/p")) {
    INFO(name);
    CHECK_FALSE(bytes.empty());
    found.push_back(name);
  }
  CHECK(found == expected);

  CHECK(metrics(sandbox, "evaluate").at("problems") == 8100);
  const Json config = Json::parse(sandbox.read("outputs/p/train/config.json"));
  CHECK(config.at("uses") == "train-seq2seq");
  CHECK(config.at("with").at("epochs") == 2);
  CHECK(config.at("tokens").size() == config.at("model").at("vocabulary"));
  CHECK(config.at("parameters") == metrics(sandbox, "train").at("parameters"));
  CHECK(metrics(sandbox, "attention").at("heads") == 6);
  const Json prune = metrics(sandbox, "prune");
  CHECK(prune.at("parameters") == metrics(sandbox, "train").at("parameters"));
  CHECK(prune.at("pruned").at("fine_tuned") == metrics(sandbox, "again").at("greedy"));
  CHECK(lines(sandbox.read("outputs/p/train/log.csv")).size() == 1 + 2);
  CHECK(lines(sandbox.read("outputs/p/ablate@mean/components.csv")).size() == 1 + 6);
  // As many failures as there are wrong answers.
  CHECK(lines(sandbox.read("outputs/p/evaluate/failures.txt")).size() ==
        metrics(sandbox, "evaluate").at("failures"));

  CHECK(started(sandbox.headway({"run", "p.yaml", "--json"})).empty());
}

TEST_CASE("a new title redraws one figure, a new tolerance prunes again, no model is retrained") {
  const Sandbox sandbox;
  if (!has_gnuplot(sandbox)) SKIP("needs gnuplot");
  sandbox.write("p.yaml", kStudy);
  REQUIRE(sandbox.headway({"run", "p.yaml", "curves", "pruning", "again"}).exit_code == 0);
  const auto run_with = [&](const std::string& setting) {
    return started(sandbox.headway(
        {"run", "p.yaml", "curves", "pruning", "again", "--json", "--set", setting}));
  };
  CHECK(run_with("title=Other") == Words{"curves"});
  // The curve and the smaller model have the same bytes as before, so that nothing follows.
  CHECK(run_with("tolerances=[2]") == Words{"prune"});
  std::string of_tolerance;
  for (const std::string& name : sandbox.list("outputs/p")) {
    if (name.starts_with("tolerances=")) of_tolerance = name;
  }
  CHECK(metrics(sandbox, of_tolerance + "/prune").at("together").size() == 1);
}

TEST_CASE("fine-tuning that makes a pruned model worse is discarded") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  data: {uses: generate-addition, with: {digits: 2, train: 400, val: 60, test: 60}}
  train:
    uses: train-seq2seq
    in: {data: data}
    with: {model: {d_model: 8, n_heads: 2, n_layers: 1, d_ff: 16}, epochs: 2, batch: 16}
  none: {uses: prune-model, in: {model: train, data: data}}
  good: {uses: prune-model, in: {model: train, data: data}, with: {fine_tune: {epochs: 1, lr: 0.001, batch: 16}}}
  bad: {uses: prune-model, in: {model: train, data: data}, with: {fine_tune: {epochs: 1, lr: 3, batch: 16}}}
)");
  const Outcome run = sandbox.headway({"run", "p.yaml"});
  INFO(run.all());
  REQUIRE(run.exit_code == 0);
  const auto model = [&](const std::string& stage) {
    return sandbox.read("outputs/p/" + stage + "/model.safetensors");
  };
  CHECK(model("good") != model("none"));
  CHECK(model("bad") == model("none"));
  const Json pruned = metrics(sandbox, "bad").at("pruned");
  CHECK(pruned.at("fine_tuned") == pruned.at("greedy"));
}

TEST_CASE("the examples in the stage types' help together form a pipeline") {
  const Sandbox sandbox;
  const auto example_of = [&](const std::string& type) {
    const std::string help = sandbox.headway({"stages", type}).out;
    const std::string title = "example:\n";
    const std::size_t found = help.find(title);
    REQUIRE(found != std::string::npos);
    return help.substr(found + title.size());
  };
  const std::string rest = example_of("train-seq2seq") + example_of("evaluate-model") +
                           example_of("attention-maps") + example_of("ablate-model") +
                           example_of("prune-model") + example_of("plot");
  sandbox.write("data/train.json", "");
  sandbox.write("data/val.json", "");
  sandbox.write("data/test.json", "");
  for (const char* type : {"generate-addition", "import-dataset"}) {
    INFO(type);
    sandbox.write("p.yaml", "stages:\n" + example_of(type) + rest);
    const Outcome outcome = sandbox.headway({"validate", "p.yaml"});
    INFO(outcome.all());
    CHECK(outcome.exit_code == 0);
  }
}

// Trainings on two cores, and two of them at once on one core each.
constexpr const char* kTrainings = R"(
params: {model: {d_model: 16, n_heads: 2, n_layers: 1, d_ff: 32}}
stages:
  data: {uses: generate-addition, with: {digits: 2, train: 600, val: 60, test: 60}}
  wide:
    uses: train-seq2seq
    in: {data: data}
    with: {model: "${model}", epochs: 2, batch: 16}
    resources: {cpus: 2}
  narrow:
    uses: train-seq2seq
    matrix: {seed: [1, 2]}
    in: {data: data}
    with: {model: "${model}", epochs: 2, batch: 16, seed: "${matrix.seed}"}
)";

TEST_CASE("a training gives the same bytes with any -j and any concurrent stages") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kTrainings);
  const auto run = [&](const Words& options, const std::string& outputs) {
    Words words{"run", "p.yaml", "--outputs", outputs};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = sandbox.headway(words);
    INFO(outcome.all());
    REQUIRE(outcome.exit_code == 0);
    return sandbox.contents(outputs + "/p", {"trace.json", "timing.csv", kEventFileName});
  };
  const auto one = run({"-j1"}, "one");
  const auto two = run({"-j2"}, "two");
  CHECK(one == two);
  CHECK(one.at("narrow@1/model.safetensors") != one.at("narrow@2/model.safetensors"));
  const auto alone = run({"narrow@2"}, "alone");
  REQUIRE_FALSE(alone.contains("wide/model.safetensors"));
  for (const auto& [name, bytes] : alone) {
    INFO(name);
    CHECK(bytes == one.at(name));
  }
}

// The files, read with knowledge of only the safetensors format.
constexpr const char* kReader = R"(
import json, struct, sys
def read(path):
    data = open(path, 'rb').read()
    size, = struct.unpack('<Q', data[:8])
    head, data = json.loads(data[8:8 + size]), data[8 + size:]
    meta, arrays = head.pop('__metadata__'), {}
    for name, a in head.items():
        begin, end = a['data_offsets']
        code = {'F32': 'f', 'I32': 'i'}[a['dtype']]
        arrays[name] = a['shape'], struct.unpack('<%d%s' % ((end - begin) // 4, code), data[begin:end])
    return meta, arrays
meta, arrays = read('outputs/p/data/data.safetensors')
words = json.loads(meta['vocabulary'])
for split in 'train', 'val', 'test':
    (rows, n), inputs = arrays[split + '.input']
    (_, m), targets = arrays[split + '.target']
    text = lambda tokens, i, k: ''.join(words[t] for t in tokens[i * k:(i + 1) * k])
    right = sum(eval(text(inputs, i, n)) == int(text(targets, i, m)) for i in range(rows))
    print(split, rows, right)
meta, arrays = read('outputs/p/train/model.safetensors')
print(json.loads(meta['model'])['d_model'], arrays['encoder.embedding'][0])
print(sum(len(values) for shape, values in arrays.values()))
)";

TEST_CASE("twenty lines of plain Python read a dataset and a checkpoint") {
  const Sandbox sandbox;
  if (::access("/usr/bin/python3", X_OK) != 0) SKIP("needs python3");
  sandbox.write("p.yaml", kStudy);
  sandbox.write("read.py", kReader);
  REQUIRE(sandbox.headway({"run", "p.yaml", "train"}).exit_code == 0);
  const Outcome read = sandbox.program({"/usr/bin/python3", "read.py"});
  INFO(read.err);
  CHECK(read.out == "train 400 400\nval 60 60\ntest 60 60\n8 [14, 8]\n" +
                        std::to_string(metrics(sandbox, "train").at("parameters").get<int>()) +
                        "\n");
}

}  // namespace
}  // namespace headway::e2e
