// Makes more additions like those of a dataset, for analyses that know no task.
#pragma once

#include "lib/data/sample_source.h"

namespace headway {

inline constexpr const char* kAdditionGenerator = "addition";  // the source's name
inline constexpr int kMostCountedDigits = 4;                   // 81,000,000 problems; 5: too many

// The source of a dataset of generate_addition. All problems are numbered as problem_at does.
// Throws Error if the dataset's generator does not say how many digits the numbers have, or a
// split's first sample is not as the generator makes it.
SampleSource addition_source(const Dataset& dataset);

}  // namespace headway
