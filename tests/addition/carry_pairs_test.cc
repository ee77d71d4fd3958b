#include "lib/addition/carry_pairs.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <set>

namespace headway {
namespace {

using Pairs = std::map<std::string, std::vector<SamplePair>, std::less<>>;

std::string digits_of(std::int64_t number, int digits) {
  std::string text = std::to_string(number);
  return std::string(static_cast<std::size_t>(digits) - text.size(), '0') + text;
}

// Columns, from the right, in which the digits of the problems differ.
std::vector<int> different_columns(const AdditionProblem& one, const AdditionProblem& other,
                                   int digits) {
  std::vector<int> columns;
  for (int column = 0; column < digits; ++column) {
    const auto place = static_cast<std::size_t>(digits - 1 - column);
    if (digits_of(one.a, digits)[place] != digits_of(other.a, digits)[place] ||
        digits_of(one.b, digits)[place] != digits_of(other.b, digits)[place])
      columns.push_back(column);
  }
  return columns;
}

std::vector<AdditionProblem> every_problem(int digits) {
  std::vector<AdditionProblem> problems;
  for (std::int64_t i = 0; i < problem_count(digits); ++i)
    problems.push_back(problem_at(digits, i));
  return problems;
}

TEST_CASE("a pair differs in one column, which carries in the second only", "[addition]") {
  const std::vector<AdditionProblem> units = {{12, 18}, {12, 13}};
  CHECK(carry_pairs(units, 2) == Pairs{{"carry_into_1", {{1, 0}}}});
  const std::vector<AdditionProblem> both_digits = {{12, 13}, {19, 18}};
  CHECK(carry_pairs(both_digits, 2) == Pairs{{"carry_into_1", {{0, 1}}}});
  const std::vector<AdditionProblem> first_column = {{31, 41}, {81, 41}};
  CHECK(carry_pairs(first_column, 2) == Pairs{{"leading_digit", {{0, 1}}}});
  const std::vector<AdditionProblem> middle = {{123, 415}, {173, 485}, {173, 415}};
  CHECK(carry_pairs(middle, 3) == Pairs{{"carry_into_2", {{0, 1}}}});
}

TEST_CASE("problems that differ in two columns, or in no carry, are no pair", "[addition]") {
  const std::vector<AdditionProblem> two_columns = {{12, 13}, {22, 18}};
  CHECK(carry_pairs(two_columns, 2).empty());
  const std::vector<AdditionProblem> no_carry = {{12, 13}, {12, 14}};
  CHECK(carry_pairs(no_carry, 2).empty());
  const std::vector<AdditionProblem> equal = {{12, 19}, {12, 19}};
  CHECK(carry_pairs(equal, 2).empty());
  CHECK(carry_pairs({}, 2).empty());
}

TEST_CASE("a carry that makes the next column carry too is no pair", "[addition]") {
  const std::vector<AdditionProblem> goes_on = {{45, 54}, {45, 57}};  // 4 + 5 and the carry
  CHECK(carry_pairs(goes_on, 2).empty());
  const std::vector<AdditionProblem> stays = {{45, 64}, {45, 67}};  // 4 + 6 carries anyway
  CHECK(carry_pairs(stays, 2) == Pairs{{"carry_into_1", {{0, 1}}}});
}

TEST_CASE("a problem is in one pair at most for each column", "[addition]") {
  const std::vector<AdditionProblem> one_carries = {{11, 11}, {11, 12}, {11, 19}, {11, 13}};
  CHECK(carry_pairs(one_carries, 2) == Pairs{{"carry_into_1", {{0, 2}}}});
  const std::vector<AdditionProblem> by_two_columns = {{13, 12}, {13, 18}, {13, 92}};
  CHECK(carry_pairs(by_two_columns, 2) ==
        Pairs{{"carry_into_1", {{0, 1}}}, {"leading_digit", {{0, 2}}}});
}

TEST_CASE("among all problems there are as many pairs as can be, all of them right", "[addition]") {
  for (const int digits : {1, 2}) {
    CAPTURE(digits);
    const std::vector<AdditionProblem> problems = every_problem(digits);
    std::vector<std::set<std::int32_t>> paired(static_cast<std::size_t>(digits));
    std::vector<std::pair<std::string, SamplePair>> pairs;
    for (const auto& [group, of_group] : carry_pairs(problems, digits)) {
      for (const SamplePair& pair : of_group) pairs.emplace_back(group, pair);
    }
    for (const auto& [group, pair] : pairs) {
      const auto [without, with] = pair;
      const AdditionProblem& one = problems[static_cast<std::size_t>(without)];
      const AdditionProblem& other = problems[static_cast<std::size_t>(with)];
      CAPTURE(one.a, one.b, other.a, other.b);
      const std::vector<int> columns = different_columns(one, other, digits);
      REQUIRE(columns.size() == 1);
      REQUIRE(carry_pattern(other).columns == (carry_pattern(one).columns | 1U << columns.front()));
      REQUIRE_FALSE(carry_pattern(one).into(columns.front() + 1));
      REQUIRE(group == (columns.front() + 1 < digits ? "carry_into_1" : "leading_digit"));
      auto& of_column = paired[static_cast<std::size_t>(columns.front())];
      REQUIRE(of_column.insert(without).second);
      REQUIRE(of_column.insert(with).second);
    }
    // Problems that are alike but for one column, and whether that column carries.
    std::map<std::string, std::array<std::size_t, 2>> alike;
    for (const AdditionProblem& problem : problems) {
      for (int column = 0; column < digits; ++column) {
        std::string others = digits_of(problem.a, digits) + digits_of(problem.b, digits);
        const auto place = static_cast<std::size_t>(digits - 1 - column);
        others[place] = others[place + static_cast<std::size_t>(digits)] = '*';
        const bool ripples = column == 0 && digits == 2 && others[0] + others[2] == '0' + '9';
        if (!ripples) ++alike[others][carry_pattern(problem).into(column + 1)];
      }
    }
    std::size_t possible = 0;
    for (const auto& [others, counts] : alike) possible += std::min(counts[0], counts[1]);
    CHECK(pairs.size() == possible);
  }
}

TEST_CASE("the splits of a dataset have their pairs", "[addition]") {
  const Dataset data = generate_addition({.digits = 2, .train = 4000, .val = 50, .test = 1});
  const Split& train = data.split("train");
  std::vector<AdditionProblem> problems;
  for (std::int64_t i = 0; i < train.size(); ++i)
    problems.push_back(parse_problem(train.input(i), 2).value());
  CHECK(train.pairs == carry_pairs(problems, 2));
  CHECK(train.pairs.at("carry_into_1").size() > 500);
  CHECK(train.pairs.at("leading_digit").size() > 500);
  CHECK(data.split("test").pairs.empty());  // a single problem has no partner
}

}  // namespace
}  // namespace headway
