// What trainings came to, and which of them did not learn: what is at chance in validation cannot
// be asked to extrapolate.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

// `logs`: of train-classifier, one for each training. `timings`, where given: their seconds.
// `data`, where given: metrics of the datasets, whose `val` tells how many sequences an accuracy
// is of; with several, the fewest count.
std::string tell_trainings(const Sources& sources);

}  // namespace headway
