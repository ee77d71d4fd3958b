// Greedy decoding: feeds a model its own most likely tokens. The encoder runs once; the decoder
// computes each position once and caches keys and values.
#pragma once

#include "lib/nn/transformer.h"

namespace headway {

// What decoding starts from. All samples have prompts of the same length.
struct Prompt {
  Batch batch;  // the inputs, for an encoder; `fed` is what the decoder reads first, int32 [B, P]
  at::Tensor positions;  // int32 [B, >= P + steps - 1]: of all that is fed; undefined: counted
};

// int32 [B, steps].
at::Tensor greedy_decode(const Transformer& model, const Prompt& prompt, std::int64_t steps,
                         const Hooks& hooks = {});

}  // namespace headway
