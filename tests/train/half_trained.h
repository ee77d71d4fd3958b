// Tiny models after a short training.
#pragma once

#include "lib/nn/checkpoint.h"
#include "lib/train/batches.h"
#include "lib/train/transformer_task.h"
#include "tests/train/tiny_data.h"

namespace headway::testing {

// Options with which tiny models learn fast.
TrainingOptions quick_options(std::int64_t epochs);

// A tiny shape for such data.
TransformerConfig config_for(ModelKind kind, const Split& split);

// For all positions of the split.
Transformer model_for(const Checkpoint& checkpoint, const Split& split);

// Trained on a split for so few epochs that some of it is right and some wrong.
Checkpoint half_trained(const TransformerConfig& config, const Split& split, std::int64_t epochs);
// On all 1-digit additions; not an encoder. Trained once for all tests.
const Checkpoint& half_trained_adder(ModelKind kind = ModelKind::kEncoderDecoder);
// On the first of uneven_data(kind, …).
const Checkpoint& half_trained_on_uneven(ModelKind kind);

}  // namespace headway::testing
