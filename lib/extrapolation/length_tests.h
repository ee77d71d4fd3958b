// The tests by length of a sorting dataset: its splits `test.swaps.32`, `test.adjacent.32` and so
// on.
#pragma once

#include "lib/extrapolation/sorting.h"

namespace headway {

struct LengthTest {
  Negatives negatives = Negatives::kSwaps;  // not kMixed
  std::int64_t length = 0;                  // of every sequence
  const Split* split = nullptr;
};

std::string length_test_name(Negatives negatives, std::int64_t length);  // "test.swaps.32"

// By length, swaps before adjacent. They refer to the dataset. Throws Error if the dataset is not
// of the sorting task, has no such splits, or one has sequences of other lengths.
std::vector<LengthTest> length_tests(const Dataset& dataset);

}  // namespace headway
