// Rotary positions as a differentiable function.
#pragma once

#include "lib/nn/functions.h"

namespace headway {

// Queries and keys of qkv [B * T, 3 * H * D] turned by their positions' angles, whose cosines and
// sines are turns [>= T, D] (without gradient); values as they are.
at::Tensor turn(const at::Tensor& qkv, const at::Tensor& turns, const AttentionSizes& sizes);

}  // namespace headway
