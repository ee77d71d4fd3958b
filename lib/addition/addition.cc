#include "lib/addition/addition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <numeric>
#include <unordered_set>
#include <vector>

#include "lib/addition/addition_legend.h"
#include "lib/addition/addition_source.h"
#include "lib/addition/carry_classes.h"
#include "lib/addition/carry_pairs.h"
#include "lib/base/error.h"
#include "lib/numerics/random.h"

namespace headway {
namespace {

constexpr std::array<std::int64_t, kMostDigits + 1> kPowersOfTen = {
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};

void write_digits(std::int64_t number, std::span<Token> tokens) {
  for (std::size_t i = tokens.size(); i-- > 0; number /= 10)
    tokens[i] = static_cast<Token>(number % 10);
}

// New elements at the end.
std::span<std::int32_t> appended(std::size_t count, std::vector<std::int32_t>& numbers) {
  numbers.resize(numbers.size() + count);
  return std::span(numbers).last(count);
}

void number_from(std::int32_t first, std::span<std::int32_t> numbers) {
  std::iota(numbers.begin(), numbers.end(), first);
}

// nullopt if a token is no digit.
std::optional<std::int64_t> read_digits(std::span<const Token> tokens) {
  std::int64_t number = 0;
  for (const Token token : tokens) {
    if (token < 0 || token > 9) return std::nullopt;
    number = number * 10 + token;
  }
  return number;
}

// Problems drawn together: all of them, or those with one number of carries.
struct ProblemClass {
  std::string what;  // " with 2 carries"; "" for all
  std::int64_t count = 0;
  std::function<AdditionProblem(std::int64_t index)> at;
  std::array<std::int64_t, 3> wanted = {};  // for train, val, test
};

std::string counted(int count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::vector<ProblemClass> classes_of(const AdditionSizes& sizes) {
  const int digits = sizes.digits;
  const std::array<std::int64_t, 3> wanted = {sizes.train, sizes.val, sizes.test};
  if (sizes.balance == Balance::kNone)
    return {{"", problem_count(digits),
             [digits](std::int64_t index) { return problem_at(digits, index); }, wanted}};
  const CarryClasses by_carries(digits);
  std::vector<ProblemClass> classes;
  for (int carries = 0; carries <= digits; ++carries) {
    ProblemClass one{
        " with " + counted(carries, "carry", "carries"),
        by_carries.count(carries),
        [by_carries, carries](std::int64_t index) { return by_carries.at(carries, index); },
        {}};
    for (std::size_t split = 0; split < wanted.size(); ++split)
      one.wanted[split] = wanted[split] / (digits + 1) + (carries < wanted[split] % (digits + 1));
    classes.push_back(std::move(one));
  }
  return classes;
}

std::string refusal_of(const ProblemClass& one, int digits) {
  const auto [train, val, test] = one.wanted;
  // Compared one by one first, so that the sum cannot overflow.
  if (std::max({train, val, test}) <= one.count && train + val + test <= one.count) return "";
  const double total =
      static_cast<double>(train) + static_cast<double>(val) + static_cast<double>(test);
  return fmt::format("{} + {} + {} = {:.0f} problems{} asked for, but there are only {} with {}",
                     train, val, test, total, one.what, one.count,
                     counted(digits, "digit", "digits"));
}

// `wanted` different numbers of 0 .. count - 1 in random order (R. Floyd): as many draws as
// numbers, and memory only for those.
std::vector<std::int64_t> draw_distinct(std::int64_t count, std::int64_t wanted,
                                        RandomStream& random) {
  std::unordered_set<std::int64_t> taken;
  taken.reserve(static_cast<std::size_t>(wanted));
  std::vector<std::int64_t> drawn;
  drawn.reserve(static_cast<std::size_t>(wanted));
  for (std::int64_t last = count - wanted; last < count; ++last) {
    const auto draw = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(last) + 1));
    drawn.push_back(taken.insert(draw).second ? draw : last);
    taken.insert(drawn.back());
  }
  random.shuffle(std::span(drawn));
  return drawn;
}

Split split_of(std::span<const AdditionProblem> problems, int digits) {
  Split split;
  for (const AdditionProblem& problem : problems) append_problem(problem, digits, split);
  split.pairs = carry_pairs(problems, digits);
  return split;
}

}  // namespace

