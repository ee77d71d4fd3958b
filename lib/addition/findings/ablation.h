// What each head's removal costs, and where the heads are that matter. Sources: `heads`, a table of
// an ablation for each way of switching a head off; ways are compared with the first.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

std::string tell_ablation(const Sources& sources);
std::string ablation_headline(const Sources& sources);  // two sentences

}  // namespace headway
