// What the heads look at. Sources: `statistics` (of attention, a row for each head) and, if there,
// `data` (metrics of the dataset: its digits tell what even attention would give).
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

std::string tell_head_statistics(const Sources& sources);

}  // namespace headway
