// Attention weights of single problems, for figures and explorers.
#pragma once

#include <string>

#include "lib/numerics/safetensors.h"
#include "lib/train/scoring.h"

namespace headway {

// Arrays F32 [P, H, T, S] named by attention (encoder.0.self, decoder.1.cross, …); inputs I32 [P,
// S], decoder_inputs, targets and predictions (greedy) I32 [P, T]. Metadata: problems, a JSON list
// of "374+814=1188"; heads, a JSON map from attention to head numbers.
TensorFile attention_maps(const Seq2Seq& model, const Seq2SeqSplit& rows);

// Adds a problem written as 374+814 to rows like those of `like`. Throws Error if it does not fit.
void append_written(const std::string& problem, const Seq2SeqSplit& like, Seq2SeqSplit& rows);

}  // namespace headway
