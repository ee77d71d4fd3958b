// The model again, with whole-tensor operations in double precision, as a reference for the fused
// one.
#pragma once

#include "lib/nn/seq2seq.h"

namespace headway::testing {

// Of the parameters' values, in double precision, with gradients.
ParameterMap double_leaves(const Parameters& parameters);

// Every head of every site must still be there. [B * T, V].
at::Tensor plain_logits(const Seq2SeqConfig& config, const ParameterMap& parameters,
                        const Seq2SeqBatch& batch);

}  // namespace headway::testing
