// Rotary positions as a differentiable function.
#pragma once

#include "lib/nn/functions.h"

namespace headway {

// Rotates queries and keys of qkv [B * T, 3 * H * D] by the angles of their positions, whose
// cosines and sines are turns [>= T, D] (no gradient). Values stay.
at::Tensor turn(const at::Tensor& qkv, const at::Tensor& turns, const AttentionSizes& sizes);

}  // namespace headway
