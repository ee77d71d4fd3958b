// Data of the user's own, every kind of model, and every analysis on each: without C++.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

// Words of different lengths with a class, and reversed; made without a random generator.
void write_data(const Sandbox& sandbox) {
  std::string labelled = "text,class,begins\n", pairs;
  const std::string letters = "abcd";
  int number = 0;
  for (std::size_t length = 2; length <= 5; ++length) {
    for (std::size_t i = 0; i < 40; ++i) {
      std::string text;
      for (std::size_t at = 0, rest = i * 7 + length; at < length; ++at, rest = rest / 3 + at)
        text += letters[rest % letters.size()];
      text[0] = letters[i % 4];
      text[length - 1] = letters[i / 4 % 4];
      const char* kind = text.front() == text.back() ? "same" : i % 2 == 0 ? "even" : "odd";
      const char* split = ++number % 5 == 0 ? "val" : number % 5 == 1 ? "test" : "train";
      labelled += text + "," + kind + "," + text[0] + "\n";
      Json record = {{"input", text},
                     {"target", std::string(text.rbegin(), text.rend())},
                     {"split", split},
                     {"groups", {{"length", length}}}};
      for (std::size_t at = 0; at < length; ++at) {
        record["input_roles"].push_back("i" + std::to_string(at));
        record["target_roles"].push_back("o" + std::to_string(length - 1 - at));
      }
      record["target_roles"].push_back(nullptr);  // the end marker
      record["target_roles"].erase(length);
      pairs += record.dump() + "\n";
    }
  }
  sandbox.write("labelled.csv", labelled);
  sandbox.write("pairs.jsonl", pairs);
}

constexpr const char* kModels = R"(
params: {model: {d_model: 8, n_heads: 2, n_layers: 1, d_ff: 16}}
stages:
  labelled:
    uses: import-dataset
    with: {file: labelled.csv, tokens: characters, columns: {input: text, label: class}, groups: [begins], overlap: report}
  pairs: {uses: import-dataset, with: {file: pairs.jsonl, tokens: characters, overlap: report}}
  encoder: {uses: train-classifier, in: {data: labelled}, with: {model: "${model}", encoding: rope, epochs: 1, batch: 16}}
  both: {uses: train-seq2seq, in: {data: pairs}, with: {model: "${model}", encoding: relative, epochs: 1, batch: 16}}
  decoder:
    uses: train-decoder
    in: {data: pairs}
    with: {model: {d_model: 8, n_heads: 2, n_layers: 1, d_ff: 16, ffn: gated}, offset: 4, epochs: 1, batch: 16}
)";

std::string analyses_of(const std::string& model, const std::string& data) {
  std::string yaml = R"(
  MODEL-evaluate: {uses: evaluate-model, in: {model: MODEL, data: DATA}}
  MODEL-attention: {uses: attention-maps, in: {model: MODEL, data: DATA}, with: {sampled: 2}}
  MODEL-ablate:
    uses: ablate-model
    matrix: {mode: [zero, mean, resample]}
    in: {model: MODEL, data: DATA}
    with: {mode: "${matrix.mode}", components: [head, ffn, block]}
  MODEL-inside: {uses: record-activations, in: {model: MODEL, data: DATA}, with: {hooks: ["*.resid_post", "*.z"], samples: 5}}
  MODEL-prune: {uses: prune-model, in: {model: MODEL, data: DATA}, with: {components: [head, ffn], tolerances: [100], checkpoint: 100, random_orders: 1, fine_tune: {epochs: 1}}}
  MODEL-cut: {uses: evaluate-model, in: {model: MODEL-prune, data: DATA}}
  MODEL-groups: {uses: plot, in: {table: MODEL-evaluate}, with: {kind: group-accuracy}}
  MODEL-importance: {uses: plot, in: {table: "MODEL-ablate@*"}, with: {kind: head-importance}}
  MODEL-statistics: {uses: plot, in: {table: MODEL-attention}, with: {kind: head-statistics}}
  MODEL-curve: {uses: plot, in: {table: MODEL-prune}, with: {kind: pruning-curve}}
  MODEL-map: {uses: plot, in: {table: MODEL-attention.maps}, with: {kind: attention, problem: 1}}
)";
  for (const auto& [from, to] : {std::pair{std::string("MODEL"), model}, {"DATA", data}}) {
    for (std::size_t at = 0; (at = yaml.find(from, at)) != std::string::npos; at += to.size())
      yaml.replace(at, from.size(), to);
  }
  return yaml;
}

