// From labelled sequences to the tensors a classifier is fed, and orders that leave little to pad.
#pragma once

#include <span>

#include "lib/data/labelled_sequences.h"
#include "lib/nn/classifier.h"
#include "lib/numerics/random.h"

namespace headway {

// Rows as long as the longest of the samples.
ClassifierBatch make_batch(const LabelledSequences& sequences,
                           std::span<const std::int64_t> samples);

// All samples in a random order in which those of a batch are of about the same length.
std::vector<std::int64_t> bucketed_order(const LabelledSequences& sequences, std::int64_t batch,
                                         RandomStream random);

// All samples, shorter ones first.
std::vector<std::int64_t> order_by_length(const LabelledSequences& sequences);

}  // namespace headway
