// Damaged, hostile or unrelated files, and impossible parameters: each gives a clear message with
// the right location, and finished results stay.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstring>

#include "tests/e2e/small_disk.h"
#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

// A safetensors file in its two parts, to be changed and put together again.
struct Tensors {
  Json header;
  std::string data;

  static Tensors parse(const std::string& bytes) {
    std::uint64_t size = 0;
    REQUIRE(bytes.size() > sizeof size);
    std::memcpy(&size, bytes.data(), sizeof size);
    return {Json::parse(bytes.substr(sizeof size, size)), bytes.substr(sizeof size + size)};
  }
  std::string bytes() const { return with_header(header.dump()); }
  std::string with_header(const std::string& text) const {
    const std::uint64_t size = text.size();
    return std::string(reinterpret_cast<const char*>(&size), sizeof size) + text + data;
  }

  Tensors with(const char* array, const char* field, const Json& value) const {
    Tensors changed = *this;
    changed.header.at(array)[field] = value;
    return changed;
  }
  // The first element of an array.
  template <class T>
  Tensors with_first(const char* array, T value) const {
    Tensors changed = *this;
    const std::size_t begin = header.at(array).at("data_offsets").at(0);
    std::memcpy(changed.data.data() + begin, &value, sizeof value);
    return changed;
  }
  Tensors without(const char* array) const {  // its bytes then belong to no array
    Tensors changed = *this;
    changed.header.erase(array);
    return changed;
  }
  // The description of a checkpoint's model.
  Tensors with_model(const char* field, const Json& value) const {
    Tensors changed = *this;
    Json model = Json::parse(header.at("__metadata__").at("model").get<std::string>());
    model[field] = value;
    changed.header["__metadata__"]["model"] = model.dump();
    return changed;
  }
};

constexpr const char* kGood = R"(
stages:
  data: {uses: generate-addition, with: {digits: 2, train: 100, val: 20, test: 20}}
  train:
    uses: train-seq2seq
    in: {data: data}
    with: {model: {d_model: 8, n_heads: 2, n_layers: 1, d_ff: 16}, epochs: 1}
)";

struct BadFile {
  std::string bytes;
  std::string message;  // the message, after "input '…': "
};

// Runs `user`, a stage with an input `bad`, on each of the files, all in one run.
void check_refused(const Sandbox& sandbox, const std::vector<BadFile>& files,
                   const std::string& user, const std::string& prefix) {
  std::string items;
  for (std::size_t i = 0; i < files.size(); ++i) {
    sandbox.write("bad/" + std::to_string(i), files[i].bytes);
    items += (i ? ", " : "") + std::to_string(i);
  }
  sandbox.write("bad.yaml", std::string(kGood) + R"(
  bad:
    uses: shell
    matrix: {i: [)" + items + R"(]}
    outs: {file: file.safetensors}
    with: {run: "cp bad/${matrix.i} {out.file}", code: ["bad/${matrix.i}"]}
  user:
    matrix: {i: [)" + items + "]}\n" +
                                user);
  const Outcome run = sandbox.headway({"run", "bad.yaml", "--keep-going", "--json"});
  INFO(run.err);
  CHECK(run.exit_code == 1);
  std::map<std::string, std::string> messages;
  for (const Json& event : events(run.out)) {
    if (event.value("status", "") == "failed") messages[event.at("stage")] = event.at("message");
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    INFO(i << ": " << files[i].message);
    CHECK_THAT(messages["user@" + std::to_string(i)], StartsWith(prefix + files[i].message));
  }
  CHECK(messages.size() == files.size());
  // What is good stays good.
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
  CHECK(sandbox.leftovers() == Words{});
  CHECK_THAT(sandbox.headway({"run", "good.yaml"}).out,
             ContainsSubstring("nothing to do, 2 fresh"));
}

void make_good(const Sandbox& sandbox) {
  sandbox.write("good.yaml", kGood);
  const Outcome run = sandbox.headway({"run", "good.yaml"});
  INFO(run.all());
  REQUIRE(run.exit_code == 0);
}

