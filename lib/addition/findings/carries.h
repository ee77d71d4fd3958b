// Which additions are hard for a model, and what it says instead of the sum. Sources: `accuracy`
// (table of an evaluation: exact match by group) and, if there, its `failures`.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

std::string tell_carry_accuracy(const Sources& sources);
std::string carry_accuracy_headline(const Sources& sources);  // one sentence

}  // namespace headway
