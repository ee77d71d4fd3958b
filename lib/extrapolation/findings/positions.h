// What encodings say of positions, measured: which properties hold, for which encoding, within the
// trained positions and beyond; and whether models whose positions are so extrapolate.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

// `tables`: of analyze-positions, one for each encoding; `arrays`, where given: the vectors.
std::string tell_position_properties(const Sources& sources);

// `tables`, `arrays`: the same; `lengths`: tables of extrapolate; `models`: their metrics, which
// tell encodings. Whether positions that are regular beyond the trained ones are enough, or needed.
std::string tell_regularity(const Sources& sources);

}  // namespace headway
