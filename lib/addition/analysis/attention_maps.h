// Attention weights of single problems, for figures and explorers.
#pragma once

#include <string>

#include "lib/numerics/safetensors.h"
#include "lib/train/scoring.h"

namespace headway {

// In the format of lib/numerics/attention_maps.h. The predictions are greedy, the problems' texts
// like "374+814=1188".
TensorFile attention_maps(const Seq2Seq& model, const Seq2SeqSplit& rows);

// Adds a problem written as 374+814 to rows like those of `like`. Throws Error if it does not fit.
void append_written(const std::string& problem, const Seq2SeqSplit& like, Seq2SeqSplit& rows);

}  // namespace headway