CarryPattern carry_pattern(const AdditionProblem& problem) {
  CarryPattern pattern;
  int chain = 0;
  std::int64_t a = problem.a, b = problem.b;
  for (int column = 0; a > 0 || b > 0; ++column, a /= 10, b /= 10) {
    const bool carries = a % 10 + b % 10 + (chain > 0) >= 10;
    chain = carries ? chain + 1 : 0;
    pattern.carries += carries;
    pattern.longest_chain = std::max(pattern.longest_chain, chain);
    pattern.columns |= static_cast<std::uint32_t>(carries) << column;
  }
  return pattern;
}

std::int64_t problem_count(int digits) {
  assert(digits >= 1 && digits <= kMostDigits);
  const std::int64_t operands = 9 * kPowersOfTen[static_cast<std::size_t>(digits - 1)];
  return operands * operands;
}

AdditionProblem problem_at(int digits, std::int64_t index) {
  assert(index >= 0 && index < problem_count(digits));
  const std::int64_t least = kPowersOfTen[static_cast<std::size_t>(digits - 1)];
  return {least + index / (9 * least), least + index % (9 * least)};
}

void append_problem(const AdditionProblem& problem, int digits, Split& split) {
  const auto width = static_cast<std::size_t>(digits);
  if (split.inputs.empty()) {
    split.legend = addition_legend(digits);
    split.input_length = 2 * digits + 1;
    split.target_length = digits + 1;
    split.groups.resize(split.legend->groups.size());
  }
  assert(split.input_length == 2 * digits + 1 && split.target_length == digits + 1);
  const std::span<Token> input = appended(2 * width + 1, split.inputs);
  write_digits(problem.a, input.first(width));
  input[width] = kPlus;
  write_digits(problem.b, input.last(width));
  write_digits(problem.a + problem.b, appended(width + 1, split.targets));
  append_groups(problem, digits, split.groups);
  // Roles are numbered in the order of the positions.
  number_from(0, appended(2 * width + 1, split.input_roles));
  number_from(2 * digits + 1, appended(width + 1, split.target_roles));
}

std::optional<AdditionProblem> parse_problem(std::span<const Token> input, int digits) {
  const auto width = static_cast<std::size_t>(digits);
  if (input.size() != 2 * width + 1 || input[width] != kPlus) return std::nullopt;
  const auto a = read_digits(input.first(width)), b = read_digits(input.last(width));
  if (!a || !b) return std::nullopt;
  return AdditionProblem{*a, *b};
}

std::string refusal(const AdditionSizes& sizes) {
  if (sizes.digits < 1 || sizes.digits > kMostDigits)
    return fmt::format("{} digits asked for; between 1 and {} can be", sizes.digits, kMostDigits);
  if (std::min({sizes.train, sizes.val, sizes.test}) < 1)
    return fmt::format("{} + {} + {} problems asked for; each split needs at least one",
                       sizes.train, sizes.val, sizes.test);
  for (const ProblemClass& one : classes_of(sizes)) {
    const std::string why = refusal_of(one, sizes.digits);
    if (!why.empty()) return why;
  }
  return "";
}

Dataset generate_addition(const AdditionSizes& sizes) {
  if (const std::string why = refusal(sizes); !why.empty()) throw Error(why);
  std::array<std::vector<AdditionProblem>, 3> problems;  // for train, val, test
  std::uint64_t stream = 0;
  for (const ProblemClass& one : classes_of(sizes)) {
    RandomStream random(sizes.seed, {stream++});
    const auto [train, val, test] = one.wanted;
    const std::vector<std::int64_t> drawn = draw_distinct(one.count, train + val + test, random);
    auto next = drawn.begin();
    for (std::size_t split = 0; split < problems.size(); ++split) {
      for (std::int64_t i = 0; i < one.wanted[split]; ++i)
        problems[split].push_back(one.at(*next++));
    }
  }
  Dataset data{
      addition_legend(sizes.digits), {}, {{"name", kAdditionGenerator}, {"digits", sizes.digits}}};
  for (std::size_t i = 0; i < problems.size(); ++i) {
    RandomStream random(sizes.seed, {stream++});
    random.shuffle(std::span(problems[i]));  // the classes are in order until here
    data.splits[std::string(kSplitNames[i])] = split_of(problems[i], sizes.digits);
  }
  return data;
}

}  // namespace headway
