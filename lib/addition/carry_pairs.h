// Pairs of problems that differ in one carry: material to see what a component passes on.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "lib/addition/addition.h"

namespace headway {

// Pairs (without, with) of problems that differ in the digits of one column only. That column
// carries in the second and not in the first; all other columns carry in both or in neither. By the
// group that tells them apart: carry_into_1 …, or leading_digit for the leftmost column's carry. A
// problem is in at most one pair of each.
std::map<std::string, std::vector<SamplePair>, std::less<>> carry_pairs(
    std::span<const AdditionProblem> problems, int digits);

}  // namespace headway
