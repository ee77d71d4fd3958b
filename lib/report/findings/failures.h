// What models of sorted sequences are sure of and wrong about.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

// `failures`: lists of extrapolate, one for each model: the surest wrong answers of each length and
// kind, so what is told is of those listed. `lengths`, where given: the tables beside them, which
// tell what was trained. How sure, which way, where the violation was; and examples.
std::string tell_failures(const Sources& sources);

}  // namespace headway
