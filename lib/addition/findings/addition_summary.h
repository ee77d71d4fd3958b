// The findings about addition, one sentence each, for the top of a report. Sources as of the kinds
// that tell more.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

std::string tell_addition_summary(const Sources& sources);

}  // namespace headway
