#include "lib/extrapolation/length_tests.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"

namespace headway {
namespace {

Dataset little_data(const std::vector<std::int64_t>& lengths = {16, 8, 128}) {
  return generate_sorting(
      {.shortest = 4, .longest = 6, .range = 50},
      {.train = 20, .val = 5, .test = 6, .test_lengths = lengths, .test_size = 4});
}

void change_legend(Dataset& data, const auto& change) {
  auto legend = std::make_shared<Legend>(*data.legend);
  change(*legend);
  data.legend = legend;
  for (auto& [name, split] : data.splits) split.legend = legend;
}

std::string tests_refusal(const Dataset& data) {
  try {
    length_tests(data);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("tests by length are found by their names, shortest first", "[sorting]") {
  const Dataset data = little_data();
  std::vector<std::string> found;
  for (const LengthTest& test : length_tests(data)) {
    found.push_back(length_test_name(test.negatives, test.length));
    CHECK(test.split == &data.split(found.back()));
    CHECK(test.split->input_length == test.length);
  }
  CHECK(found == std::vector<std::string>{"test.swaps.8", "test.adjacent.8", "test.swaps.16",
                                          "test.adjacent.16", "test.swaps.128",
                                          "test.adjacent.128"});
}

TEST_CASE("splits with other names are no tests by length", "[sorting]") {
  Dataset data = little_data({8});
  for (const char* name : {"test.swaps", "test.swaps.", "test.swaps.08", "test.swaps.8x",
                           "test.mixed.8", "swaps.8", "test.swaps.99999999999999999999"})
    data.splits[name] = data.split("test.swaps.8");
  CHECK(length_tests(data).size() == 2);
}

TEST_CASE("data without tests by length is refused with where they come from", "[sorting]") {
  CHECK(tests_refusal(little_data({})) ==
        "no tests by length (splits test.swaps.32, test.adjacent.32 and the like); "
        "generate-sorting makes them for its 'test_lengths'");
}

TEST_CASE("a test by length with other lengths is refused with its split", "[sorting]") {
  Dataset data = little_data();
  std::swap(data.splits["test.swaps.8"], data.splits["test.swaps.16"]);
  CHECK(tests_refusal(data) == "split 'test.swaps.16' should have only sequences of 16 values");
  data = little_data();
  data.splits["test.adjacent.8"].inputs[15] = data.legend->vocabulary.pad();
  CHECK(tests_refusal(data) == "split 'test.adjacent.8' should have only sequences of 8 values");
  data = little_data();
  data.splits["test.swaps.0"] = data.split("test.swaps.8");
  CHECK(tests_refusal(data) == "split 'test.swaps.0' should have only sequences of 0 values");
}

TEST_CASE("data of another task is refused with what is different", "[sorting]") {
  Dataset data = little_data();
  change_legend(data, [](Legend& legend) { legend.classes = {"no", "yes"}; });
  CHECK(tests_refusal(data) ==
        "no data of the sorting task: its classes should be unsorted and sorted, but are no, yes");
  change_legend(data, [](Legend& legend) { legend.classes.clear(); });
  CHECK(tests_refusal(data) ==
        "no data of the sorting task: its classes should be unsorted and sorted, but there are "
        "none");
  data = little_data();
  change_legend(data, [](Legend& legend) { legend.vocabulary = Vocabulary({"0", "1", "b"}); });
  CHECK(tests_refusal(data) ==
        "no data of the sorting task: its words should be the numbers from 0, but word 2 is 'b'");
}

}  // namespace
}  // namespace headway