TEST_CASE("every analysis works on every kind of model, with data of the user's own") {
  const Sandbox sandbox;
  if (sandbox.sh("command -v gnuplot").exit_code != 0) SKIP("needs gnuplot");
  write_data(sandbox);
  sandbox.write("p.yaml", kModels + analyses_of("encoder", "labelled") +
                              analyses_of("both", "pairs") + analyses_of("decoder", "pairs"));
  const Outcome run = sandbox.headway({"run", "p.yaml", "--keep-going"});
  INFO(run.all());
  REQUIRE(run.exit_code == 0);
  const auto table = [&](const std::string& file) {
    return lines(sandbox.read("outputs/p/" + file));
  };
  const auto metrics = [&](const std::string& stage) {
    return Json::parse(sandbox.read("outputs/p/" + stage + "/metrics.json"));
  };
  // Groups and classes are the data's own.
  CHECK_THAT(sandbox.read("outputs/p/encoder-evaluate/accuracy.csv"),
             ContainsSubstring("\nbegins,a,") && ContainsSubstring("\nclass,same,"));
  CHECK_THAT(sandbox.read("outputs/p/decoder-evaluate/accuracy.csv"),
             ContainsSubstring("\nlength,5,") && ContainsSubstring("\nrole,o0,"));
  CHECK_THAT(sandbox.read("outputs/p/decoder-attention/roles.csv"), ContainsSubstring(",o0,i1,"));
  CHECK(metrics("encoder-evaluate").contains("accuracy"));
  CHECK(metrics("both-evaluate").at("decoded_differently") == 0);
  CHECK(metrics("decoder-evaluate").at("decoded_differently") == 0);
  // Heads, feed-forward layers, blocks, and the header.
  for (const auto& [model, components] : {std::pair{"encoder", 4}, {"both", 10}, {"decoder", 4}}) {
    for (const char* mode : {"zero", "mean", "resample"})
      CHECK(table(std::string(model) + "-ablate@" + mode + "/components.csv").size() ==
            static_cast<std::size_t>(components) + 1);
    CHECK(metrics(std::string(model) + "-prune").at("pruned").at("removed") >= 1);
  }
  CHECK_THAT(sandbox.read("outputs/p/both-inside/activations.safetensors"),
             ContainsSubstring("decoder.0.cross.z"));
  const Outcome report = sandbox.headway({"report", "p.yaml"});
  INFO(report.all());
  CHECK(report.exit_code == 0);
  CHECK_THAT(sandbox.read("outputs/p/report/REPORT.md"), ContainsSubstring("decoder-ablate"));
}

// Texts of which nothing is asked but their next letters. Each is that of two positions before.
std::string plain_texts() {
  std::string records;
  for (std::size_t i = 0; i < 240; ++i) {
    std::string text;
    for (std::size_t at = 0; at < 6 + i % 5; ++at)
      text += static_cast<char>('a' + (at % 2 == 0 ? i / 5 : i / 30) % 8);
    records += Json{{"input", text}, {"groups", {{"size", text.size()}}}}.dump() + "\n";
  }
  return records;
}

TEST_CASE("plain sequences are evaluated, ablated and pruned by their tokens") {
  const Sandbox sandbox;
  sandbox.write("plain.jsonl", plain_texts());
  sandbox.write("p.yaml", R"(
stages:
  data: {uses: import-dataset, with: {file: plain.jsonl, tokens: characters, val_share: 0.2, test_share: 0.2}}
  train:
    uses: train-decoder
    in: {data: data}
    with: {model: {d_model: 16, n_heads: 2, n_layers: 1, d_ff: 16, dropout: 0}, epochs: 12, batch: 8, lr: 0.01}
  evaluate: {uses: evaluate-model, in: {model: train, data: data}, expect: {token_accuracy: "> 0.5"}}
  attention: {uses: attention-maps, in: {model: train, data: data}, with: {sampled: 2}}
  ablate: {uses: ablate-model, in: {model: train, data: data}, with: {components: [head, ffn, block]}}
  prune: {uses: prune-model, in: {model: train, data: data}, with: {tolerances: [1, 100], checkpoint: 1, random_orders: 1, fine_tune: {epochs: 1}}}
  cut: {uses: evaluate-model, in: {model: prune, data: data}}
  groups: {uses: plot, in: {table: evaluate}, with: {kind: group-accuracy}}
  importance: {uses: plot, in: {table: ablate}, with: {kind: head-importance}}
  curve: {uses: plot, in: {table: prune}, with: {kind: pruning-curve}}
)");
  const Outcome run = sandbox.headway({"run", "p.yaml", "--keep-going"});
  INFO(run.all());
  REQUIRE(run.exit_code == 0);
  const auto metrics = [&](const std::string& stage) {
    return Json::parse(sandbox.read("outputs/p/" + stage + "/metrics.json"));
  };
  const double whole = metrics("evaluate").at("token_accuracy");
  CHECK(metrics("prune").at("token_accuracy") == whole);
  CHECK(metrics("ablate").at("token_accuracy") == whole);
  CHECK(metrics("ablate").at("largest_drop") > 5);
  // All could go if only whole sequences counted.
  CHECK(metrics("prune").at("together").at("1") < metrics("prune").at("together").at("100"));
  CHECK(metrics("cut").at("token_accuracy") == metrics("prune").at("pruned").at("fine_tuned"));
  CHECK_THAT(sandbox.read("outputs/p/evaluate/accuracy.csv"), ContainsSubstring("\nsize,6,"));
  CHECK(sandbox.read("outputs/p/evaluate/failures.txt").empty());
  CHECK_THAT(sandbox.read("outputs/p/importance/figure.gp"),
             ContainsSubstring("drop of token accuracy"));
}

