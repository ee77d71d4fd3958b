// What a dataset holds, counted: for its statistics and its metrics. Counts what is there, and
// takes no generator's or importer's word for it.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/base/json.h"
#include "lib/data/seq2seq_data.h"
#include "lib/numerics/table.h"

namespace headway {

// For every sample of `split`, whether its input is also an input of `other`. The lengths must be
// equal.
std::vector<bool> inputs_also_in(const Seq2SeqSplit& other, const Seq2SeqSplit& split);

std::int64_t count_repeated(const Seq2SeqSplit& split);    // inputs that an earlier sample has too
std::int64_t count_wrong_sums(const Seq2SeqSplit& split);  // targets that are not the input's sum

// Per split: how many problems have each number of carries, each longest chain ("other": no
// addition of two numbers of as many digits), each first digit of the target; how many are also in
// the train (and for test: the val) split, are repeated, are wrong sums. Columns
// split,property,value,count,share.
Table addition_statistics(const Seq2SeqData& data);

// Sizes of the splits; overlap of val and test with train (overlap is their sum); repeated inputs;
// wrong sums; share of all problems by number of carries; digits, where all have as many.
Json dataset_metrics(const Seq2SeqData& data);

}  // namespace headway
