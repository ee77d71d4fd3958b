// The transformer again, with whole-tensor operations in double precision, as a reference for the
// fused one.
#pragma once

#include "lib/nn/transformer.h"

namespace headway::testing {

// Of the parameters' values, in double precision, with gradients.
ParameterMap double_leaves(const Parameters& parameters);

// T5's rule by powers of whole numbers instead of logarithms: nearer than `exact` a bucket each;
// from there on the j-th of m shared ones begins at exact * (farthest / exact)^(j/m). Causal: all
// buckets are for distances up to 0.
std::int64_t t5_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t farthest,
                       bool causal = false);

// Nothing may be removed from the model, and learned positions must be clamped. As those of
// `Transformer::forward`: the stream's masks are drawn in the same order.
at::Tensor plain_logits(const TransformerConfig& config, const ParameterMap& parameters,
                        const Batch& batch, DropoutStream dropout = {});

}  // namespace headway::testing
