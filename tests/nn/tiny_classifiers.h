// Classifiers and labelled sequences so small that a test of a whole training takes seconds.
#pragma once

#include "lib/extrapolation/sorting.h"
#include "lib/nn/checkpoint.h"

namespace headway::testing {

// d_model 8, 2 heads, d_ff 12, 10 values, trained on lengths up to 6, no dropout; 8 buckets, of
// which the last begins at a distance of 6.
ClassifierConfig tiny_classifier(Encoding encoding = Encoding::kSinusoidal,
                                 Pooling pooling = Pooling::kMean, std::int64_t layers = 1);
// Every parameter drawn, biases and gains too: what starts at 0 or 1 would hide mistakes.
ClassifierCheckpoint random_classifier(const ClassifierConfig& config, std::uint64_t seed = 1);

inline constexpr Encoding kEveryEncoding[] = {Encoding::kSinusoidal, Encoding::kLearned,
                                              Encoding::kNone,       Encoding::kRope,
                                              Encoding::kAlibi,      Encoding::kRelative};
inline constexpr Pooling kEveryPooling[] = {Pooling::kMean, Pooling::kMax, Pooling::kMin,
                                            Pooling::kLast, Pooling::kMulti};

// Labelled 1 if they are sorted.
LabelledSequences labelled(const std::vector<std::vector<std::int32_t>>& sequences);
// Random values below 10, of lengths from .. to; about half of them sorted.
LabelledSequences random_sequences(std::int64_t count, std::int64_t from, std::int64_t to,
                                   std::uint64_t seed = 1);

}  // namespace headway::testing
