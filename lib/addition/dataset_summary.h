// Statistics and metrics of a dataset, counted from its contents.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/base/json.h"
#include "lib/data/seq2seq_data.h"
#include "lib/numerics/table.h"

namespace headway {

// For every sample of `split`, whether its input is also in `other`. The lengths must be equal.
std::vector<bool> inputs_also_in(const Seq2SeqSplit& other, const Seq2SeqSplit& split);

std::int64_t count_repeated(const Seq2SeqSplit& split);    // inputs that occur earlier in the split
std::int64_t count_wrong_sums(const Seq2SeqSplit& split);  // targets that are wrong

// For each split: problems by number of carries and by longest chain ("other": not an addition of
// two numbers with equally many digits), and by first digit of the target; how many are also in
// train (for test: and in val), repeated, or wrong. Columns split,property,value,count,share.
Table addition_statistics(const Seq2SeqData& data);

// Sizes of the splits; overlap of val and test with train, and their sum; repeated inputs; wrong
// sums; shares by number of carries; digits, if all have equally many.
Json dataset_metrics(const Seq2SeqData& data);

}  // namespace headway