TEST_CASE("a damaged, hostile or unrelated dataset is refused, with the location") {
  const Sandbox sandbox;
  make_good(sandbox);
  const std::string bytes = sandbox.read("outputs/good/data/data.safetensors");
  const Tensors good = Tensors::parse(bytes);
  const std::int64_t begin = good.header.at("test.input").at("data_offsets").at(0);
  const std::string huge(8, '\x7f');
  std::vector<BadFile> files = {
      {good.with_first("val.input", 99).bytes(), "array 'val.input': row 0: 99 (?99) cannot stand"},
      {good.with_first("val.target", 12).bytes(), "array 'val.target': row 0: 12 (bos) cannot"},
      {good.with_first("val.input", -1).bytes(), "array 'val.input': row 0: -1 (?-1) cannot"},
      {good.with_first("val.input", 11).bytes(), "array 'val.input': row 0: it is empty"},
      {good.with("test.input", "shape", {10, 10}).bytes(), "array 'test.input' has 10 rows, but"},
      {good.with("test.input", "shape", {100}).bytes(), "array 'test.input': I32 [*, *] was"},
      {good.with("test.input", "dtype", "F32").bytes(), "array 'test.input': I32 [*, *] was"},
      {good.with("test.input", "shape", {1ull << 62, 1ull << 62}).bytes(),
       "array 'test.input': shape [4611686018427387904, 4611686018427387904] is larger than any"},
      {good.with("test.input", "data_offsets", {begin + 4, begin + 404}).bytes(),
       "the 4 bytes from byte " + std::to_string(begin) + " of the data belong to no array"},
      {good.with("test.input", "data_offsets", {begin - 4, begin + 396}).bytes(),
       "array 'test.input': it begins at byte " + std::to_string(begin - 4) + " of the data, but"},
      {good.with("test.input", "data_offsets", {400, 0}).bytes(),
       "array 'test.input': 'data_offsets' should be [begin, end]"},
      {good.with("test.input", "data_offsets", {-4, 396}).bytes(),
       "array 'test.input': 'data_offsets' should hold whole numbers"},
      {good.without("test.input").bytes(),
       "the 400 bytes from byte " + std::to_string(begin) + " of the data belong to no array"},
      {good.with_header("{"), "not a safetensors file: the header is not a JSON object"},
      {good.with("__metadata__", "vocabulary", "a b").bytes(),
       "metadata: 'vocabulary' is no JSON: a b"},
      {bytes.substr(0, bytes.size() - 1), "array 'val.target_roles': it ends at byte"},
      {bytes.substr(0, 100), "the header should have"},
      {huge + "{}", "not a safetensors file: its first 8 bytes say"},
      {"", "not a safetensors file: it should start with"},
      {sandbox.read("outputs/good/train/model.safetensors"), "not a dataset (its metadata"},
  };
  check_refused(sandbox, files, R"(
    uses: train-seq2seq
    in: {data: "bad@${matrix.i}"}
)",
                "input 'data': ");
}

TEST_CASE("a checkpoint of another shape or kind, or with NaNs, is refused") {
  const Sandbox sandbox;
  make_good(sandbox);
  const std::string bytes = sandbox.read("outputs/good/train/model.safetensors");
  const Tensors good = Tensors::parse(bytes);
  std::vector<BadFile> files = {
      {good.with_model("d_model", 16).bytes(), "array 'encoder.embedding': F32 [14, 16] was"},
      {good.with_model("n_heads", 3).bytes(), "d_model (8) must be divisible by n_heads (3)"},
      {good.with_model("n_heads", 0).bytes(), "n_heads must be between 1 and"},
      {good.with_model("vocabulary", 20).bytes(), "array 'encoder.embedding': F32 [20, 8] was"},
      {good.with_model("d_model", "wide").bytes(),
       "the model's 'd_model' should be a whole number"},
      {good.with_model("d_model", 8.5).bytes(), "the model's 'd_model' should be a whole number"},
      {good.with_model("dropout", "some").bytes(), "the model's 'dropout' should be a number"},
      {good.with_model("units", Json::object()).bytes(), "the model's description is not as"},
      {good.with("__metadata__", "format", "headway seq2seq 2").bytes(), "not a checkpoint of a"},
      {good.with("__metadata__", "tokens",
                 R"(["1","0","2","3","4","5","6","7","8","9","+","pad","bos","end"])")
           .bytes(),
       "its tokens are not those of the data: number 0 is '1', but in the data '0'"},
      {good.with_first("read_out.bias", std::nanf("")).bytes(),
       "array 'read_out.bias' holds infinities or NaNs"},
      {bytes.substr(0, bytes.size() - 4), "array 'read_out.weight': it ends at byte"},
      {sandbox.read("outputs/good/data/data.safetensors"), "not a checkpoint of a"},
  };
  check_refused(sandbox, files, R"(
    uses: evaluate-model
    in: {data: data, model: "bad@${matrix.i}"}
)",
                "input 'model': ");
}

