// Percentages: how they are written, and the range of their axis. Accuracies near 100 % differ by
// tenths: an axis from 0 would hide that, and one that is always cut would exaggerate it.
#pragma once

#include <string>

namespace headway {

struct Range {
  double low = 0;
  double high = 100;
};

// A range around the values from `lowest` to `highest`, both in percent: from 0 where they are far
// apart, else cut to what is there, and never narrower than a fifth of a point. Ends just above
// 100, so that points at 100 % are seen whole.
Range percent_range(double lowest, double highest);

// For answers of yes or no, where guessing gets 50 %: from 40, or lower where a value is, so that
// chance is always on the axis and figures can be compared.
Range percent_range_around_chance(double lowest);

// 99.99 for 99.996: rounded down, so that nothing but 100 is called 100. At most two decimals.
std::string percent_label(double percent);

}  // namespace headway
