#include "lib/data/seq2seq_data.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <utility>

#include "lib/addition/addition.h"
#include "lib/base/error.h"

namespace headway {
namespace {

using Catch::Matchers::Message;
using Tokens = std::vector<Token>;

Array matrix(std::int64_t rows, std::int64_t columns, const Tokens& tokens) {
  return Array::of({rows, columns}, std::span<const Token>(tokens));
}

// One problem in each split; `train` has a second, shorter one.
TensorFile small_file() {
  TensorFile file;
  file.arrays["train.input"] = matrix(2, 5, {1, 2, kPlus, 3, 4, 5, kPlus, 6, kPad, kPad});
  file.arrays["train.target"] = matrix(2, 3, {4, 6, kEos, 9, kEos, kPad});
  for (const std::string name : {"val", "test"}) {
    file.arrays[name + ".input"] = matrix(1, 5, {1, 1, kPlus, 2, 2});
    file.arrays[name + ".target"] = matrix(1, 3, {3, 3, kEos});
  }
  return file;
}

std::string mistake(const TensorFile& file) {
  try {
    seq2seq_data_from(file, "d", &addition_vocabulary());
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string mistake_with(const std::string& array, const Array& contents) {
  TensorFile file = small_file();
  file.arrays[array] = contents;
  return mistake(file);
}

TEST_CASE("a dataset survives a round trip through its arrays", "[data]") {
  const Seq2SeqData data = seq2seq_data_from(small_file(), "d", &addition_vocabulary());
  CHECK(data.train.size() == 2);
  CHECK(data.test.size() == 1);
  CHECK(sequence_text(data.train.input(1)) == "5+6");
  CHECK(sequence_text(data.train.target(0)) == "46");
  const TensorFile file = to_tensor_file(data);
  CHECK(file.arrays == small_file().arrays);
  CHECK(file.metadata.at("vocabulary") == "0 1 2 3 4 5 6 7 8 9 + pad bos end");
  CHECK(to_tensor_file(seq2seq_data_from(file, "d")) == file);
}

TEST_CASE("splits are found by name", "[data]") {
  Seq2SeqData data = seq2seq_data_from(small_file(), "d", &addition_vocabulary());
  CHECK(&data.split("train") == &data.train);
  CHECK(&data.split("val") == &data.val);
  CHECK(&std::as_const(data).split("test") == &data.test);
  CHECK_THROWS_MATCHES(data.split("valid"), Error,
                       Message("no split 'valid'; there are train, val, test"));
}

TEST_CASE("a dataset that lacks an array, or has an extra one, is refused", "[data]") {
  TensorFile file = small_file();
  file.arrays.erase("val.target");
  CHECK(mistake(file) ==
        "d: no array 'val.target'; there are test.input, test.target, train.input, train.target, "
        "val.input");
  CHECK(mistake_with("val.target",
                     Array::of({1, 3}, std::span<const float>(std::vector<float>(3)))) ==
        "d: array 'val.target': I32 [*, *] was expected, but it is F32 [1, 3]");
  CHECK(mistake_with("val.target", Array::of({3}, std::span<const Token>(Tokens{1, 2, kEos}))) ==
        "d: array 'val.target': I32 [*, *] was expected, but it is I32 [3]");
}

TEST_CASE("empty splits are refused", "[data]") {
  CHECK(mistake_with("val.input", matrix(0, 5, {})) ==
        "d: array 'val.input': [0, 5] holds no samples");
  CHECK(mistake_with("val.input", matrix(1, 0, {})) ==
        "d: array 'val.input': [1, 0] holds no samples");
}

TEST_CASE("splits that do not match each other are refused", "[data]") {
  CHECK(mistake_with("val.input", matrix(2, 5, {1, 1, kPlus, 2, 2, 1, 1, kPlus, 2, 2})) ==
        "d: 'val.input' has 2 rows, but 'val.target' has 1");
  CHECK(mistake_with("test.input", matrix(1, 3, {1, kPlus, 2})) ==
        "d: 'test' has inputs of 3 and targets of 3 tokens, but 'train' of 5 and 3");
}

TEST_CASE("rows that are not sequences are refused, the first one by number", "[data]") {
  const auto train_input = [](Tokens second) {
    Tokens tokens = {1, 2, kPlus, 3, 4};
    tokens.insert(tokens.end(), second.begin(), second.end());
    return mistake_with("train.input", matrix(2, 5, tokens));
  };
  CHECK(train_input({5, kPlus, 6, kPad, kPad}) == "accepted");
  CHECK(train_input({5, kPlus, 99, kPad, kPad}) ==
        "d: array 'train.input': row 1: 99 (?99) cannot stand in an input");
  CHECK(train_input({-1, kPlus, 6, kPad, kPad}) ==
        "d: array 'train.input': row 1: -1 (?-1) cannot stand in an input");
  CHECK(train_input({kBos, 5, kPlus, 6, kPad}) ==
        "d: array 'train.input': row 1: 12 (bos) cannot stand in an input");
  CHECK(train_input({5, kPlus, 6, kEos, kPad}) ==
        "d: array 'train.input': row 1: 13 (end) cannot stand in an input");
  CHECK(train_input({5, kPlus, kPad, 6, kPad}) ==
        "d: array 'train.input': row 1: 6 (6) at column 3, after the end of the sequence");
  CHECK(train_input({kPad, kPad, kPad, kPad, kPad}) ==
        "d: array 'train.input': row 1: it is empty");
}

TEST_CASE("targets may end before their row does, but only once", "[data]") {
  const auto val_target = [](const Tokens& tokens) {
    return mistake_with("val.target", matrix(1, 3, tokens));
  };
  CHECK(val_target({1, kEos, kPad}) == "accepted");
  CHECK(val_target({1, 2, 3}) == "accepted");
  CHECK(val_target({1, kPad, kPad}) == "accepted");
  CHECK(val_target({1, kEos, kEos}) ==
        "d: array 'val.target': row 0: 13 (end) at column 2, after the end of the sequence");
  CHECK(val_target({1, kPad, kEos}) ==
        "d: array 'val.target': row 0: 13 (end) at column 2, after the end of the sequence");
  CHECK(val_target({1, kEos, 2}) ==
        "d: array 'val.target': row 0: 2 (2) at column 2, after the end of the sequence");
  CHECK(val_target({kEos, kPad, kPad}) == "d: array 'val.target': row 0: it is empty");
  CHECK(val_target({kBos, 1, kEos}) ==
        "d: array 'val.target': row 0: 12 (bos) cannot stand in a target");
}

TEST_CASE("a dataset with other tokens is refused", "[data]") {
  TensorFile file = small_file();
  file.metadata["vocabulary"] = "pad 0 1 2";
  CHECK(mistake(file) ==
        "d: its tokens are 'pad 0 1 2', but should be '0 1 2 3 4 5 6 7 8 9 + pad bos end'");
}

TEST_CASE("without expected tokens, a dataset brings its own", "[data]") {
  TensorFile file = small_file();
  CHECK_THROWS_MATCHES(
      seq2seq_data_from(file, "d"), Error,
      Message("d: it has no metadata 'vocabulary': the words of its tokens, then pad bos end"));
  file.metadata["vocabulary"] = "pad 0 1 2";
  CHECK_THROWS_MATCHES(seq2seq_data_from(file, "d"), Error,
                       Message("d: its tokens are 'pad 0 1 2', but should end with 'pad bos end'"));
  for (const std::string name : {"train", "val", "test"}) {
    file.arrays[name + ".input"] = matrix(1, 3, {0, 1, 2});
    file.arrays[name + ".target"] = matrix(1, 2, {1, 4});
  }
  file.metadata["vocabulary"] = "a b pad bos end";
  const Seq2SeqData data = seq2seq_data_from(file, "d");
  CHECK(data.val.vocabulary.size() == 5);
  CHECK(data.val.vocabulary.text(1) == "b");
  CHECK(to_tensor_file(data) == file);
  file.arrays["val.input"] = matrix(1, 3, {0, 3, 2});
  CHECK_THROWS_MATCHES(seq2seq_data_from(file, "d"), Error,
                       Message("d: array 'val.input': row 0: 3 (bos) cannot stand in an input"));
}

}  // namespace
}  // namespace headway
