// The addition task: problems such as 374+814=1188, their carries, and datasets of them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lib/data/dataset.h"

namespace headway {

inline constexpr Token kPlus = 10;     // 0..9 are the digits
inline constexpr int kMostDigits = 9;  // per operand

// A sum of two numbers with `digits` digits each, the first digit not 0.
struct AdditionProblem {
  std::int64_t a = 0;
  std::int64_t b = 0;

  auto operator<=>(const AdditionProblem&) const = default;
};

// The carries of a problem. Columns count from the right, from 0.
struct CarryPattern {
  int carries = 0;            // columns whose sum, including the carry in, is at least 10
  int longest_chain = 0;      // most such columns in a row
  std::uint32_t columns = 0;  // bit c: column c carries into column c + 1

  bool into(int column) const { return column > 0 && (columns >> (column - 1) & 1U); }
};
CarryPattern carry_pattern(const AdditionProblem& problem);

std::int64_t problem_count(int digits);                      // 810,000 for 3
AdditionProblem problem_at(int digits, std::int64_t index);  // sorted by a, then b

// Tokens: digits of a, +, digits of b; the sum is zero-padded to digits + 1. Groups and roles as
// the legend has them (addition_legend.h). An empty split takes its form from the first problem.
void append_problem(const AdditionProblem& problem, int digits, Split& split);

// Parses an input as append_problem writes it, but a number may begin with 0; nullopt if it is
// another sequence.
std::optional<AdditionProblem> parse_problem(std::span<const Token> input, int digits);

enum class Balance { kNone, kCarries };  // kCarries: equally many for each number of carries
template <>
inline constexpr std::string_view kNamesOf<Balance>[] = {"none", "carries"};

struct AdditionSizes {
  int digits = 3;
  std::int64_t train = 10000;
  std::int64_t val = 2000;
  std::int64_t test = 2000;
  Balance balance = Balance::kNone;
  std::uint64_t seed = 641;
};

// Why no dataset can have these sizes: "72 + 10 + 10 = 92 problems asked for, but there are only 81
// with 1 digit"; "" if it can.
std::string refusal(const AdditionSizes& sizes);

// Three disjoint splits, each with its carry_pairs as pairs `carry`; throws Error with the refusal
// if there is one. With kCarries, the remainder of a size goes to the lowest numbers of carries.
// Equal sizes give equal data on every machine.
Dataset generate_addition(const AdditionSizes& sizes);

}  // namespace headway
