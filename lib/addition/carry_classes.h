// Counts the addition problems with a given number of carries, and finds each by index. Works
// column by column, so that rare problems are as fast to draw as others.
#pragma once

#include <array>
#include <cstdint>

#include "lib/addition/addition.h"

namespace headway {

class CarryClasses {
 public:
  explicit CarryClasses(int digits);

  std::int64_t count(int carries) const { return ways(0, 0, carries); }
  // All problems with that many carries, each once, for index 0 .. count(carries) - 1.
  AdditionProblem at(int carries, std::int64_t index) const;

 private:
  // The number of ways to fill the columns from `column` on, with a carry of `in` into it, such
  // that `carries` of them carry.
  std::int64_t ways(int column, int in, int carries) const;
  int lowest_digit(int column) const { return column == digits_ - 1 ? 1 : 0; }

  int digits_;
  // By column, carry in, number of carries.
  std::array<std::array<std::array<std::int64_t, kMostDigits + 1>, 2>, kMostDigits + 1> ways_{};
};

}  // namespace headway
