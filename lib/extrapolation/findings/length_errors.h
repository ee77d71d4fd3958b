// What models of sorted sequences are wrong about: sorted ones called unsorted, violations missed,
// and where these violations are.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

// `lengths`: tables of extrapolate. Beyond the trained lengths, which of the two errors it is.
std::string tell_length_errors(const Sources& sources);

// `lengths`: the same. Where in the test sequences the first violation is, within the trained
// positions or beyond them, for each kind; and what each model misses of either, beside its false
// alarms.
std::string tell_hard_negatives(const Sources& sources);

}  // namespace headway
