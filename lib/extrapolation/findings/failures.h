// What models of sorted sequences are sure of and wrong about.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

// `failures`: lists of extrapolate, one for each model: the surest wrong answers of each length and
// kind, at most so many of each, so nothing is told that depends on how many there are. `lengths`,
// where given: the tables beside them, which tell what is the same training, tested otherwise. How
// sure the surest are, and examples.
std::string tell_failures(const Sources& sources);

}  // namespace headway
