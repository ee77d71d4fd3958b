// Which rows of tokens are equal: to find repeated, overlapping and contradictory samples.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "lib/data/vocabulary.h"

namespace headway {

struct EqualRows {
  std::vector<std::int64_t> number;  // of each row: equal rows have the same, from 0
  std::int64_t count = 0;            // of different rows; their numbers are in order of appearance
};

// Sorts hashes and compares equal ones in full, so it takes 24 bytes and a few comparisons for each
// row, whatever the rows are.
EqualRows number_rows(std::int64_t rows,
                      const std::function<std::span<const Token>(std::int64_t row)>& row);

}  // namespace headway
