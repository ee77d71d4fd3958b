// The extrapolation study on the real worker, as small as possible.
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>

#include "tests/e2e/processes.h"
#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

constexpr const char* kExtrapolation = R"(
params:
  model: {d_model: 8, n_heads: 2, n_layers: 1, d_ff: 16}
  models: {encoding: [sinusoidal, learned, none, rope, alibi, relative], pooling: [mean, multi]}
stages:
  data:
    uses: generate-sorting
    with: {train: 150, val: 30, test: 30, test_lengths: [8, 16, 40], test_size: 20, negatives: mixed, fresh: true}
  train:
    uses: train-classifier
    matrix: "${models}"
    in: {data: data}
    with: {model: "${model}", encoding: "${matrix.encoding}", pooling: "${matrix.pooling}", epochs: 2}
  lengths:
    uses: extrapolate
    matrix: "${models}"
    in: {model: "train@${matrix.encoding}-${matrix.pooling}", data: data}
    with: {confidence: 0.5}
  untrained: {uses: extrapolate, in: {model: train@learned-mean, data: data}, with: {beyond: untrained}}
  table:
    uses: tabulate
    in: {table: ["lengths@*", untrained]}
    with: {value: accuracy, across: length, by: [negatives], first: ["40"], percent: true}
  positions:
    uses: analyze-positions
    matrix: {encoding: "${models.encoding}"}
    in: {model: "train@${matrix.encoding}-mean"}
    with: {positions: 40, shifts: [1, 3]}
  curves: {uses: plot, in: {table: ["lengths@*", untrained]}, with: {kind: extrapolation}}
  map: {uses: plot, in: {table: positions@learned.positions}, with: {kind: position-heatmap}}
  comparison: {uses: plot, in: {table: "positions@*.positions"}, with: {kind: encoding-comparison}}
  summary: {uses: plot, in: {table: ["train@*.log", "train@*.timing"]}, with: {kind: training-summary}}
)";

Words table_of(const Sandbox& sandbox, const std::string& file) {
  return lines(sandbox.read("outputs/p/" + file));
}

TEST_CASE("every stage type of the extrapolation study runs and writes what it declares") {
  const Sandbox sandbox;
  if (sandbox.sh("command -v gnuplot").exit_code != 0) SKIP("needs gnuplot");
  sandbox.write("p.yaml", kExtrapolation);
  const Outcome run = sandbox.headway({"run", "p.yaml"});
  INFO(run.all());
  REQUIRE(run.exit_code == 0);

  CHECK(sandbox.list("outputs/p/data") ==
        Words{"data.safetensors", "metrics.json", "statistics.csv"});
  CHECK(sandbox.list("outputs/p/train@rope-multi") == Words{"config.json", kEventFileName,
                                                            "log.csv", "metrics.json",
                                                            "model.safetensors", "timing.csv"});
  CHECK(sandbox.list("outputs/p/lengths@rope-multi") ==
        Words{"failures.csv", "lengths.csv", "metrics.json"});
  CHECK(sandbox.list("outputs/p/positions@rope") ==
        Words{"metrics.json", "positions.csv", "positions.safetensors"});
  for (const char* plot : {"curves", "map", "comparison", "summary"}) {
    CHECK_THAT(sandbox.read(Path("outputs/p") / plot / "figure.svg"), StartsWith("<?xml"));
    CHECK_THAT(sandbox.read(Path("outputs/p") / plot / "figure.png"), StartsWith("\x89PNG"));
  }
  CHECK(table_of(sandbox, "train@none-mean/log.csv").size() == 1 + 2);
  CHECK(table_of(sandbox, "lengths@none-mean/lengths.csv").size() == 1 + 3 * 2);
  // Two kinds of negatives, twelve models and the one with untrained positions, which has a name.
  const Words table = table_of(sandbox, "table/table.csv");
  REQUIRE(table.size() == 1 + 2 * 13);
  CHECK(table[0] == "negatives,item,40,8,16");
  CHECK_THAT(table[1], StartsWith("swaps,sinusoidal-mean,"));
  CHECK_THAT(table[13], StartsWith("swaps,untrained,"));
  // A model that guesses without confidence is wrong about half of them, which are listed.
  const Words failures = table_of(sandbox, "lengths@none-mean/failures.csv");
  REQUIRE(failures.size() > 1);
  CHECK(failures[0] == "length,negatives,sample,label,answer,probability,violation,at");
  CHECK(sandbox.headway({"run", "p.yaml"}).all().find("nothing to do") != std::string::npos);
}

