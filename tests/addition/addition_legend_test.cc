#include "lib/addition/addition_legend.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "lib/numerics/random.h"

namespace headway {
namespace {

using Texts = std::vector<std::string>;

std::set<std::string> texts_of(const Legend& legend, const std::string& name) {
  const auto found = std::ranges::find(legend.relations, name, &Relation::name);
  REQUIRE(found != legend.relations.end());
  const auto role = [&](std::int32_t number) {
    return number == kAnyRole ? "*" : legend.roles.at(static_cast<std::size_t>(number));
  };
  std::set<std::string> texts;
  for (const RolePair& pair : found->pairs) {
    std::string text = role(pair.query) + " to " + role(pair.key);
    if (pair.when) {
      const SampleGroup& group = legend.groups.at(static_cast<std::size_t>(pair.when->group));
      text +=
          " if " + group.name + " " + group.values.at(static_cast<std::size_t>(pair.when->value));
    }
    texts.insert(text);
  }
  REQUIRE(texts.size() == found->pairs.size());
  return texts;
}

TEST_CASE("additions have digits and a plus as words", "[addition]") {
  const Vocabulary& vocabulary = addition_legend(3)->vocabulary;
  CHECK(vocabulary.texts() ==
        Texts{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "+", "pad", "bos", "end"});
  CHECK(vocabulary.text(kPlus) == "+");
}

TEST_CASE("roles name the columns from the right, in the order of the positions", "[addition]") {
  CHECK(addition_legend(3)->roles ==
        Texts{"a2", "a1", "a0", "+", "b2", "b1", "b0", "s3", "s2", "s1", "s0"});
  CHECK(addition_legend(1)->roles == Texts{"a0", "+", "b0", "s1", "s0"});
  for (int digits = 1; digits <= kMostDigits; ++digits) {
    Split split;
    append_problem(problem_at(digits, 0), digits, split);
    append_problem(problem_at(digits, 5), digits, split);
    CHECK(std::ssize(addition_legend(digits)->roles) == split.input_length + split.target_length);
    for (std::int64_t sample = 0; sample < 2; ++sample) {
      std::int32_t role = 0;
      for (std::int64_t i = 0; i < split.input_length; ++i)
        REQUIRE(split.input_roles[static_cast<std::size_t>(sample * split.input_length + i)] ==
                role++);
      for (std::int64_t i = 0; i < split.target_length; ++i)
        REQUIRE(split.target_roles[static_cast<std::size_t>(sample * split.target_length + i)] ==
                role++);
    }
  }
}

TEST_CASE("digits are related to their column and to where their carry comes from", "[addition]") {
  using Pairs = std::set<std::string>;
  const Legend& legend = *addition_legend(3);
  CHECK(texts_of(legend, "operator") == Pairs{"* to +"});
  CHECK(texts_of(legend, "column") == Pairs{"a0 to b0", "b0 to a0", "s0 to a0", "s0 to b0",
                                            "a1 to b1", "b1 to a1", "s1 to a1", "s1 to b1",
                                            "a2 to b2", "b2 to a2", "s2 to a2", "s2 to b2"});
  CHECK(texts_of(legend, "carry") == Pairs{"a1 to a0", "a1 to b0", "b1 to a0", "b1 to b0",
                                           "s1 to a0", "s1 to b0", "a2 to a1", "a2 to b1",
                                           "b2 to a1", "b2 to b1", "s2 to a1", "s2 to b1"});
  CHECK(texts_of(legend, "leading") == Pairs{"s3 to a2", "s3 to b2"});
}

TEST_CASE("carries that do and do not come are related separately", "[addition]") {
  const Legend& legend = *addition_legend(3);
  for (const auto& [name, value] : {std::pair{"carry_with", "yes"}, {"carry_without", "no"}}) {
    std::set<std::string> expected;
    for (const std::string& pair : texts_of(legend, "carry")) {
      const std::string into = pair.substr(1, 1);  // the query's column
      expected.insert(pair + " if carry_into_" + into + " " + value);
    }
    CHECK(texts_of(legend, name) == expected);
  }
}

TEST_CASE("one-digit additions have no carry to look for", "[addition]") {
  const Legend& legend = *addition_legend(1);
  CHECK(texts_of(legend, "column") ==
        std::set<std::string>{"a0 to b0", "b0 to a0", "s0 to a0", "s0 to b0"});
  CHECK(texts_of(legend, "carry").empty());
  CHECK(texts_of(legend, "leading") == std::set<std::string>{"s1 to a0", "s1 to b0"});
}

// The value of each group, worked out from the digits as text.
std::map<std::string, std::string> expected_groups(const AdditionProblem& problem, int digits) {
  const std::string a = std::to_string(problem.a), b = std::to_string(problem.b);
  std::map<std::string, std::string> values;
  int carries = 0, chain = 0, longest = 0, carry = 0;
  for (int column = 0; column < digits; ++column) {
    const auto place = static_cast<std::size_t>(digits - 1 - column);
    if (column > 0) values["carry_into_" + std::to_string(column)] = carry ? "yes" : "no";
    carry = (a[place] - '0') + (b[place] - '0') + carry > 9;
    carries += carry;
    chain = carry ? chain + 1 : 0;
    longest = std::max(longest, chain);
  }
  values["carries"] = std::to_string(carries);
  values["longest_chain"] = std::to_string(longest);
  values["leading_digit"] = std::to_string(carry);
  return values;
}

TEST_CASE("every problem has its value of each group", "[addition]") {
  RandomStream random(4);
  for (int digits = 1; digits <= kMostDigits; ++digits) {
    const Legend& legend = *addition_legend(digits);
    CHECK(std::ranges::is_sorted(legend.groups, {}, &SampleGroup::name));
    Split split;
    std::vector<AdditionProblem> problems;
    for (int i = 0; i < 500; ++i) {
      const auto index = random.below(static_cast<std::uint64_t>(problem_count(digits)));
      problems.push_back(problem_at(digits, static_cast<std::int64_t>(index)));
      append_problem(problems.back(), digits, split);
    }
    for (std::size_t i = 0; i < problems.size(); ++i) {
      CAPTURE(problems[i].a, problems[i].b);
      std::map<std::string, std::string> values;
      for (std::size_t group = 0; group < legend.groups.size(); ++group)
        values[legend.groups[group].name] =
            legend.groups[group].values.at(static_cast<std::size_t>(split.groups[group].at(i)));
      REQUIRE(values == expected_groups(problems[i], digits));
    }
  }
}

TEST_CASE("groups have a value for every number of carries that there can be", "[addition]") {
  const Legend& legend = *addition_legend(2);
  Texts names;
  for (const SampleGroup& group : legend.groups) names.push_back(group.name);
  CHECK(names == Texts{"carries", "carry_into_1", "leading_digit", "longest_chain"});
  CHECK(legend.groups[0].values == Texts{"0", "1", "2"});
  CHECK(legend.groups[1].values == Texts{"no", "yes"});
  CHECK(legend.groups[2].values == Texts{"0", "1"});
  CHECK(legend.groups[3].values == Texts{"0", "1", "2"});
}

}  // namespace
}  // namespace headway
