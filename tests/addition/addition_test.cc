#include "lib/addition/addition.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "lib/addition/addition_legend.h"
#include "lib/base/digest.h"
#include "lib/base/error.h"

namespace headway {
namespace {

using Catch::Matchers::Message;
using Catch::Matchers::WithinAbs;
using Tokens = std::vector<Token>;

TEST_CASE("carries are counted with their chains and columns", "[addition]") {
  const CarryPattern none = carry_pattern({123, 456});
  CHECK(none.carries == 0);
  CHECK(none.longest_chain == 0);
  CHECK(none.columns == 0);

  const CarryPattern top = carry_pattern({374, 814});  // 1188
  CHECK(top.carries == 1);
  CHECK(top.longest_chain == 1);
  CHECK(top.columns == 0b100);
  CHECK_FALSE(top.into(0));
  CHECK_FALSE(top.into(1));
  CHECK_FALSE(top.into(2));
  CHECK(top.into(3));

  const CarryPattern chain = carry_pattern({999, 101});  // 9 + 0 carries only because 9 + 1 did
  CHECK(chain.carries == 3);
  CHECK(chain.longest_chain == 3);
  CHECK(chain.columns == 0b111);

  const CarryPattern apart = carry_pattern({505, 505});
  CHECK(apart.carries == 2);
  CHECK(apart.longest_chain == 1);
  CHECK(apart.columns == 0b101);

  CHECK(carry_pattern({999'999'999, 999'999'999}).carries == 9);
  CHECK(carry_pattern({0, 0}).carries == 0);
  CHECK(carry_pattern({7, 123}).columns == 0b001);  // operands of different lengths
}

TEST_CASE("a sum has one more digit exactly when its first column carries", "[addition]") {
  for (std::int64_t index = 0; index < problem_count(2); ++index) {
    const AdditionProblem problem = problem_at(2, index);
    REQUIRE(carry_pattern(problem).into(2) == (problem.a + problem.b >= 100));
  }
}

TEST_CASE("problems are numbered by a, then by b", "[addition]") {
  CHECK(problem_count(1) == 81);
  CHECK(problem_count(3) == 810'000);
  CHECK(problem_count(9) == 810'000'000'000'000'000);
  CHECK(problem_at(3, 0) == AdditionProblem{100, 100});
  CHECK(problem_at(3, 1) == AdditionProblem{100, 101});
  CHECK(problem_at(3, 900) == AdditionProblem{101, 100});
  CHECK(problem_at(3, 809'999) == AdditionProblem{999, 999});
  CHECK(problem_at(9, problem_count(9) - 1) == AdditionProblem{999'999'999, 999'999'999});
}

TEST_CASE("a problem is written as its digits", "[addition]") {
  Split split;
  append_problem({374, 814}, 3, split);
  append_problem({100, 200}, 3, split);
  CHECK(split.size() == 2);
  CHECK(split.inputs == Tokens{3, 7, 4, kPlus, 8, 1, 4, 1, 0, 0, kPlus, 2, 0, 0});
  CHECK(split.targets == Tokens{1, 1, 8, 8, 0, 3, 0, 0});  // zero-padded
  CHECK(sample_text(split, 0) == "374+814 -> 1188");
  CHECK(sample_text(split, 1) == "100+200 -> 0300");
}

// The sample's problem, of whose sum each digit is checked.
AdditionProblem problem_in(const Split& split, std::int64_t sample) {
  const auto digits = static_cast<int>(split.input_length / 2);
  const auto problem = parse_problem(split.input(sample), digits);
  REQUIRE(problem.has_value());
  std::int64_t sum = problem->a + problem->b;
  const auto target = split.target(sample);
  for (auto digit = target.rbegin(); digit != target.rend(); ++digit, sum /= 10)
    REQUIRE(*digit == sum % 10);
  REQUIRE(sum == 0);
  return *problem;
}

TEST_CASE("every three-digit problem can be read back from its tokens", "[addition]") {
  Split split;
  for (std::int64_t i = 0; i < problem_count(3); i += 7) append_problem(problem_at(3, i), 3, split);
  for (std::int64_t sample = 0; sample < split.size(); ++sample)
    REQUIRE(problem_in(split, sample) == problem_at(3, sample * 7));
}

TEST_CASE("tokens that do not spell a problem give none", "[addition]") {
  CHECK(parse_problem(Tokens{0, 0, 7, kPlus, 1, 2, 3}, 3) == AdditionProblem{7, 123});
  CHECK(parse_problem(Tokens(7, 9), 3) == std::nullopt);  // no +
  CHECK(parse_problem(Tokens{}, 1) == std::nullopt);
  CHECK(parse_problem(Tokens{kPlus, 1, 2}, 1) == std::nullopt);
  CHECK(parse_problem(Tokens{1, kPlus, kPlus}, 1) == std::nullopt);
  CHECK(parse_problem(Tokens{1, kPlus, 2}, 2) == std::nullopt);  // too few digits
  CHECK(parse_problem(Tokens{1, 2, kPlus, 3, 4}, 1) == std::nullopt);
  const Vocabulary& vocabulary = addition_legend(1)->vocabulary;
  for (const Token marker : {vocabulary.pad(), vocabulary.bos(), vocabulary.end(), Token{-1}}) {
    CHECK(parse_problem(Tokens{1, kPlus, marker}, 1) == std::nullopt);
    CHECK(parse_problem(Tokens{marker, kPlus, 1}, 1) == std::nullopt);
  }
  Tokens nine(19, 9);
  nine[9] = kPlus;
  CHECK(parse_problem(nine, 9) == AdditionProblem{999'999'999, 999'999'999});
}

using Problems = std::set<AdditionProblem>;

Problems all_problems(const Dataset& data) {
  Problems all;
  for (const auto& [name, split] : data.splits) {
    for (std::int64_t i = 0; i < split.size(); ++i) all.insert(problem_in(split, i));
  }
  return all;
}

TEST_CASE("the study's data has the right sizes, no duplicate problems, and correct sums",
          "[addition]") {
  const Dataset data = generate_addition({});
  CHECK(data.splits.size() == 3);
  CHECK(data.split("train").size() == 10'000);
  CHECK(data.split("val").size() == 2'000);
  CHECK(data.split("test").size() == 2'000);
  CHECK(data.split("train").input_length == 7);
  CHECK(data.split("train").target_length == 4);
  CHECK(all_problems(data).size() == 14'000);
  for (const auto& [name, split] : data.splits) {
    for (std::int64_t i = 0; i < split.size(); ++i) {
      REQUIRE(split.input(i).front() != 0);
      REQUIRE(split.input(i)[4] != 0);
    }
  }
}

TEST_CASE("addition data of any number of digits survives its file", "[addition]") {
  for (int digits = 1; digits <= kMostDigits; ++digits) {
    CAPTURE(digits);
    const Dataset data =
        generate_addition({.digits = digits, .train = 40, .val = 10, .test = 10, .seed = 3});
    const std::string bytes = to_safetensors(to_tensor_file(data));
    CHECK(dataset_from(parse_safetensors(bytes, "d"), "d") == data);
    CHECK(data.generator == Json({{"name", "addition"}, {"digits", digits}}));
  }
}

// Of the problems and their sums, in the order of the splits.
std::string digest_of_samples(const Dataset& data) {
  std::string bytes;
  for (const std::string_view name : kSplitNames) {
    bytes += sequence_bytes(data.split(name).inputs);
    bytes += sequence_bytes(data.split(name).targets);
  }
  return digest_of(bytes).short_hex();
}

// Other samples for the same parameters would make earlier results impossible to repeat.
TEST_CASE("the same sizes give the same problems as ever, in the same order", "[addition]") {
  CHECK(digest_of_samples(generate_addition({})) == "537c37dfb3ae");
  CHECK(digest_of_samples(generate_addition({.balance = Balance::kCarries})) == "f51b139d2451");
  CHECK(digest_of_samples(generate_addition({.digits = 9, .train = 10, .val = 10, .test = 10})) ==
        "9e699be74a54");
  CHECK(digest_of_samples(generate_addition(
            {.digits = 1, .train = 61, .val = 10, .test = 10, .seed = 7})) == "801845a69212");
}

// Other bytes mean other data under the same parameters: then raise the stage type's version.
TEST_CASE("the same sizes give the same file on every machine", "[addition]") {
  const std::string bytes = to_safetensors(to_tensor_file(generate_addition({})));
  CHECK(digest_of(bytes).short_hex() == "17310c5f471b");
}

TEST_CASE("a different seed gives different data", "[addition]") {
  const AdditionSizes sizes = {.train = 50, .val = 5, .test = 5};
  AdditionSizes other = sizes;
  other.seed = 642;
  CHECK(generate_addition(sizes) == generate_addition(sizes));
  CHECK(generate_addition(sizes).split("train").inputs !=
        generate_addition(other).split("train").inputs);
}

TEST_CASE("the splits may use up every problem", "[addition]") {
  const Dataset data = generate_addition({.digits = 1, .train = 61, .val = 10, .test = 10});
  CHECK(all_problems(data).size() == 81);
  const Dataset more = generate_addition({.digits = 2, .train = 8000, .val = 50, .test = 50});
  CHECK(all_problems(more).size() == 8100);
}

TEST_CASE("the splits look alike: each is a fair draw of all problems", "[addition]") {
  // The mean of a number of 100..999 is 549.5; of n draws it deviates by 260 / sqrt(n).
  const Dataset data = generate_addition({});
  for (const auto& [name, split] : data.splits) {
    double a = 0, b = 0;
    for (std::int64_t i = 0; i < split.size(); ++i) {
      const AdditionProblem problem = problem_in(split, i);
      a += static_cast<double>(problem.a);
      b += static_cast<double>(problem.b);
    }
    const double n = static_cast<double>(split.size());
    CHECK_THAT(a / n, WithinAbs(549.5, 4 * 260 / std::sqrt(n)));
    CHECK_THAT(b / n, WithinAbs(549.5, 4 * 260 / std::sqrt(n)));
  }
}

TEST_CASE("the order says nothing about the problem", "[addition]") {
  for (const Balance balance : {Balance::kNone, Balance::kCarries}) {
    const Dataset data = generate_addition({.balance = balance});
    const Split& train = data.split("train");
    int first_half = 0, all = 0;
    for (std::int64_t i = 0; i < train.size(); ++i) {
      const int carries = carry_pattern(problem_in(train, i)).carries;
      all += carries;
      first_half += i < train.size() / 2 ? carries : 0;
    }
    CHECK_THAT(static_cast<double>(first_half) / all, WithinAbs(0.5, 0.02));
  }
}

TEST_CASE("nine digits are drawn as quickly as one", "[addition]") {
  const Dataset data = generate_addition({.digits = 9, .train = 3000, .val = 100, .test = 100});
  CHECK(all_problems(data).size() == 3200);
  CHECK(data.split("test").input_length == 19);
  CHECK(data.split("test").target_length == 10);
}

std::map<int, int> by_carries(const Split& split) {
  std::map<int, int> counts;
  for (std::int64_t i = 0; i < split.size(); ++i)
    ++counts[carry_pattern(problem_in(split, i)).carries];
  return counts;
}

TEST_CASE("balanced data has equally many problems per number of carries, extras with the fewest",
          "[addition]") {
  const Dataset data = generate_addition(
      {.digits = 3, .train = 4000, .val = 402, .test = 3, .balance = Balance::kCarries});
  CHECK(by_carries(data.split("train")) ==
        std::map<int, int>{{0, 1000}, {1, 1000}, {2, 1000}, {3, 1000}});
  CHECK(by_carries(data.split("val")) ==
        std::map<int, int>{{0, 101}, {1, 101}, {2, 100}, {3, 100}});
  CHECK(by_carries(data.split("test")) == std::map<int, int>{{0, 1}, {1, 1}, {2, 1}});
  CHECK(all_problems(data).size() == 4405);
}

TEST_CASE("balanced data of nine digits has every number of carries", "[addition]") {
  const Dataset data = generate_addition(
      {.digits = 9, .train = 1000, .val = 10, .test = 10, .balance = Balance::kCarries});
  const std::map<int, int> counts = by_carries(data.split("train"));
  CHECK(counts.size() == 10);
  for (const auto& [carries, count] : counts) CHECK(count == 100);
}

TEST_CASE("sizes that cannot be disjoint are refused with the numbers", "[addition]") {
  CHECK(refusal({}) == "");
  CHECK(refusal({.digits = 1, .train = 61, .val = 10, .test = 10}) == "");
  CHECK(refusal({.digits = 1, .train = 72, .val = 10, .test = 10}) ==
        "72 + 10 + 10 = 92 problems asked for, but there are only 81 with 1 digit");
  CHECK(refusal({.digits = 2, .train = 8000, .val = 100, .test = 1}) ==
        "8000 + 100 + 1 = 8101 problems asked for, but there are only 8100 with 2 digits");
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(refusal({.digits = 9, .train = most, .val = most, .test = most}) != "");
  CHECK_THROWS_MATCHES(
      generate_addition({.digits = 1, .train = 72, .val = 10, .test = 10}), Error,
      Message("72 + 10 + 10 = 92 problems asked for, but there are only 81 with 1 digit"));
}

TEST_CASE("balanced sizes are refused with the class that is too small", "[addition]") {
  const Balance balance = Balance::kCarries;
  CHECK(refusal({.digits = 1, .train = 60, .val = 6, .test = 6, .balance = balance}) == "");
  CHECK(refusal({.digits = 1, .train = 61, .val = 6, .test = 6, .balance = balance}) ==
        "31 + 3 + 3 = 37 problems with 0 carries asked for, but there are only 36 with 1 digit");
}

TEST_CASE("nonsensical sizes are refused", "[addition]") {
  CHECK(refusal({.digits = 0}) == "0 digits asked for; between 1 and 9 can be");
  CHECK(refusal({.digits = 10}) == "10 digits asked for; between 1 and 9 can be");
  CHECK(refusal({.val = 0}) ==
        "10000 + 0 + 2000 problems asked for; each split needs at least one");
  CHECK(refusal({.test = -1}) ==
        "10000 + 2000 + -1 problems asked for; each split needs at least one");
}

}  // namespace
}  // namespace headway
