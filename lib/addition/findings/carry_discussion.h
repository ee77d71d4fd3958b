// How heads carry the carry, as far as the numbers say: what heads look at, joined head by head
// with what their removal costs. Sources: `heads` (tables of ablations), `statistics` (of
// attention), `data` (metrics of the dataset: digits). Paragraphs.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

std::string tell_carry_discussion(const Sources& sources);
std::string carry_discussion_headline(const Sources& sources);  // a sentence or two

}  // namespace headway
