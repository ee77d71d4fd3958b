// The addition problems with a given number of carries: how many there are, and each of them by an
// index. Counted column by column, so that drawing one that carries in all of nine columns takes no
// longer than any other.
#pragma once

#include <array>
#include <cstdint>

#include "lib/addition/addition.h"

namespace headway {

class CarryClasses {
 public:
  explicit CarryClasses(int digits);

  std::int64_t count(int carries) const { return ways(0, 0, carries); }
  // Each problem with that many carries once, for index 0 .. count(carries) - 1.
  AdditionProblem at(int carries, std::int64_t index) const;

 private:
  // In how many ways the columns from `column` on can be filled, with a carry of `in` into it, so
  // that `carries` of them carry.
  std::int64_t ways(int column, int in, int carries) const;
  int lowest_digit(int column) const { return column == digits_ - 1 ? 1 : 0; }

  int digits_;
  // By column, carry into it, carries from there on.
  std::array<std::array<std::array<std::int64_t, kMostDigits + 1>, 2>, kMostDigits + 1> ways_{};
};

}  // namespace headway
