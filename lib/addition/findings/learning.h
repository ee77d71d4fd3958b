// How a model learned to add, and how often it is right in the end. Sources of the learning: `log`
// (of the training) and, if there, `training` (its metrics) and `timing`; of the end: metrics of
// evaluations, `test` (on test problems) and `all` (on every problem there is; where it is of
// fewer, they say so), one of them at least, and `data` (metrics of the dataset), if there.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

std::string tell_learning(const Sources& sources);
std::string tell_exact_match(const Sources& sources);
std::string exact_match_headline(const Sources& sources);  // one sentence, on `all`
// A sentence or two, from `log` and, if there, `all` and `data`.
std::string learning_headline(const Sources& sources);

}  // namespace headway
