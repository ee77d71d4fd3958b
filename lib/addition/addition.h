// The addition task: tokens, problems, their digits and carries (`374+814=1188`), and datasets.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lib/data/seq2seq_data.h"

namespace headway {

const Vocabulary& addition_vocabulary();

inline constexpr Token kPlus = 10;  // 0..9 are the digits
inline constexpr Token kPad = 11;
inline constexpr Token kBos = 12;
inline constexpr Token kEos = 13;
inline constexpr std::int64_t kVocabularySize = 14;

// "7", "+", "pad", "bos", "end"; "?99" for an invalid token.
std::string token_text(Token token);
// The same for an axis, with "BOS" in capitals to stand out.
std::string token_label(Token token);
// "374+814" for [3 7 4 + 8 1 4], "1188" for [1 1 8 8]; without padding and end token.
std::string sequence_text(std::span<const Token> tokens);

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

// Tokens: digits of a, +, digits of b; the sum is zero-padded to digits + 1. An empty split takes
// its lengths from the first problem.
void append_problem(const AdditionProblem& problem, int digits, Seq2SeqSplit& split);

// Parses a row of tokens; nullopt unless it is a sum of two numbers with equally many digits, at
// most 9 (imported datasets may contain anything). Ignores padding at the end.
struct ParsedProblem {
  AdditionProblem problem;
  int digits = 0;
};
std::optional<ParsedProblem> parse_problem(std::span<const Token> input);

// Whether the target is the sum of the two numbers in the input, of any lengths, with or without
// leading zeros.
bool is_sum(std::span<const Token> input, std::span<const Token> target);

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

// Three disjoint splits; throws Error with the refusal if there is one. With kCarries, the
// remainder of a size goes to the lowest numbers of carries. Equal sizes give equal data on every
// machine.
Seq2SeqData generate_addition(const AdditionSizes& sizes);

}  // namespace headway
