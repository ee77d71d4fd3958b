// Greedy decoding: feeds the model its own most likely tokens. The encoder runs once; each step
// computes one position and caches keys and values.
#pragma once

#include "lib/nn/seq2seq.h"

namespace headway {

// inputs int32 [B, S], lengths int32 [B] or undefined -> int32 [B, steps].
at::Tensor greedy_decode(const Seq2Seq& model, const at::Tensor& inputs, const at::Tensor& lengths,
                         std::int32_t first_token, std::int64_t steps, const HeadHooks& hooks = {});

// The most likely class of each row of logits [N, V], the first if equal: int32 [N].
at::Tensor most_likely(const at::Tensor& logits);

}  // namespace headway
