// The addition task: problems, their digits and their carries (`374+814=1188`), and datasets of
// them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lib/addition/vocabulary.h"
#include "lib/data/seq2seq_data.h"

namespace headway {

inline constexpr int kMostDigits = 9;  // of an operand

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

// Tokens: digits of a, +, digits of b; the sum zero-padded to digits + 1. An empty split takes its
// lengths from its first problem.
void append_problem(const AdditionProblem& problem, int digits, Seq2SeqSplit& split);

// The problem and its number of digits that a row of tokens states; nothing where it is no sum of
// two numbers of as many digits, at most 9 (an imported dataset may hold anything). Padding at the
// end is passed over.
struct ParsedProblem {
  AdditionProblem problem;
  int digits = 0;
};
std::optional<ParsedProblem> parse_problem(std::span<const Token> input);

// Whether the target is the sum of the two numbers of the input, of whatever lengths, with or
// without zeros in front.
bool is_sum(std::span<const Token> input, std::span<const Token> target);

enum class Balance { kNone, kCarries };  // kCarries: as many problems of each number of carries

struct AdditionSizes {
  int digits = 3;
  std::int64_t train = 10000;
  std::int64_t val = 2000;
  std::int64_t test = 2000;
  Balance balance = Balance::kNone;
  std::uint64_t seed = 641;
};

// Why no data can have these sizes: "72 + 10 + 10 = 92 problems asked for, but there are only 81
// with 1 digit"; "" where it can.
std::string refusal(const AdditionSizes& sizes);

// Three splits that share no problem; an Error with the refusal where there is one. With kCarries,
// what a size leaves when divided by the numbers of carries goes to the lowest of them. The same
// sizes give the same data, on every machine.
Seq2SeqData generate_addition(const AdditionSizes& sizes);

}  // namespace headway
