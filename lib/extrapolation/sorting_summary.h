// What the data of the sorting task holds, counted: for its statistics and its metrics. Takes the
// generator's word for nothing but the range.
#pragma once

#include <cstdint>

#include "lib/base/json.h"
#include "lib/extrapolation/sorting.h"
#include "lib/numerics/table.h"

namespace headway {

// Per split (train, val, test, and test.swaps.32 for each test by length): how many sequences have
// each label, each number of descents (places where a value is larger than the next one; 0, 1, 2 or
// 3+), each length; how many are also in train (those of test: in val), are repeated, have a label
// that is not true. Of the pairs of neighbours: how many are equal, one apart, farther apart.
// Columns split,property,value,count,share.
Table sorting_statistics(const SortingData& data);

// Sizes of the splits, and of all tests by length; overlap of val and test with train (overlap is
// their sum); repeated sequences and wrong labels; range; shortest and longest sequence, and
// balance (share of sorted sequences), of the three splits together.
Json sorting_metrics(const SortingData& data);

}  // namespace headway
