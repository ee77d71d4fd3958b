// Makes tensors for a model from the rows of a dataset.
#pragma once

#include <span>

#include "lib/data/seq2seq_data.h"
#include "lib/nn/seq2seq.h"

namespace headway {

Seq2SeqBatch make_batch(const Seq2SeqSplit& split, std::span<const std::int64_t> samples);
// Rows first .. first + count - 1.
Seq2SeqBatch make_batch(const Seq2SeqSplit& split, std::int64_t first, std::int64_t count);

// The number of targets in these rows that are not padding.
std::int64_t target_count(const Seq2SeqSplit& split, std::span<const std::int64_t> samples);

}  // namespace headway
