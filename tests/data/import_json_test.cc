#include <catch2/catch_test_macros.hpp>

#include "tests/data/importing.h"

namespace headway::testing {
namespace {

using Texts = std::vector<std::string>;
using Tokens = std::vector<Token>;

const std::string kTrain = R"([{"input": [3, 7, 4, 10, 8, 1, 4], "target": [1, 1, 8, 8]},
                               {"input": [1, 0, 0, 10, 1, 0, 0], "target": [0, 2, 0, 0]}])";
const std::string kVal = R"([{"input": [5, 0, 0, 10, 1, 2, 3], "target": [0, 6, 2, 3]}])";
const std::string kTest = R"([{"input": [9, 9, 9, 10, 9, 9, 9], "target": [1, 9, 9, 8]}])";

std::vector<ImportFile> three(const std::string& train, const std::string& val = kVal,
                              const std::string& test = kTest) {
  return {text_file("train.json", train, "train"), text_file("val.json", val, "val"),
          text_file("test.json", test, "test")};
}

Dataset dataset_of_files(const std::vector<ImportFile>& files) {
  return import_dataset(files, {}).data;
}

std::string mistake_in_record(const std::string& record) {
  return mistake_in(
      three("[" + std::string(R"({"input": [3], "target": [1, 1, 8, 8]})") + ", " + record + "]"));
}

