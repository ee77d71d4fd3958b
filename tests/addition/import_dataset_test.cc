#include "lib/addition/import_dataset.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "lib/base/json.h"

namespace headway {
namespace {

using Tokens = std::vector<Token>;

// Not Json{one}: that would be a copy of it.
Json list(std::initializer_list<Json> records) {
  return Json::array_t(records);
}

Json record(const Tokens& input, const Tokens& target) {
  return {{"input", input}, {"target", target}};
}

const Json kTrain = list(
    {record({3, 7, 4, 10, 8, 1, 4}, {1, 1, 8, 8}), record({1, 0, 0, 10, 1, 0, 0}, {0, 2, 0, 0})});
const Json kVal = list({record({5, 0, 0, 10, 1, 2, 3}, {0, 6, 2, 3})});
const Json kTest = list({record({9, 9, 9, 10, 9, 9, 9}, {1, 9, 9, 8})});

ImportedDataset import(const Json& train, const Json& val, const Json& test,
                       Overlap overlap = Overlap::kRefuse) {
  return import_dataset({"train.json", train.dump()}, {"val.json", val.dump()},
                        {"test.json", test.dump()}, overlap);
}

std::string mistake(const std::string& train, const std::string& val = kVal.dump(),
                    const std::string& test = kTest.dump(), Overlap overlap = Overlap::kRefuse) {
  try {
    import_dataset({"train.json", train}, {"val.json", val}, {"test.json", test}, overlap);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string mistake_in_record(const std::string& text) {
  return mistake("[" + kTrain[0].dump() + "," + text + "]");
}

TEST_CASE("records become rows, unchanged if their lengths are equal", "[import]") {
  const Seq2SeqData data = import(kTrain, kVal, kTest).data;
  CHECK(data.train.size() == 2);
  CHECK(data.train.inputs == Tokens{3, 7, 4, 10, 8, 1, 4, 1, 0, 0, 10, 1, 0, 0});
  CHECK(data.train.targets == Tokens{1, 1, 8, 8, 0, 2, 0, 0});
  CHECK(sequence_text(data.val.input(0)) == "500+123");
  CHECK(sequence_text(data.test.target(0)) == "1998");
  CHECK(seq2seq_data_from(to_tensor_file(data), "d").train.inputs == data.train.inputs);
}

TEST_CASE("inputs of different lengths are padded to the longest of all splits", "[import]") {
  const Seq2SeqData data = import(list({record({1, 10, 2}, {3})}),
                                  list({record({1, 1, 10, 2}, {4})}), list({record({7}, {7})}))
                               .data;
  CHECK(data.train.inputs == Tokens{1, 10, 2, kPad});
  CHECK(data.val.inputs == Tokens{1, 1, 10, 2});
  CHECK(data.test.inputs == Tokens{7, kPad, kPad, kPad});
  CHECK(data.train.targets == Tokens{3});  // all equal: no end
}

TEST_CASE("if targets differ in length anywhere, all end with a token", "[import]") {
  const Seq2SeqData data = import(list({record({1}, {3}), record({2}, {4})}),
                                  list({record({3}, {1, 2})}), list({record({4}, {5})}))
                               .data;
  CHECK(data.train.target_length == 3);
  CHECK(data.train.targets == Tokens{3, kEos, kPad, 4, kEos, kPad});
  CHECK(data.val.targets == Tokens{1, 2, kEos});
  CHECK(data.test.targets == Tokens{5, kEos, kPad});
  CHECK(seq2seq_data_from(to_tensor_file(data), "d").val.targets == data.val.targets);
}

TEST_CASE("unneeded fields are ignored", "[import]") {
  CHECK(mistake(R"([{"id": 1, "input": [1, 10, 1], "target": [0, 2], "text": "1+1"}])") ==
        "accepted");
}

TEST_CASE("a file that is not a list of records is refused", "[import]") {
  CHECK(mistake("") == "train.json: not JSON: it is empty");
  CHECK(mistake(" \n ") == "train.json: not JSON: it is empty");
  CHECK(mistake("[]") == "train.json: it has no records");
  CHECK(mistake("{\"train\": []}") ==
        "train.json: should be a list of records, but is {\"train\":[]}");
  CHECK(mistake("3") == "train.json: should be a list of records, but is 3");
}

TEST_CASE("a file that is not JSON is refused with its line", "[import]") {
  CHECK(mistake("[\n{\"input\": [1],\n \"target\": [1}\n]") ==
        "train.json: not JSON: line 3, column 14: unexpected '}'");
  CHECK(mistake("[{\"input\": [1, 2") ==
        "train.json: not JSON: line 1, column 17: it ends too early");
  CHECK(mistake("input,target\n") == "train.json: not JSON: line 1, column 1: unexpected 'input'");
  CHECK(mistake(kTrain.dump() + "\n" + std::string("\0x", 2)) ==
        "train.json: not JSON: line 2, column 1: a zero byte: this is not text");
  CHECK(mistake("[1] [2]") == "train.json: not JSON: line 1, column 5: unexpected '['");
  CHECK(mistake("[\"\xff\"]") == "train.json: not JSON: line 1, column 3: unexpected '\uFFFD'");
  CHECK(mistake(std::string(1'000'000, '[') + std::string(1'000'000, ']')) ==
        "train.json: not JSON: line 1, column 201: nested more than 200 levels deep");
  CHECK(mistake("[1e999]") ==
        "train.json: not JSON: line 1, column 2: the number 1e999 is too large");
}

TEST_CASE("an invalid record is refused with its number", "[import]") {
  CHECK(mistake_in_record("[1, 2]") ==
        "train.json: record 1: should be a map with 'input' and 'target', but is [1,2]");
  CHECK(mistake_in_record("null") ==
        "train.json: record 1: should be a map with 'input' and 'target', but is null");
  CHECK(mistake_in_record("{}") == "train.json: record 1: 'input' is missing");
  CHECK(mistake_in_record(R"({"input": [1]})") == "train.json: record 1: 'target' is missing");
  CHECK(mistake_in_record(R"({"input": "374+814", "target": [1]})") ==
        "train.json: record 1: 'input' should be a list of tokens, but is \"374+814\"");
  CHECK(mistake_in_record(R"({"input": [], "target": [1]})") ==
        "train.json: record 1: 'input' is empty");
  CHECK(mistake_in_record(R"({"input": [1], "target": []})") ==
        "train.json: record 1: 'target' is empty");
}

TEST_CASE("an invalid token is refused with the record and the field", "[import]") {
  const auto target = [](const std::string& item) {
    return mistake_in_record(R"({"input": [1], "target": [1, )" + item + "]}");
  };
  const auto expected = [](const std::string& shown) {
    return "train.json: record 1: 'target': " + shown + " is not a token (0..9, or 10 for +)";
  };
  CHECK(target("10") == "accepted");
  CHECK(target("12") == expected("12"));
  CHECK(target("11") == expected("11"));
  CHECK(target("-1") == expected("-1"));
  CHECK(target("3.0") == expected("3.0"));
  CHECK(target("[3]") == expected("[3]"));
  CHECK(target("\"3\"") == expected("\"3\""));
  CHECK(target("true") == expected("true"));
  CHECK(target("null") == expected("null"));
  CHECK(target("4294967297") == expected("4294967297"));  // 1, cut to 32 bits
}

TEST_CASE("mistakes in val and test name their files", "[import]") {
  CHECK(mistake(kTrain.dump(), "[]") == "val.json: it has no records");
  CHECK(mistake(kTrain.dump(), kVal.dump(), "[{}]") == "test.json: record 0: 'input' is missing");
}

TEST_CASE("a sequence longer than any problem is refused, not used as the padded length",
          "[import]") {
  const auto sized = [](std::size_t length) {
    return mistake(list({record(Tokens(length, 1), {1})}).dump(), list({record({1}, {1})}).dump(),
                   list({record({2}, {1})}).dump());
  };
  CHECK(sized(1024) == "accepted");
  CHECK(sized(1025) == "train.json: record 0: 'input' has 1025 tokens; at most 1024 can be");
}

TEST_CASE("problems that are also in train are refused, with their number and the first",
          "[import]") {
  const Json test = list({kTest[0], kTrain[1], kTrain[0]});
  CHECK(
      mistake(kTrain.dump(), kVal.dump(), test.dump()) ==
      "test.json: 2 of its 3 problems are also in train.json; the first is record 1, 100+100. Set "
      "'overlap: drop' to leave them out of train, or 'overlap: report' to keep and count them");
  CHECK(mistake(kTrain.dump(), kTrain.dump())
            .starts_with("val.json: 2 of its 2 problems are also in train.json; the first is "
                         "record 0, 374+814."));
}

TEST_CASE("overlapping problems that are only reported stay", "[import]") {
  const ImportedDataset imported = import(kTrain, kVal, list({kTrain[1]}), Overlap::kReport);
  CHECK(imported.data.train.size() == 2);
  CHECK(imported.data.test.size() == 1);
  CHECK(imported.dropped == 0);
}

TEST_CASE("overlapping problems that are dropped are removed from train", "[import]") {
  const ImportedDataset imported =
      import(kTrain, kVal, list({kTest[0], kTrain[0]}), Overlap::kDrop);
  CHECK(imported.dropped == 1);
  CHECK(imported.data.train.size() == 1);
  CHECK(sequence_text(imported.data.train.input(0)) == "100+100");
  CHECK(sequence_text(imported.data.train.target(0)) == "0200");
  CHECK(imported.data.test.size() == 2);
}

TEST_CASE("dropping does not leave an empty train split", "[import]") {
  CHECK(mistake(kTrain.dump(), kTrain.dump(), kTest.dump(), Overlap::kDrop) ==
        "train.json: every problem is also in val.json or test.json, so that none is left to train "
        "on");
}

TEST_CASE("duplicate records within a split are kept", "[import]") {
  CHECK(import(list({kTrain[0], kTrain[0]}), kVal, kTest).data.train.size() == 2);
}

}  // namespace
}  // namespace headway