TEST_CASE("a classifier on fresh samples that is killed repeatedly ends with the same bytes",
          "[long]") {
  const std::string yaml = R"(
stages:
  data: {uses: generate-sorting, with: {train: 900, val: 40, test: 40, test_lengths: [16], test_size: 4, fresh: true}}
  train:
    uses: train-classifier
    in: {data: data}
    with: {model: {d_model: 32, n_heads: 2, n_layers: 2, d_ff: 64}, encoding: relative, pooling: multi, epochs: 8, batch: 16, shards: 2}
    resources: {cpus: 2}
)";
  const Sandbox undisturbed;
  undisturbed.write("p.yaml", yaml);
  REQUIRE(undisturbed.headway({"run", "p.yaml", "-j1"}).exit_code == 0);
  const Sandbox killed;
  killed.write("p.yaml", yaml);
  int kills = 0;
  for (int tries = 0; tries < 20 && kills < 3; ++tries) {
    const auto run = killed.start({"run", "p.yaml", "--json"});
    eventually([&] {
      const std::string out = run->out_so_far();
      const std::size_t epoch = out.rfind("\"epoch ");
      const bool is_there =
          epoch != std::string::npos && std::atoi(out.c_str() + epoch + 7) >= 2 * kills + 2;
      return is_there || !is_running(run->pid());
    });
    run->signal(SIGKILL);
    run->wait();
    REQUIRE(all_end(killed));
    ++kills;
    if (killed.headway({"status", "p.yaml"}).out.find("interrupted") != std::string::npos) continue;
    killed.sh("chmod -R u+w outputs; rm -rf outputs");  // it was finished before: begin again
    kills = 0;
  }
  CHECK(kills == 3);
  const Outcome last = killed.headway({"run", "p.yaml"});
  INFO(last.all());
  REQUIRE(last.exit_code == 0);
  CHECK(killed.contents("outputs/p/train", {"timing.csv", kEventFileName}) ==
        undisturbed.contents("outputs/p/train", {"timing.csv", kEventFileName}));
}

TEST_CASE("mistakes in the extrapolation study are reported before anything runs") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  data: {uses: generate-sorting, with: {shortest: 20, longest: 16}}
  train:
    uses: train-classifier
    in: {data: data}
    with: {model: {d_model: 10, n_heads: 4}, encoding: rotary}
  odd: {uses: train-classifier, in: {data: data}, with: {model: {d_model: 6, n_heads: 2}, encoding: rope}}
  one: {uses: train-classifier, in: {data: data}, with: {model: {n_heads: 1}, encoding: alibi}}
)");
  const Outcome outcome = sandbox.headway({"validate", "p.yaml"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 2);
  CHECK_THAT(outcome.err, ContainsSubstring("p.yaml:3:"));
  CHECK_THAT(outcome.err, ContainsSubstring("p.yaml:7:"));
  CHECK_THAT(outcome.err, ContainsSubstring("rotary"));
  CHECK_THAT(outcome.err, ContainsSubstring("must be even"));
  CHECK_THAT(outcome.err, ContainsSubstring("n_heads must be at least 2"));
}

TEST_CASE("models and data that do not match are named") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
params: {model: {d_model: 8, n_heads: 2, n_layers: 1, d_ff: 16}}
stages:
  data: {uses: generate-sorting, with: {train: 40, val: 10, test: 10, test_lengths: [8], test_size: 4}}
  small: {uses: generate-sorting, with: {range: 50, train: 40, val: 10, test: 10, test_lengths: [8], test_size: 4}}
  bare: {uses: generate-sorting, with: {train: 40, val: 10, test: 10, test_lengths: []}}
  adds: {uses: generate-addition, with: {digits: 2, train: 40, val: 10, test: 10}}
  adder: {uses: train-seq2seq, in: {data: adds}, with: {model: "${model}", epochs: 1}}
  train: {uses: train-classifier, in: {data: data}, with: {model: "${model}", epochs: 1}}
  ranges: {uses: extrapolate, in: {model: train, data: small}}
  untested: {uses: extrapolate, in: {model: train, data: bare}}
  kinds: {uses: extrapolate, in: {model: adder, data: data}}
  tasks: {uses: train-classifier, in: {data: adds}, with: {model: "${model}", epochs: 1}}
  beyond: {uses: extrapolate, in: {model: train, data: data}, with: {beyond: clamp}}
)");
  const Outcome run = sandbox.headway({"run", "p.yaml", "--keep-going"});
  INFO(run.all());
  CHECK(run.exit_code == 1);
  const auto says = [&](const std::string& stage, const std::string& words) {
    CHECK_THAT(run.all(), ContainsSubstring("stage '" + stage + "' failed: " + words));
  };
  says("ranges", "input 'model': the data does not have '50', one of the model's tokens");
  says("untested", "input 'data': no tests by length");
  says("kinds", "input 'model': an encoder-decoder needs data with target sequences, but this has");
  says("tasks", "input 'data': a classifier needs data with labels, but this has target sequences");
  says("beyond", "'beyond: clamp' is about learned positions, and the model's are 'sinusoidal'");
}

}  // namespace
}  // namespace headway::e2e
