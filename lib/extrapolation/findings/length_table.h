// Accuracy at a few lengths, a row for each model and kind of unsorted sequences.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

// `lengths`: tables of extrapolate, one for each model. A Markdown table with intervals: all
// trained lengths together, then 32, 64, 128 and 256 (where none of them is there: all lengths
// beyond), and how far each model reaches.
std::string tell_length_table(const Sources& sources);

}  // namespace headway
