// What a sweep found: what was varied, which configuration is best and how surely, which axes
// matter, and what successive halving decided. Sources: `table` (every trial), `comparison` (means
// over seeds) and, if there, `decisions`: outputs of collect-trials.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

std::string tell_sweep(const Sources& sources);

}  // namespace headway
