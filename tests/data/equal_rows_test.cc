#include "lib/data/equal_rows.h"

#include <catch2/catch_test_macros.hpp>
#include <map>

#include "lib/numerics/random.h"

namespace headway {
namespace {

using RowNumbers = std::vector<std::int64_t>;
using Rows = std::vector<std::vector<Token>>;

EqualRows numbers_of(const Rows& rows) {
  return number_rows(std::ssize(rows), [&](std::int64_t row) {
    return std::span<const Token>(rows[static_cast<std::size_t>(row)]);
  });
}

TEST_CASE("equal rows have the same number, in the order of their appearance", "[data]") {
  const EqualRows equal = numbers_of({{3, 1}, {2}, {3, 1}, {1, 3}, {2}, {}, {3, 1}});
  CHECK(equal.number == RowNumbers{0, 1, 0, 2, 1, 3, 0});
  CHECK(equal.count == 4);
}

TEST_CASE("no rows have no numbers", "[data]") {
  CHECK(numbers_of({}).number.empty());
  CHECK(numbers_of({}).count == 0);
}

TEST_CASE("rows that begin alike are different", "[data]") {
  CHECK(numbers_of({{1}, {1, 0}, {1, 0, 0}, {0, 1}}).count == 4);
}

TEST_CASE("many rows are numbered as a map would number them", "[data]") {
  RandomStream random(641);
  Rows rows;
  for (int i = 0; i < 20'000; ++i) {
    rows.emplace_back(random.below(4));
    for (Token& token : rows.back()) token = static_cast<Token>(random.below(20));
  }
  std::map<std::vector<Token>, std::int64_t> known;
  RowNumbers expected;
  for (const auto& row : rows)
    expected.push_back(known.emplace(row, std::ssize(known)).first->second);
  const EqualRows equal = numbers_of(rows);
  CHECK(equal.number == expected);
  CHECK(equal.count == std::ssize(known));
}

}  // namespace
}  // namespace headway
