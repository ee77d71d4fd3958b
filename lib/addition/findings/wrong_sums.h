// What a model says instead of the sum, where it is wrong. Source: `failures` of an evaluation, a
// line for each.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

std::string tell_wrong_sums(const Sources& sources);  // empty where there is none

}  // namespace headway