TEST_CASE("records become rows, unchanged if their lengths are equal", "[import]") {
  const Dataset data = dataset_of_files(three(kTrain));
  const Split& train = data.split("train");
  CHECK(data.legend->vocabulary.words() ==
        Texts{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"});  // by value
  CHECK(train.inputs == Tokens{3, 7, 4, 10, 8, 1, 4, 1, 0, 0, 10, 1, 0, 0});
  CHECK(train.targets == Tokens{1, 1, 8, 8, 0, 2, 0, 0});
  CHECK(data.split("test").targets == Tokens{1, 9, 9, 8});
  CHECK(dataset_from(to_tensor_file(data), "d") == data);
}

TEST_CASE("inputs of different lengths are padded to the longest of their split", "[import]") {
  const Dataset data = dataset_of_files(
      three(R"([{"input": [1, 2], "target": [0]}, {"input": [3], "target": [1]}])",
            R"([{"input": [2], "target": [0]}])", R"([{"input": [0, 0, 0], "target": [0]}])"));
  const Token pad = data.legend->vocabulary.pad();
  CHECK(data.split("train").inputs == Tokens{1, 2, 3, pad});
  CHECK(data.split("val").inputs == Tokens{2});
  CHECK(data.split("test").inputs == Tokens{0, 0, 0});
  CHECK(data.split("train").targets == Tokens{0, 1});  // all equal: no end
}

TEST_CASE("if targets differ in length anywhere, all end with the marker", "[import]") {
  const Dataset data = dataset_of_files(
      three(R"([{"input": [0], "target": [0]}, {"input": [1], "target": []}])",
            R"([{"input": [2], "target": [1, 2]}])", R"([{"input": [3], "target": [0]}])"));
  const Token pad = data.legend->vocabulary.pad(), end = data.legend->vocabulary.end();
  CHECK(data.split("train").targets == Tokens{0, end, end, pad});
  CHECK(data.split("val").targets == Tokens{1, 2, end});
  CHECK(data.split("test").targets == Tokens{0, end});
  CHECK(dataset_from(to_tensor_file(data), "d") == data);
}

TEST_CASE("a map has a list of records for each split", "[import]") {
  const Dataset data = import_text(R"({
    "test.long": [{"input": ["a", "a", "b"]}], "val": [{"input": ["b", "b"]}],
    "train": [{"input": ["a"]}, {"input": ["b"]}], "test": [{"input": ["a", "b"]}]})")
                           .data;
  CHECK(data.kind() == TargetKind::kNone);
  CHECK(texts_in(data, "train") == Texts{"a", "b"});
  CHECK(texts_in(data, "val") == Texts{"bb"});
  CHECK(texts_in(data, "test.long") == Texts{"aab"});
}

TEST_CASE("a file that has no records is refused", "[import]") {
  CHECK(mistake_in(three("")) == "train.json: not JSON: it is empty");
  CHECK(mistake_in(three(" \n ")) == "train.json: not JSON: it is empty");
  CHECK(mistake_in(three("[]")) == "train.json: it has no records");
  CHECK(mistake_in(three("{}")) == "train.json: it has no records");
  CHECK(mistake_in(three("{\"samples\": []}")) == "train.json: it has no records");
  CHECK(mistake_in(three("3")) ==
        "train.json: should be a list of records, or a map with such lists, but is 3");
  CHECK(mistake_in(three("{\"train\": 3}")) ==
        "train.json: 'train' should be a list of records, but is 3");
  CHECK(mistake_in(three(kTrain, "[]")) == "val.json: it has no records");
}

TEST_CASE("a file that is not JSON is refused with its line", "[import]") {
  CHECK(mistake_in(three("[\n{\"input\": [1],\n \"target\": [1}\n]")) ==
        "train.json: not JSON: line 3, column 14: unexpected '}'");
  CHECK(mistake_in(three("[{\"input\": [1, 2")) ==
        "train.json: not JSON: line 1, column 17: it ends too early");
  CHECK(mistake_in(three("input,target\n")) ==
        "train.json: not JSON: line 1, column 1: unexpected 'input'");
  CHECK(mistake_in(three(kTrain + "\n" + std::string("\0x", 2))) ==
        "train.json: not JSON: line 3, column 1: a zero byte: this is not text");
  CHECK(mistake_in(three("[1] [2]")) == "train.json: not JSON: line 1, column 5: unexpected '['");
  CHECK(mistake_in(three("[\"\xff\"]")) ==
        "train.json: not JSON: line 1, column 3: unexpected '\uFFFD'");
  CHECK(mistake_in(three(std::string(1'000'000, '[') + std::string(1'000'000, ']'))) ==
        "train.json: not JSON: line 1, column 201: nested more than 200 levels deep");
  CHECK(mistake_in(three("[1e999]")) ==
        "train.json: not JSON: line 1, column 2: the number 1e999 is too large");
}

TEST_CASE("a byte order mark is no part of the file", "[import]") {
  CHECK(mistake_in(three("\xEF\xBB\xBF" + kTrain)) == "accepted");
}

TEST_CASE("an invalid record is refused with its number", "[import]") {
  CHECK(mistake_in_record("[1, 2]") ==
        "train.json: record 1: should be a map with 'input', but is [1,2]");
  CHECK(mistake_in_record("null") ==
        "train.json: record 1: should be a map with 'input', but is null");
  CHECK(mistake_in_record("{}") == "train.json: record 1: 'input' is missing");
  CHECK(mistake_in_record(R"({"input": []})") ==
        "train.json: record 1: 'target' is missing, but train.json: record 0 has it; all records "
        "must have the same fields");
  CHECK(mistake_in_record(R"({"input": 3, "target": [1]})") ==
        "train.json: record 1: 'input' should be text or a list of tokens, but is 3");
  CHECK(mistake_in_record(R"({"input": [], "target": [1]})") ==
        "train.json: record 1: 'input' is empty");
  CHECK(mistake_in_record(R"({"input": [1], "input": [2], "target": [1]})") ==
        "train.json: record 1: 'input' is twice in one map");
  CHECK(mistake_in(three(kTrain, R"({"val": [{"input": [1]}]})")) ==
        "val.json: 'val': record 0: 'target' is missing, but train.json: record 0 has it; all "
        "records must have the same fields");
}

TEST_CASE("an invalid token is refused with the record and the field", "[import]") {
  const auto target = [](const std::string& item) {
    return mistake_in_record(R"({"input": [1], "target": [1, )" + item + "]}");
  };
  const auto expected = [](const std::string& shown) {
    return "train.json: record 1: 'target': " + shown + " is no token (text or a whole number)";
  };
  CHECK(target("-12") == "accepted");
  CHECK(target("\"end\"") == "accepted");
  CHECK(target("18446744073709551615") == "accepted");
  CHECK(target("3.0") == expected("3.0"));
  CHECK(target("[3]") == expected("[3]"));
  CHECK(target("\"\"") == expected("\"\""));
  CHECK(target("true") == expected("true"));
  CHECK(target("null") == expected("null"));
}

TEST_CASE("a huge sequence is refused, not used as the padded length", "[import]") {
  const auto sized = [](std::size_t length) {
    return mistake_in(three(Json{{{"input", Tokens(length, 1)}, {"target", {1}}}}.dump(),
                            R"([{"input": [1], "target": [1]}])",
                            R"([{"input": [2], "target": [1]}])"));
  };
  CHECK(sized(65'536) == "accepted");
  CHECK(sized(65'537) == "train.json: record 0: 'input' has 65537 tokens; at most 65536 can be");
}

TEST_CASE("one long row among many short ones is refused before memory is full", "[import]") {
  std::string records = Json{{"input", Tokens(60'000, 1)}}.dump();
  for (int i = 0; i < 20'000; ++i) records += ", {\"input\": [1]}";
  const std::string rest = R"("val": [{"input": [2]}], "test": [{"input": [2]}])";
  CHECK(
      mistake_in("{\"train\": [" + records + "], " + rest + "}") ==
      "d.json: 'train': record 0: with 60000 tokens, this is the longest row of train; 20001 rows "
      "of that length do not fit into memory (at most 1000000000 tokens can be)");
}

TEST_CASE("lists of records do not contradict the name of the file's split", "[import]") {
  CHECK(mistake_in(three(R"({"val": [{"input": [3], "target": [1, 1, 8, 8]}]})")) ==
        "train.json: has samples for 'val', but the file is for 'train'");
  CHECK(mistake_in(R"({"samples": [{"input": [1]}], "val": [{"input": [2]}]})") ==
        "d.json: has 'samples' and 'val': records are either in 'samples' or in a list for each "
        "split");
  CHECK(mistake_in(R"({"my split": [{"input": [1]}]})") ==
        "d.json: 'my split' cannot be the name of a split (letters, numbers, '_', '-' and '.')");
  CHECK(mistake_in(R"({"train": [{"input": [1]}], "train": [{"input": [2]}]})") ==
        "d.json: 'train' is twice in one map");
}

TEST_CASE("JSON Lines has a record on each line", "[import]") {
  const std::string lines =
      "\xEF\xBB\xBF{\"input\": [1], \"split\": \"train\"}\r\n\r\n"
      "{\"input\": [2], \"split\": \"val\"}\n  \n{\"input\": [3], \"split\": \"test\"}";
  const Dataset data = import_text(lines, {}, "d.jsonl").data;
  CHECK(texts_in(data, "train") == Texts{"1"});
  CHECK(texts_in(data, "test") == Texts{"3"});
}

TEST_CASE("mistakes in JSON Lines have the line", "[import]") {
  const auto third = [](const std::string& line) {
    return mistake_in("{\"input\": [1]}\n\n" + line + "\n", {}, "d.ndjson");
  };
  CHECK(third("{\"input\": [") == "d.ndjson:3: not JSON: column 12: it ends too early");
  CHECK(third("[]") == "d.ndjson:3: should be a map with 'input', but is []");
  CHECK(third("{\"input\": []}") == "d.ndjson:3: 'input' is empty");
  CHECK(third("{\"input\": [1], \"input\": [2]}") == "d.ndjson:3: 'input' is twice in one map");
  CHECK(third("{\"input\": [\"\xff\"]}") == "d.ndjson:3: this is not UTF-8");
  CHECK(third(std::string("{\0}", 3)) == "d.ndjson:3: a zero byte: this is not text");
  CHECK(third(std::string(300, '[')) ==
        "d.ndjson:3: not JSON: column 201: nested more than 200 levels deep");
  CHECK(mistake_in("\n \n", {}, "d.jsonl") == "d.jsonl: it has no records");
  CHECK(mistake_in("", {}, "d.jsonl") == "d.jsonl: it has no records");
}

}  // namespace
}  // namespace headway::testing