// Of 20 problems that begin with `first`, as lists of tokens; `sum` writes a target.
std::string problems(int first, const std::function<Json(int sum)>& sum) {
  Json records = Json::array();
  for (int a = first; a < first + 5; ++a) {
    for (int b = 20; b < 24; ++b) {
      records.push_back({{"input", {a / 10, a % 10, 10, b / 10, b % 10}}, {"target", sum(a + b)}});
    }
  }
  return records.dump();
}

Json forward(int sum) {
  return {sum / 100, sum / 10 % 10, sum % 10};
}

TEST_CASE("an unreadable JSON dataset is refused by name, before or in its stage") {
  const Sandbox sandbox;
  const std::map<std::string, std::pair<std::string, std::string>> bad = {
      {"empty", {"", "empty.json: not JSON: it is empty"}},
      {"cut",
       {"[{\"input\": [1],\n\"target\": ",
        "cut.json: not JSON: line 2, column 11: it ends too early"}},
      {"none", {"[]", "none.json: it has no records"}},
      {"map", {"{}", "map.json: it has no records"}},
      {"token",
       {R"([{"input": [1.5], "target": [1]}])", "token.json: record 0: 'input': 1.5 is no token"}},
      {"text", {R"([{"input": "1+2", "target": [3]}])", "text.json: record 0: 'input' is text; "}},
      {"large",
       {R"([{"input": [1e999], "target": [1]}])",
        "large.json: not JSON: line 1, column 13: the number 1e999 is"}},
      {"same",
       {problems(50, forward), "val.json: record 0: '5 0 10 2 0' is also in train, as are"}},
  };
  sandbox.write("val.json", problems(50, forward));
  sandbox.write("test.json", problems(60, forward));
  std::string names;
  for (const auto& [name, file] : bad) {
    sandbox.write(name + ".json", file.first);
    names += (names.empty() ? "" : ", ") + name;
  }
  std::filesystem::create_directories(sandbox.at("folder.json"));
  sandbox.write("p.yaml", R"(
stages:
  data:
    uses: import-dataset
    matrix: {name: [folder, )" +
                              names + R"(]}
    with: {train: "${matrix.name}.json", val: val.json, test: test.json}
)");
  const Outcome run = sandbox.headway({"run", "p.yaml", "--keep-going"});
  INFO(run.all());
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.all(), ContainsSubstring("'data@folder' failed: folder.json: is a folder, not a"));
  for (const auto& [name, file] : bad) {
    CHECK_THAT(run.all(), ContainsSubstring("'data@" + name + "' failed: " + file.second));
  }
  sandbox.replace("p.yaml", "val: val.json", "val: nowhere.json");
  const Outcome missing = sandbox.headway({"run", "p.yaml"});
  CHECK(missing.exit_code == 2);
  CHECK_THAT(missing.err, ContainsSubstring("parameter 'val': no such file: nowhere.json"));
}

TEST_CASE("an exhaustive evaluation is refused if nothing can make every sample") {
  const Sandbox sandbox;
  for (const auto& [split, first] : {std::pair{"train", 70}, {"val", 40}, {"test", 76}})
    sandbox.write(std::string(split) + ".json", problems(first, forward));
  sandbox.write("p.yaml", R"(
stages:
  data: {uses: import-dataset, with: {train: train.json, val: val.json, test: test.json}}
  train:
    uses: train-seq2seq
    in: {data: data}
    with: {model: {d_model: 8, n_heads: 2, n_layers: 1, d_ff: 16}, epochs: 1}
  split: {uses: evaluate-model, in: {data: data, model: train}}
  all: {uses: evaluate-model, in: {data: data, model: train}, with: {exhaustive: true}}
)");
  const Outcome run = sandbox.headway({"run", "p.yaml", "--keep-going"});
  INFO(run.all());
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.all(), ContainsSubstring("split: done"));
  CHECK_THAT(run.all(), ContainsSubstring("'all' failed: exhaustive: the data's generator cannot "
                                          "make every sample, since the data names none"));
}

