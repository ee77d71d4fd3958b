// What datasets of additions declare, so that analyses that know no task find columns and carries
// in them. Columns count from the right, from 0.
//
//   vocabulary   0 .. 9, +
//   groups       carries (how many columns carry), longest_chain (most of them in a row),
//                leading_digit (of the sum: 0 or 1), carry_into_1 … (whether the column before
//                carries: no or yes)
//   roles        a2 a1 a0 + b2 b1 b0 of inputs, s3 s2 s1 s0 of targets
//   relations    operator        any position to the +
//                column          a digit of the sum to the two digits of its column; a digit of a
//                                number to the other number's digit of its column
//                carry           the same digits to both digits of the column to their right, where
//                                the carry comes from; carry_with, carry_without: where that column
//                                carries, or does not
//                leading         the leading digit of the sum to the two digits of the leftmost
//                                column. That digit is the column's carry and has no column of its
//                                own, so only this relation has it
#pragma once

#include <memory>
#include <span>
#include <string>

#include "lib/addition/addition.h"

namespace headway {

// For numbers of 1 .. kMostDigits digits. A relation that has no pairs, as `carry` of one-digit
// numbers, is declared all the same.
const std::shared_ptr<const Legend>& addition_legend(int digits);

// The group of the carry into a column (1 .. digits): carry_into_1 …, or leading_digit, which is
// the last carry.
std::string carry_group(int column, int digits);

// Adds the problem's value of each group of addition_legend(digits).
void append_groups(const AdditionProblem& problem, int digits,
                   std::span<std::vector<std::int32_t>> groups);

}  // namespace headway
