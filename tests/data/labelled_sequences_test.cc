#include "lib/data/labelled_sequences.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "lib/base/error.h"

namespace headway {
namespace {

using Numbers = std::vector<std::int32_t>;

Array numbers_array(std::vector<std::int64_t> shape, const Numbers& numbers) {
  return Array::of(std::move(shape), std::span<const std::int32_t>(numbers));
}

// Three sequences of at most four values below 10.
TensorFile three_sequences() {
  TensorFile file;
  file.arrays["s.values"] = numbers_array({3, 4}, {0, 3, 3, 9, 5, 4, -1, -1, 7, -1, -1, -1});
  file.arrays["s.lengths"] = numbers_array({3}, {4, 2, 1});
  file.arrays["s.labels"] = numbers_array({3}, {1, 0, 1});
  return file;
}

std::string complaint(const TensorFile& file) {
  try {
    sequences_from(file, "s", 10);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string complaint_with(const std::string& array, const Array& contents) {
  TensorFile file = three_sequences();
  file.arrays[array] = contents;
  return complaint(file);
}

TEST_CASE("sequences are read back from their arrays without the padding", "[sequences]") {
  const LabelledSequences read = sequences_from(three_sequences(), "s", 10);
  CHECK(read.size() == 3);
  CHECK(read.width == 4);
  const auto numbers = [&](std::int64_t sample) {
    const auto sequence = read.sequence(sample);
    return Numbers(sequence.begin(), sequence.end());
  };
  CHECK(numbers(0) == Numbers{0, 3, 3, 9});
  CHECK(numbers(1) == Numbers{5, 4});
  CHECK(numbers(2) == Numbers{7});
  CHECK(read.labels == Numbers{1, 0, 1});
}

TEST_CASE("sequences survive a round trip through a file", "[sequences]") {
  LabelledSequences sequences;
  sequences.width = 4;
  append_sequence(Numbers{0, 3, 3, 9}, 1, sequences);
  append_sequence(Numbers{5, 4}, 0, sequences);
  append_sequence(Numbers{7}, 1, sequences);
  TensorFile file;
  add_to(file, "s", sequences);
  CHECK(file == three_sequences());
  CHECK(sequences_from(parse_safetensors(to_safetensors(file), "f"), "s", 10) == sequences);
}

TEST_CASE("a set of sequences describes its contents, regardless of padding", "[sequences]") {
  LabelledSequences sequences;
  sequences.width = 3;
  append_sequence(Numbers{1, 2}, 1, sequences);
  append_sequence(Numbers{1, 2, 0}, 0, sequences);
  append_sequence(Numbers{1, 2}, 1, sequences);
  const SequenceSet set = set_of(sequences);
  CHECK(set.size() == 2);
  CHECK(set.contains(sequence_bytes(Numbers{1, 2})));
  CHECK(set.contains(sequence_bytes(Numbers{1, 2, 0})));
  CHECK_FALSE(set.contains(sequence_bytes(Numbers{1})));
  CHECK_FALSE(set.contains(sequence_bytes(Numbers{2, 1})));
}

TEST_CASE("values out of range are refused with their location", "[sequences]") {
  CHECK(complaint(three_sequences()) == "accepted");
  const auto with = [](std::int32_t value) {
    return complaint_with("s.values",
                          numbers_array({3, 4}, {0, 3, 3, 9, 5, value, -1, -1, 7, -1, -1, -1}));
  };
  CHECK(with(9) == "accepted");
  CHECK(with(10) == "array 's.values': row 1: 10 at column 1, but values are 0..9");
  CHECK(with(-2) == "array 's.values': row 1: -2 at column 1, but values are 0..9");
  CHECK(with(-1) == "array 's.values': row 1: padding at column 1, but the sequence has 2 values");
}

TEST_CASE("anything but padding after the end is refused", "[sequences]") {
  CHECK(
      complaint_with("s.values", numbers_array({3, 4}, {0, 3, 3, 9, 5, 4, -1, -1, 7, -1, -1, 6})) ==
      "array 's.values': row 2: 6 at column 3, after the end of the sequence");
}

TEST_CASE("impossible lengths are refused", "[sequences]") {
  CHECK(complaint_with("s.lengths", numbers_array({3}, {4, 0, 1})) ==
        "array 's.lengths': row 1: 0, but lengths are 1..4");
  CHECK(complaint_with("s.lengths", numbers_array({3}, {5, 2, 1})) ==
        "array 's.lengths': row 0: 5, but lengths are 1..4");
}

TEST_CASE("labels are 0 or 1", "[sequences]") {
  CHECK(complaint_with("s.labels", numbers_array({3}, {1, 0, 2})) ==
        "array 's.labels': row 2: 2, but labels are 0..1");
  CHECK(complaint_with("s.labels", numbers_array({3}, {-1, 0, 1})) ==
        "array 's.labels': row 0: -1, but labels are 0..1");
}

TEST_CASE("arrays that do not match each other are refused", "[sequences]") {
  CHECK(complaint_with("s.labels", numbers_array({2}, {1, 0})) ==
        "'s.values' has 3 rows, but 's.labels' has 2");
  CHECK(complaint_with("s.lengths", numbers_array({4}, {1, 1, 1, 1})) ==
        "'s.values' has 3 rows, but 's.lengths' has 4");
  CHECK(complaint_with("s.lengths", numbers_array({3, 1}, {4, 2, 1})) ==
        "array 's.lengths': I32 [*] was expected, but it is I32 [3, 1]");
  CHECK(complaint_with("s.values", numbers_array({4}, {0, 3, 3, 9})) ==
        "array 's.values': I32 [*, *] was expected, but it is I32 [4]");
  const std::vector<float> floats = {1, 0, 1};
  CHECK(complaint_with("s.labels", Array::of({3}, std::span<const float>(floats))) ==
        "array 's.labels': I32 [*] was expected, but it is F32 [3]");
  TensorFile file = three_sequences();
  file.arrays.erase("s.lengths");
  CHECK(complaint(file) == "no array 's.lengths'; there are s.labels, s.values");
}

TEST_CASE("an empty set of sequences is refused", "[sequences]") {
  CHECK(complaint_with("s.values", numbers_array({0, 4}, {})) ==
        "array 's.values': [0, 4] holds no sequences");
  CHECK(complaint_with("s.values", numbers_array({3, 0}, {})) ==
        "array 's.values': [3, 0] holds no sequences");
}

}  // namespace
}  // namespace headway
