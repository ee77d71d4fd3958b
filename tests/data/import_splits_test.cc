#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "tests/data/importing.h"

namespace headway::testing {
namespace {

using Texts = std::vector<std::string>;

// {"input": [0]} …; every number `copies` times.
std::string numbered(int different, int copies = 1) {
  std::string text;
  for (int i = 0; i < different * copies; ++i)
    text +=
        (i == 0 ? "[" : ",") + std::string("{\"input\": [") + std::to_string(i % different) + "]}";
  return text + "]";
}

ImportOptions with(Overlap overlap) {
  ImportOptions options;
  options.overlap = overlap;
  return options;
}

ImportOptions drawn(double val, double test, std::uint64_t seed = 641) {
  ImportOptions options;
  options.val_share = val;
  options.test_share = test;
  options.seed = seed;
  return options;
}

TEST_CASE("without splits, they are drawn by the seed", "[import]") {
  const Dataset data = import_text(numbered(100), drawn(0.1, 0.2)).data;
  CHECK(data.split("val").size() == 10);
  CHECK(data.split("test").size() == 20);
  CHECK(data.split("train").size() == 70);
  CHECK(std::ranges::is_sorted(data.split("train").inputs));  // in the order of the data
  CHECK(import_text(numbered(100), drawn(0.1, 0.2)).data == data);
  CHECK_FALSE(import_text(numbered(100), drawn(0.1, 0.2, 642)).data == data);
}

TEST_CASE("a draw is the same on every machine", "[import]") {
  const Dataset data = import_text(numbered(12), drawn(0.2, 0.2)).data;
  CHECK(texts_in(data, "val") == Texts{"1", "3"});
  CHECK(texts_in(data, "test") == Texts{"2", "11"});
}

TEST_CASE("samples with the same input are drawn into the same split", "[import]") {
  const Dataset data = import_text(numbered(50, 3), drawn(0.2, 0.2)).data;
  std::set<std::int32_t> seen;
  for (const char* split : {"train", "val", "test"}) {
    const std::vector<Token>& inputs = data.split(split).inputs;
    CHECK(inputs.size() % 3 == 0);
    const std::set<std::int32_t> own(inputs.begin(), inputs.end());
    CHECK(own.size() * 3 == inputs.size());
    seen.insert(own.begin(), own.end());
  }
  CHECK(seen.size() == 50);
}

TEST_CASE("pairs are drawn into the same split", "[import]") {
  std::string records;
  for (int i = 0; i < 40; ++i)
    records += (i == 0 ? "[" : ",") + std::string("{\"input\": [") + std::to_string(i) +
               "], \"pair\": {\"sign\": " + std::to_string(i % 20) + "}}";
  const Dataset data = import_text(records + "]", drawn(0.2, 0.2)).data;
  std::size_t pairs = 0;
  for (const char* name : {"train", "val", "test"}) {
    const Split& split = data.split(name);
    CHECK(split.pairs.at("sign").size() * 2 == static_cast<std::size_t>(split.size()));
    for (const auto& [without, with] : split.pairs.at("sign")) {
      const auto number = [&](std::int32_t sample) {
        return std::stoi(sample_text(split, sample));
      };
      CHECK(number(with) == number(without) + 20);
      ++pairs;
    }
  }
  CHECK(pairs == 20);
}

TEST_CASE("too few different inputs cannot be divided", "[import]") {
  CHECK(mistake_in(numbered(3), drawn(0.1, 0.1)) == "accepted");
  CHECK(mistake_in(numbered(2, 10), drawn(0.1, 0.1)) ==
        "d.json: the 2 different inputs cannot be divided into train, val and test with these "
        "shares");
}

TEST_CASE("the field split divides the samples", "[import]") {
  const std::string val = R"({"input": [2], "split": "val"})";
  const std::string test = R"({"input": [3], "split": "test"})";
  const auto mistake = [&](const std::string& first) {
    return mistake_in("[" + first + ", " + val + ", " + test + "]");
  };
  CHECK(mistake(R"({"input": [1], "split": "train"})") == "accepted");
  CHECK(mistake(R"({"input": [1], "split": "training"})") ==
        "d.json: no samples for the split 'train', which must be there; there are some for val, "
        "test, "
        "training");
  CHECK(mistake(R"({"input": [1], "split": "my split"})") ==
        "d.json: record 0: 'split': \"my split\" cannot be the name of a split (letters, numbers, "
        "'_', '-' and '.')");
  CHECK(
      mistake(R"({"input": [1], "split": 3})") ==
      "d.json: record 0: 'split': 3 cannot be the name of a split (letters, numbers, '_', '-' and "
      "'.')");
  CHECK(mistake(R"({"input": [1]})") ==
        "d.json: record 1: 'split' is here, but d.json: record 0 has none; all records must have "
        "the same fields");
}

TEST_CASE("the field split does not contradict the file", "[import]") {
  const std::vector<ImportFile> files = {
      text_file("a.json", R"([{"input": [1], "split": "train"}])", "train"),
      text_file("b.json", R"([{"input": [2], "split": "test"}])", "val"),
      text_file("c.json", R"([{"input": [3], "split": "test"}])", "test")};
  CHECK(mistake_in(files) ==
        "b.json: record 0: 'split' says 'test', but the record stands among "
        "those of 'val'");
}

TEST_CASE("there are not thousands of splits", "[import]") {
  std::string records;
  for (int i = 0; i < 1001; ++i)
    records += (i == 0 ? "[" : ",") + std::string("{\"input\": [1], \"split\": \"s") +
               std::to_string(i) + "\"}";
  CHECK(mistake_in(records + "]") == "d.json: more than 1000 splits");
}

// 5 is in train and test, 6 in train and test.long.
const std::string kOverlapping = R"({
  "train": [{"input": [4, 4]}, {"input": [5, 5]}, {"input": [6, 6]}, {"input": [5, 5]}],
  "val": [{"input": [7, 7]}], "test": [{"input": [8, 8]}, {"input": [5, 5]}],
  "test.long": [{"input": [6, 6]}]})";

