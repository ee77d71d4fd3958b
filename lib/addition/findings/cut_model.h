// The smaller model that is left when heads are cut away: what it can, and how fast it is. Sources:
// `pruned` (metrics), `timing`, and `data` (metrics of the dataset), if there.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

std::string tell_cut_model(const Sources& sources);  // from `pruned`
std::string tell_cut_speed(const Sources& sources);  // from `timing`; empty where one is missing

}  // namespace headway
