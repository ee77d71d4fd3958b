// How right models are at lengths they were trained on and beyond them, for each kind of unsorted
// sequences. Knows nothing of how they were trained.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

// `lengths`: tables of extrapolate, one for each model. In range against beyond, and up to which
// length each stays; with the easy and the hard kind, and what of the first outlasts the second.
std::string tell_extrapolation(const Sources& sources);

// `cures`: tables of models, one by one: what each reaches. `baseline`, where given: the models
// they are compared with.
std::string tell_cures(const Sources& sources);

}  // namespace headway
