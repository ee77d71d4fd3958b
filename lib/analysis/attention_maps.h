// The attention of every head for single samples, as a file (lib/numerics/attention_maps.h).
#pragma once

#include "lib/numerics/safetensors.h"
#include "lib/train/scoring.h"

namespace headway {

// Of all samples of the split, which should be few.
TensorFile attention_maps(const Transformer& model, const Split& split);

}  // namespace headway