TEST_CASE("problems that only show up while a stage runs are reported clearly") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", std::string(kGood) + R"(
  five: {uses: generate-addition, with: {digits: 5, train: 20, val: 5, test: 5}}
  adder: {uses: train-seq2seq, in: {data: five}, with: {model: {d_model: 8, n_heads: 2, n_layers: 1, d_ff: 16}, epochs: 1}}
  all: {uses: evaluate-model, in: {model: adder, data: five}, with: {exhaustive: true}}
  nowhere: {uses: evaluate-model, in: {model: train, data: data}, with: {split: nowhere}}
  words: {uses: attention-maps, in: {model: train, data: data}, with: {problems: [one+two]}}
  map: {uses: attention-maps, in: {model: train, data: data}, with: {problems: [3741+8141]}}
  maps: {uses: attention-maps, in: {model: train, data: data}, with: {sampled: 1}}
  diverging: {uses: train-seq2seq, in: {data: data}, with: {model: {d_model: 8, n_heads: 2, n_layers: 1, d_ff: 16}, epochs: 2, lr: 1e30, batch: 20}}
  last-step: {uses: train-seq2seq, in: {data: data}, with: {model: {d_model: 8, n_heads: 2, n_layers: 1, d_ff: 16}, epochs: 1, lr: 1e38, batch: 100, warmup: 0, clip: 0}}
  kind: {uses: plot, in: {table: data}, with: {kind: pruning-curve}}
  table: {uses: plot, in: {table: data}, with: {kind: attention}}
  problem: {uses: plot, in: {table: maps.maps}, with: {kind: attention, problem: 7}}
)");
  const Outcome run = sandbox.headway({"run", "p.yaml", "--keep-going"});
  INFO(run.all());
  CHECK(run.exit_code == 1);
  for (const char* message : {
           "'all' failed: exhaustive: the data's generator cannot make every sample: there are too",
           "'nowhere' failed: no split 'nowhere'; there are test, train, val",
           "'words' failed: problem 'one+two' has words that the data does not know; its inputs",
           "'map' failed: problem '3741+8141' does not fit the data, whose problems are like ",
           "'diverging' failed: the loss or its gradient is no number any more in epoch 1, step 2: "
           "a smaller",
           "'last-step' failed: the loss or its gradient is no number any more after epoch 1: a "
           "smaller",
           "'kind' failed: figure 'pruning-curve': the table has no column 'strategy'; it has",
           "'table' failed: figure 'attention': it is drawn from attention maps (safetensors), "
           "and table.csv is a table",
           "'problem' failed: figure 'attention': there is no problem 7: the file has 1",
       }) {
    CHECK_THAT(run.all(), ContainsSubstring(message));
  }
}

TEST_CASE("without gnuplot, a plot says what to install") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", std::string(kGood) + R"(
  curves: {uses: plot, in: {table: train.log}, with: {kind: training-curves}}
)");
  Surroundings without_programs;
  without_programs.env["PATH"] = "/nowhere";
  const Outcome run = sandbox.headway({"run", "p.yaml"}, without_programs);
  INFO(run.all());
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.all(), ContainsSubstring("'curves' failed: gnuplot is not installed"));
  CHECK(sandbox.exists("outputs/p/train/model.safetensors"));
}

TEST_CASE("a model that does not fit into memory is reported briefly, not with a backtrace") {
  skip_unless_memory_can_be_limited();
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  data: {uses: generate-addition, with: {digits: 2, train: 100, val: 20, test: 20}}
  huge:
    uses: train-seq2seq
    in: {data: data}
    with: {model: {d_model: 4096, n_layers: 64, d_ff: 65536}}
)");
  const Outcome run = sandbox.sh("ulimit -v 8000000 && exec " + program_path() + " run p.yaml");
  INFO(run.all());
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.all(), ContainsSubstring("stage 'huge' failed: out of memory\n"));
}

