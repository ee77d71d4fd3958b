#include "lib/addition/carry_classes.h"

#include <algorithm>
#include <cassert>

namespace headway {
namespace {

// The digits that, with a given one, make a column carry or not: a contiguous range.
struct DigitRange {
  int first = 0;
  int count = 0;
};
DigitRange partners(int digit, int lowest, int in, int out) {
  const int first_that_carries = std::clamp(10 - in - digit, lowest, 10);
  return out ? DigitRange{first_that_carries, 10 - first_that_carries}
             : DigitRange{lowest, first_that_carries - lowest};
}

std::int64_t pairs(int lowest, int in, int out) {
  std::int64_t count = 0;
  for (int digit = lowest; digit <= 9; ++digit) count += partners(digit, lowest, in, out).count;
  return count;
}

}  // namespace

CarryClasses::CarryClasses(int digits) : digits_(digits) {
  assert(digits >= 1 && digits <= kMostDigits);
  const auto last = static_cast<std::size_t>(digits);
  ways_[last][0][0] = ways_[last][1][0] = 1;  // no column left
  for (int column = digits - 1; column >= 0; --column) {
    for (int in : {0, 1}) {
      for (int carries = 0; carries <= digits - column; ++carries) {
        std::int64_t& count = ways_[static_cast<std::size_t>(column)][static_cast<std::size_t>(in)]
                                   [static_cast<std::size_t>(carries)];
        for (int out : {0, 1})
          count += pairs(lowest_digit(column), in, out) * ways(column + 1, out, carries - out);
      }
    }
  }
}

std::int64_t CarryClasses::ways(int column, int in, int carries) const {
  if (carries < 0 || carries > digits_ - column) return 0;
  return ways_[static_cast<std::size_t>(column)][static_cast<std::size_t>(in)]
              [static_cast<std::size_t>(carries)];
}

AdditionProblem CarryClasses::at(int carries, std::int64_t index) const {
  assert(index >= 0 && index < count(carries));
  AdditionProblem problem;
  std::int64_t unit = 1;
  int in = 0;
  for (int column = 0; column < digits_; ++column, unit *= 10) {
    const int lowest = lowest_digit(column);
    const std::int64_t without = pairs(lowest, in, 0) * ways(column + 1, 0, carries);
    const int out = index >= without ? 1 : 0;
    if (out) index -= without;
    carries -= out;
    // One part of the remaining index selects the digits, the other everything after them.
    const std::int64_t rest = ways(column + 1, out, carries);
    std::int64_t pair = index / rest;
    index %= rest;
    int digit = lowest;
    for (; pair >= partners(digit, lowest, in, out).count; ++digit)
      pair -= partners(digit, lowest, in, out).count;
    problem.a += unit * digit;
    problem.b += unit * (partners(digit, lowest, in, out).first + pair);
    in = out;
  }
  return problem;
}

}  // namespace headway