TEST_CASE("the study of induction heads runs from its script to its report") {
  const Sandbox sandbox;
  std::filesystem::copy(Path(HEADWAY_SOURCE_DIR) / "pipelines", sandbox.folder(),
                        std::filesystem::copy_options::recursive);
  sandbox.replace("induction.yaml", "--seed ${seed}",
                  "--seed ${seed} --train 100 --val 20 --test 20 --longest 8");
  const auto report = [&](const Words& options) {
    Words words = {"run", "induction.yaml", "--set", "train.epochs=1"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome run = sandbox.headway(words);
    INFO(run.all());
    CHECK(run.exit_code == 0);
    const std::string variation = options.empty() ? "" : "one-layer@";
    return sandbox.read("outputs/induction/" + variation + "train.epochs=1/report/REPORT.md");
  };
  const std::string two = report({});
  CHECK_THAT(two, ContainsSubstring("decoder of 2 layers with 4 heads each") &&
                      ContainsSubstring("norm: pre, feed-forward layers: none") &&
                      ContainsSubstring("By **resample** ablation") &&
                      ContainsSubstring("Decoder Self L1 H3"));
  const std::string one = report({"--variant", "one-layer"});
  CHECK_THAT(one, ContainsSubstring("No head is an induction head"));
  for (const std::string& text : {two, one}) CHECK_THAT(text, !ContainsSubstring("{{"));
}

TEST_CASE("a model takes positions from the data, or says that there are none") {
  const Sandbox sandbox;
  std::string records, labelled;
  for (int i = 0; i < 40; ++i) {
    Json record = {{"input", {i / 10, i % 10}}, {"input_positions", {2, 1}}};
    record["label"] = i % 2;
    labelled += record.dump() + "\n";
    record.erase("label");
    record["target"] = {i % 10, i / 10};
    record["target_positions"] = {1, 2};
    records += record.dump() + "\n";
  }
  sandbox.write("given.jsonl", records);
  sandbox.write("labelled.jsonl", labelled);
  sandbox.write("p.yaml", R"(
params: {model: {d_model: 8, n_heads: 2, n_layers: 1, d_ff: 16}, encodings: [sinusoidal, learned, rope, alibi, relative]}
stages:
  given: {uses: import-dataset, with: {file: given.jsonl}}
  labelled: {uses: import-dataset, with: {file: labelled.jsonl}}
  counted: {uses: generate-addition, with: {digits: 1, train: 40, val: 5, test: 5}}
  both:
    uses: train-seq2seq
    matrix: {encoding: "${encodings}"}
    in: {data: given}
    with: {model: "${model}", encoding: "${matrix.encoding}", positions: data, offset: 3, epochs: 1, batch: 8}
  decoder:
    uses: train-decoder
    matrix: {encoding: "${encodings}"}
    in: {data: given}
    with: {model: "${model}", encoding: "${matrix.encoding}", positions: data, offset: 3, epochs: 1, batch: 8}
  classifier:
    uses: train-classifier
    matrix: {encoding: "${encodings}"}
    in: {data: labelled}
    with: {model: "${model}", encoding: "${matrix.encoding}", positions: data, offset: 3, epochs: 1, batch: 8}
  both-answers: {uses: evaluate-model, matrix: {encoding: "${encodings}"}, in: {data: given, model: "both@${matrix.encoding}"}}
  decoder-answers: {uses: evaluate-model, matrix: {encoding: "${encodings}"}, in: {data: given, model: "decoder@${matrix.encoding}"}}
  classifier-answers: {uses: evaluate-model, matrix: {encoding: "${encodings}"}, in: {data: labelled, model: "classifier@${matrix.encoding}"}}
  none: {uses: train-decoder, in: {data: counted}, with: {model: "${model}", positions: data, epochs: 1}}
)");
  const Outcome run = sandbox.headway({"run", "p.yaml", "--keep-going"});
  INFO(run.all());
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.all(), ContainsSubstring("1 failed") &&
                            ContainsSubstring("'none' failed: input 'data': the model takes "
                                              "positions from the data, but it gives none"));
  for (const std::string encoding : {"sinusoidal", "learned", "rope", "alibi", "relative"}) {
    CAPTURE(encoding);
    for (const std::string model : {"both", "decoder"}) {
      const Json metrics = Json::parse(
          sandbox.read("outputs/p/" + model + "-answers@" + encoding + "/metrics.json"));
      CHECK(metrics.at("decoded_differently") == 0);
    }
    CHECK(sandbox.exists("outputs/p/classifier-answers@" + encoding + "/accuracy.csv"));
  }
}

}  // namespace
}  // namespace headway::e2e
