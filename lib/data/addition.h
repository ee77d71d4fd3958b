// The addition task: problems, their digits and their carries. `374+814=1188`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/table.h"
#include "lib/data/seq2seq_data.h"

namespace headway {

// One sum of two numbers with `digits` digits each, the first digit not 0.
struct AdditionProblem {
  std::int64_t a = 0;
  std::int64_t b = 0;

  auto operator<=>(const AdditionProblem&) const = default;
};

// How the digits of a problem carry. Columns count from the right, from 0.
struct CarryPattern {
  int carries = 0;            // columns whose sum, with the carry into it, is 10 or more
  int longest_chain = 0;      // the most such columns in a row
  std::uint32_t columns = 0;  // bit c: column c carries into column c + 1

  bool into(int column) const { return column > 0 && (columns >> (column - 1) & 1U); }
};
CarryPattern carry_pattern(const AdditionProblem& problem);

std::int64_t problem_count(int digits);                      // 810,000 for 3
AdditionProblem problem_at(int digits, std::int64_t index);  // in the order of a, then b

// Tokens: digits of a, +, digits of b; the sum zero-padded to digits + 1.
void append_problem(const AdditionProblem& problem, int digits, Seq2SeqSplit& split);
// The problem and its number of digits that a row of tokens states; nothing where it is no addition
// (an imported dataset may hold anything).
struct ParsedProblem {
  AdditionProblem problem;
  int digits = 0;
};
std::optional<ParsedProblem> parse_problem(std::span<const Token> input);

enum class Balance { kNone, kCarries };  // kCarries: as many problems of each number of carries

struct AdditionSizes {
  int digits = 3;
  std::int64_t train = 10000;
  std::int64_t val = 2000;
  std::int64_t test = 2000;
  Balance balance = Balance::kNone;
  std::uint64_t seed = 641;
};

// Three splits that share no problem; an Error where there are not that many different problems
// (with kCarries: of some number of carries). The same sizes give the same data, on every machine.
Seq2SeqData generate_addition(const AdditionSizes& sizes);

// Per split: how many problems have each number of carries, each longest chain, each leading digit
// of the sum. Columns split,property,value,count,share.
Table addition_statistics(const Seq2SeqData& data);

}  // namespace headway
