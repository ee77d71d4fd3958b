// Rotary positions: rotates each pair of a head's dimensions by an angle proportional to the
// position, so that scores depend on the distance.
#pragma once

#include "lib/nn/kernels/attention_kernel.h"

namespace headway {

// to [B, T, H, D] = from, with dimensions 2i and 2i + 1 of position t rotated by the angle whose
// cosine and sine are turns [T, D] at 2i and 2i + 1; backwards (the gradient): by its negative.
void turn_rows(const AttentionShape& shape, HeadRows<const float> from, const float* turns,
               bool backwards, HeadRows<float> to);

}  // namespace headway
