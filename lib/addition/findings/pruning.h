// How many heads can go, one at a time and together. Sources: `tolerances`; if there: `curves`
// (accuracy by heads removed, for each order of removal), `pruned` (metrics), `timing`, `data`
// (metrics of the dataset: how many test problems accuracies are shares of).
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

std::string tell_pruning(const Sources& sources);
std::string pruning_headline(const Sources& sources);  // a sentence for each tolerance

}  // namespace headway
