#include "lib/extrapolation/length_tests.h"

#include <algorithm>
#include <charconv>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

std::optional<LengthTest> test_with_name(const std::string& name, const Split& split) {
  for (const Negatives negatives : {Negatives::kSwaps, Negatives::kAdjacent}) {
    const std::string prefix = "test." + name_of(negatives) + ".";
    if (!name.starts_with(prefix)) continue;
    std::int64_t length = 0;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), length);
    if (name == length_test_name(negatives, length)) return LengthTest{negatives, length, &split};
  }
  return std::nullopt;
}

// Values are compared as numbers, and wrong answers counted by class.
void check_sorting(const Legend& legend) {
  if (legend.classes != std::vector<std::string>{"unsorted", "sorted"})
    throw Error("no data of the sorting task: its classes should be unsorted and sorted{}",
                legend.classes.empty()
                    ? ", but there are none"
                    : ", but are " + fit(printable(join(legend.classes, ", ")), 80));
  const std::vector<std::string>& words = legend.vocabulary.words();
  for (std::size_t value = 0; value < words.size(); ++value) {
    if (words[value] != std::to_string(value))
      throw Error(
          "no data of the sorting task: its words should be the numbers from 0, but word {} is "
          "'{}'",
          value, fit(printable(words[value]), 40));
  }
}

void check_lengths(const LengthTest& test) {
  if (test.split->input_length != test.length || !test.split->has_equal_lengths())
    throw Error("split '{}' should have only sequences of {} values",
                length_test_name(test.negatives, test.length), test.length);
}

}  // namespace

std::string length_test_name(Negatives negatives, std::int64_t length) {
  return "test." + name_of(negatives) + "." + std::to_string(length);
}

std::vector<LengthTest> length_tests(const Dataset& dataset) {
  check_sorting(*dataset.legend);
  std::vector<LengthTest> tests;
  for (const auto& [name, split] : dataset.splits) {
    if (const auto test = test_with_name(name, split)) tests.push_back(*test);
  }
  if (tests.empty())
    throw Error(
        "no tests by length (splits test.swaps.32, test.adjacent.32 and the like); "
        "generate-sorting makes them for its 'test_lengths'");
  for (const LengthTest& test : tests) check_lengths(test);
  std::ranges::sort(tests, {},
                    [](const LengthTest& test) { return std::pair(test.length, test.negatives); });
  return tests;
}

}  // namespace headway
