#include "lib/addition/carry_classes.h"

#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <set>
#include <vector>

namespace headway {
namespace {

TEST_CASE("counting problems by their carries agrees with enumerating them", "[addition]") {
  for (const int digits : {1, 2, 3}) {
    CAPTURE(digits);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(digits) + 1);
    for (std::int64_t i = 0; i < problem_count(digits); ++i) {
      ++counts[static_cast<std::size_t>(carry_pattern(problem_at(digits, i)).carries)];
    }
    const CarryClasses classes(digits);
    for (int carries = 0; carries <= digits; ++carries) {
      CHECK(classes.count(carries) == counts[static_cast<std::size_t>(carries)]);
    }
  }
}

TEST_CASE("the carry classes partition all problems", "[addition]") {
  for (int digits = 1; digits <= kMostDigits; ++digits) {
    const CarryClasses classes(digits);
    std::int64_t total = 0;
    for (int carries = 0; carries <= digits; ++carries) total += classes.count(carries);
    CHECK(total == problem_count(digits));
  }
}

TEST_CASE("every index of a class is a different problem with that many carries", "[addition]") {
  const CarryClasses classes(2);
  std::set<AdditionProblem> found;
  for (int carries = 0; carries <= 2; ++carries) {
    for (std::int64_t index = 0; index < classes.count(carries); ++index) {
      const AdditionProblem problem = classes.at(carries, index);
      REQUIRE(carry_pattern(problem).carries == carries);
      REQUIRE((problem.a >= 10 && problem.a <= 99 && problem.b >= 10 && problem.b <= 99));
      found.insert(problem);
    }
  }
  CHECK(found.size() == 8100);
}

TEST_CASE("the first and last problems of every nine-digit class have nine digits", "[addition]") {
  const CarryClasses classes(9);
  for (int carries = 0; carries <= 9; ++carries) {
    for (const std::int64_t index : {std::int64_t{0}, classes.count(carries) - 1}) {
      const AdditionProblem problem = classes.at(carries, index);
      CHECK(carry_pattern(problem).carries == carries);
      CHECK(std::min(problem.a, problem.b) >= 100'000'000);
      CHECK(std::max(problem.a, problem.b) <= 999'999'999);
    }
  }
}

}  // namespace
}  // namespace headway
