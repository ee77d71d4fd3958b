// Statistics and metrics of sorting data, counted from its contents; only the range is taken from
// the recipe.
#pragma once

#include <cstdint>

#include "lib/base/json.h"
#include "lib/extrapolation/sorting.h"
#include "lib/numerics/table.h"

namespace headway {

// For each split (train, val, test, and test.swaps.32 for each test by length): sequences by label,
// number of descents (places where a value exceeds the next; 0, 1, 2 or 3+) and length; how many
// are also in train (for test: and in val), repeated, or wrongly labelled. Pairs of neighbours:
// equal, one apart, farther apart. Columns split,property,value,count,share.
Table sorting_statistics(const SortingData& data);

// Sizes of the splits and of all tests by length; overlap of val and test with train, and their
// sum; repeated sequences and wrong labels; range; shortest and longest sequence and balance (share
// of sorted ones) of the three splits together.
Json sorting_metrics(const SortingData& data);

}  // namespace headway
