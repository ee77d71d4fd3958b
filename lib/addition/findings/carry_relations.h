// The discussion of carries, its part on correlations: whether the heads that look more at a column
// are those whose removal costs more.
#pragma once

#include <string>

#include "lib/addition/findings/carry_study.h"

namespace headway {

// A paragraph and a table; empty where no head has such a statistic.
std::string tell_carry_relations(const CarryStudy& study);

}  // namespace headway