TEST_CASE("impossible parameters are all reported at once, before anything runs") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(params: {heads: 2}
variants: {three: {heads: 3}}
stages:
  ten: {uses: generate-addition, with: {digits: 10}}
  minus: {uses: generate-addition, with: {train: -5}}
  many: {uses: generate-addition, with: {digits: 1, train: 80, val: 1, test: 1}}
  train:
    uses: train-seq2seq
    in: {data: many}
    with: {model: {d_model: 8, n_heads: "${heads}"}}
  map: {uses: attention-maps, in: {model: train, data: many}, with: {problems: [1+2], sampled: 0}}
  both: {uses: ablate-model, in: {model: train, data: many}, with: {components: [head, head]}}
  what: {uses: ablate-model, in: {model: train, data: many}, with: {components: [layer]}}
  mixed: {uses: prune-model, in: {model: train, data: many}, with: {components: [head, block]}}
  none: {uses: attention-maps, in: {model: train, data: many}, with: {sampled: 0}}
  prune: {uses: prune-model, in: {model: train, data: many}, with: {tolerances: [101]}}
  plot: {uses: plot, in: {table: train.log}, with: {kind: training-curve}}
)");
  const Outcome run = sandbox.headway({"run", "p.yaml", "--set", "heads=3"});
  INFO(run.err);
  CHECK(run.exit_code == 2);
  for (const char* message : {
           "p.yaml:4:49: stage 'ten': parameter 'digits' must be between 1 and 9, got 10",
           "p.yaml:5:50: stage 'minus': parameter 'train' must be between 1 and 100000000, got -5",
           "stage 'many': 80 + 1 + 1 = 82 problems asked for, but there are only 81 with 1 digit",
           "--set heads=3: stage 'train': d_model (8) must be divisible by n_heads (3)",
           "stage 'both': parameter 'components' names 'head' twice",
           "stage 'what': parameter 'components' must be one of head, ffn, block, got 'layer'",
           "stage 'mixed': blocks contain heads and feed-forward layers, so they are removed alone",
           "stage 'none': no problem to map: 'problems' is empty and 'sampled' is 0",
           "stage 'prune': parameter 'tolerances' must be between 0 and 100, got 101",
           "got 'training-curve'; did you mean 'training-curves'?",
       }) {
    CHECK_THAT(run.err, ContainsSubstring(message));
  }
  const Outcome variant = sandbox.headway({"run", "p.yaml", "--variant", "three"});
  CHECK(variant.exit_code == 2);
  CHECK_THAT(variant.err, ContainsSubstring("p.yaml:2:27: stage 'train': d_model (8) must be"));
  CHECK_FALSE(sandbox.exists("outputs"));
}

constexpr const char* kOneFigure = R"(
stages:
  t: {uses: shell, outs: {table: t.csv}, with: {run: "cp t.csv {out.table}", code: [t.csv]}}
  f: {uses: plot, in: {table: t}, with: {kind: sweep-lines, x: k, metric: m}}
)";

TEST_CASE("a figure is complete or its stage fails, however little disk space there is") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kOneFigure);
  sandbox.write("t.csv", "k,trial,m\n1,t1,0.1\n2,t2,0.2\n3,t3,0.3\n");
  // The folder for temporary files does not matter: a stage has its own.
  const Surroundings elsewhere{.env = {{"TMPDIR", "/nowhere"}}, .folder = {}};
  const Outcome outcome = sandbox.headway({"run", "p.yaml", "--outputs", "good"}, elsewhere);
  INFO(outcome.all());
  REQUIRE(outcome.exit_code == 0);
  const std::string good = sandbox.read("good/p/f/figure.png");
  const SmallDisk disk(sandbox, "size=1m");
  if (!disk.mounted()) SKIP("needs root, to mount a small disk");
  REQUIRE(sandbox.headway({"run", "p.yaml", "t"}).exit_code == 0);
  sandbox.sh("dd if=/dev/zero of=outputs/ballast bs=4k status=none");
  for (const int kilobytes : {32, 24, 24, 40, 100}) {  // more and more space
    sandbox.sh("truncate -s -" + std::to_string(kilobytes) + "k outputs/ballast");
    const Outcome little = sandbox.headway({"run", "p.yaml"});
    INFO(little.all());
    if (little.exit_code == 0) {
      CHECK(sandbox.read("outputs/p/f/figure.png") == good);
    } else {
      CHECK(little.exit_code == 1);
      CHECK_THAT(little.all(), ContainsSubstring("no space left"));
      CHECK_FALSE(sandbox.exists("outputs/p/f/figure.png"));
    }
  }
  CHECK(sandbox.read("outputs/p/f/figure.png") == good);
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
}

}  // namespace
}  // namespace headway::e2e