TEST_CASE("inputs that are also in train are refused, with the first and how many", "[import]") {
  CHECK(mistake_in(kOverlapping) ==
        "d.json: 'test': record 1: '55' is also in train, as are 1 of the 2 inputs of test. Set "
        "'overlap: drop' to leave them out of train, or 'overlap: report' to keep and count them");
}

TEST_CASE("overlap that is only reported stays", "[import]") {
  const ImportedDataset result = import_text(kOverlapping, with(Overlap::kReport));
  CHECK(result.dropped == 0);
  CHECK(result.data.split("train").size() == 4);
}

TEST_CASE("overlap that is dropped is removed from train", "[import]") {
  const ImportedDataset result = import_text(kOverlapping, with(Overlap::kDrop));
  CHECK(result.dropped == 3);
  CHECK(texts_in(result.data, "train") == Texts{"44"});
  CHECK(texts_in(result.data, "test") == Texts{"88", "55"});
}

TEST_CASE("dropping does not leave an empty train split", "[import]") {
  CHECK(mistake_in(R"({"train": [{"input": [1]}], "val": [{"input": [1]}],
                       "test": [{"input": [2]}]})",
                   with(Overlap::kDrop)) ==
        "d.json: every input of train is also in another split, so none is left to train on");
}

TEST_CASE("repeated samples within a split are kept", "[import]") {
  const Dataset data = import_text(R"({"train": [{"input": [1]}, {"input": [1]}],
    "val": [{"input": [2]}, {"input": [3]}], "test": [{"input": [2]}]})")
                           .data;
  CHECK(data.split("train").size() == 2);
  CHECK(texts_in(data, "test") == Texts{"2"});  // val and test may overlap: neither trains
}

TEST_CASE("a pair is two samples of a split with the same key", "[import]") {
  const auto file = [](const std::string& train) {
    return R"({"train": [)" + train + R"(], "val": [{"input": [5], "pair": {"x": 1}},
      {"input": [6], "pair": {"x": 1}}], "test": [{"input": [7], "pair": null}]})";
  };
  const std::string one = R"({"input": [1], "pair": {"x": "1", "y": 2}})";
  const std::string two = R"({"input": [2], "pair": {"y": 2, "x": null}})";
  const std::string three = R"({"input": [3], "pair": {"x": 1}})";
  const Dataset data = import_text(file(one + "," + two + "," + three)).data;
  CHECK(data.split("train").pairs.at("x") == std::vector<SamplePair>{{0, 2}});
  CHECK(data.split("train").pairs.at("y") == std::vector<SamplePair>{{0, 1}});
  CHECK(data.split("val").pairs.at("x") == std::vector<SamplePair>{{0, 1}});
  CHECK(data.split("test").pairs.empty());
  CHECK(mistake_in(file(one + "," + two)) ==
        "d.json: 'train': record 0: pair 'x': the key '1' marks 1 sample in train, but a pair is "
        "two: first the one without the difference, then the one with it");
  CHECK(mistake_in(file(three + "," + three)) ==
        "d.json: 'train': record 1: pair 'x': it has the same input as d.json: 'train': record 0, "
        "so nothing is different");
  CHECK(mistake_in(file(three + "," + three + "," + three))
            .starts_with("d.json: 'train': record 0: pair 'x': the key '1' marks 3 samples"));
  CHECK(mistake_in(file(R"({"input": [1], "pair": {"x": []}})")) ==
        "d.json: 'train': record 0: pair 'x': [] is no key (text or a number)");
  CHECK(mistake_in(file(R"({"input": [1], "pair": {"": 1}})")) ==
        "d.json: 'train': record 0: a pair has no name");
  CHECK(mistake_in(file(R"({"input": [1], "pair": 3})"))
            .starts_with("d.json: 'train': record 0: 'pair' should be a map from names to keys"));
}

TEST_CASE("a pair that lost a sample by overlap is gone", "[import]") {
  const ImportedDataset result = import_text(R"({
    "train": [{"input": [1], "pair": {"x": 1}}, {"input": [2], "pair": {"x": 1}},
              {"input": [3], "pair": {"x": 2}}, {"input": [4], "pair": {"x": 2}}],
    "val": [{"input": [1]}], "test": [{"input": [9]}]})",
                                             with(Overlap::kDrop));
  CHECK(result.dropped == 1);
  CHECK(result.data.split("train").pairs.at("x") == std::vector<SamplePair>{{1, 2}});
  CHECK(texts_in(result.data, "train") == Texts{"2", "3", "4"});
}

}  // namespace
}  // namespace headway::testing
