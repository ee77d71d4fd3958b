// Rotary positions: each pair of a head's dimensions is turned by an angle that grows with the
// position, so that a query and a key meet at an angle of their distance. Plain memory.
#pragma once

#include "lib/nn/kernels/attention_kernel.h"

namespace headway {

// to [B, T, H, D] = from, dimensions 2i and 2i + 1 of position t turned by the angle whose cosine
// and sine are turns [T, D] at 2i and 2i + 1; backwards: by its negative, which is the gradient.
void turn_rows(const AttentionShape& shape, HeadRows<const float> from, const float* turns,
               bool backwards, HeadRows<float> to);

}  // namespace headway
