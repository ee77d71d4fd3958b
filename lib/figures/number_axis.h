// An axis of any numbers: its range, and round numbers to label. Chosen here and not by gnuplot,
// which would label a short logarithmic axis nowhere and a long number over its neighbour.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "lib/figures/axes.h"

namespace headway {

// The number, such that reading it gives the same number.
std::string exact(double number);
// Six digits as in number_text, or as many more as bring it within the tolerance.
std::string number_within(double number, double tolerance);

// The largest number that is drawn: beyond, ranges with a margin would be infinite.
inline constexpr double kLargestNumber = 1e300;

// The range of values, none of which is larger than that. On a logarithmic axis, all are above 0.
class RangeFinder {
 public:
  explicit RangeFinder(bool is_log) : is_log_(is_log) {}

  void add(double value);  // NaN counts for nothing
  bool found() const { return low_ <= high_; }
  double low() const { return low_; }
  double high() const { return high_; }
  // With a margin of this share on both sides; never empty. Needs a value.
  Range range(double margin) const;

 private:
  bool is_log_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

struct NumberTicks {
  std::vector<double> at;
  std::vector<std::string> labels;
  std::vector<double> minor = {};  // without labels

  // For `set xtics` and ytics.
  std::string list(bool with_labels = true) const;
};

// At most `most` labels, but not fewer than one.
NumberTicks number_ticks(const Range& range, bool is_log, std::size_t most);
// As many as stand side by side within these pixels.
NumberTicks number_ticks_along(const Range& range, bool is_log, double pixels);

}  // namespace headway
