// Models and data so small that a test of a whole training takes less than a second.
#pragma once

#include "lib/addition/addition.h"
#include "lib/nn/checkpoint.h"
#include "lib/train/training.h"

namespace headway::testing {

// d_model 8, 2 heads, d_ff 12, no dropout.
Seq2SeqConfig tiny_config(std::int64_t layers = 1);
// Every parameter drawn, biases and gains too: what starts at 0 or 1 would hide mistakes.
Checkpoint random_checkpoint(const Seq2SeqConfig& config, std::uint64_t seed = 1);

Seq2SeqSplit additions(int digits, std::int64_t count, std::uint64_t seed = 1);
Seq2SeqSplit additions(int digits, const std::vector<AdditionProblem>& problems);
// Numbers of one or two digits: padded inputs, and targets of different lengths with an end token.
Seq2SeqSplit uneven_additions(std::int64_t count, std::uint64_t seed = 1);

// Options with which tiny models learn fast.
TrainingOptions quick_options(std::int64_t epochs);
// Trained on a split for so few epochs that some of it is right and some wrong.
Checkpoint half_trained(const Seq2SeqSplit& split, std::int64_t epochs);
const Checkpoint& half_trained_adder();  // on 1-digit additions, once for all tests

std::vector<std::string> names_of(const Seq2SeqConfig& config, const std::vector<HeadId>& heads);
std::string bytes_of(const Parameters& parameters);

}  // namespace headway::testing
