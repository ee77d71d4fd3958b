// Which axes of a sweep matter: sentences on how the objective changes along each.
#pragma once

#include <string>
#include <vector>

#include "lib/sweep/findings/sweep_results.h"

namespace headway {

std::vector<std::string> axis_sentences(const SweepResults& results);

}  // namespace headway
