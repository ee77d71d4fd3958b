// Makes tensors for a classifier from labelled sequences, in orders that need little padding.
#pragma once

#include <span>

#include "lib/data/labelled_sequences.h"
#include "lib/nn/classifier.h"
#include "lib/numerics/random.h"

namespace headway {

// Rows are as long as the longest sample.
ClassifierBatch make_batch(const LabelledSequences& sequences,
                           std::span<const std::int64_t> samples);

// All samples in random order, with similar lengths within each batch.
std::vector<std::int64_t> bucketed_order(const LabelledSequences& sequences, std::int64_t batch,
                                         RandomStream random);

// All samples, shortest first.
std::vector<std::int64_t> order_by_length(const LabelledSequences& sequences);

}  // namespace headway
