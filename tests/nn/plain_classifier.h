// The classifier again, with whole-tensor operations in double precision, as a reference for the
// fused one.
#pragma once

#include "lib/nn/classifier.h"

namespace headway::testing {

// T5's rule for both ways, by powers of whole numbers instead of logarithms: nearer than `exact` a
// bucket each; from there on the j-th of m shared ones begins at exact * (farthest / exact)^(j/m).
std::int64_t t5_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t farthest);

// Learned positions must be clamped. [B, classes].
at::Tensor plain_logits(const ClassifierConfig& config, const ParameterMap& parameters,
                        const ClassifierBatch& batch);

}  // namespace headway::testing
