// The discussion of carries, its first part: in which attention heads look at the column to the
// right, and where they look for the leading digit. And how all parts name heads and what they
// cost.
#pragma once

#include <string>
#include <vector>

#include "lib/addition/findings/carry_study.h"

namespace headway {

std::string carry_head_name(const CarryHead& head);
// "14.1 points by mean and 14.8 points by zero ablation"
std::string carry_drops_text(const CarryStudy& study, const CarryHead& head);
std::string carry_paragraph(std::vector<std::string> sentences);  // without those that are empty

std::string tell_carry_looking(const CarryStudy& study);

}  // namespace headway
