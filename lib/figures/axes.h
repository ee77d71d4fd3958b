// Texts along an axis: which of them have room, and when they are slanted; lengths are in pixels.
// And axes of percentages. Accuracies near 100 % differ by tenths: an axis from 0 would hide that,
// and one that is always cut would exaggerate it.
#pragma once

#include <string>
#include <vector>

namespace headway {

inline constexpr double kAxisFont = 11;

// Which texts can be shown without touching another: first both ends, then one after the other.
// `at` is where their middles are, `sizes` how much each takes along the axis.
std::vector<bool> with_room(const std::vector<double>& at, const std::vector<double>& sizes);

// Names of things side by side under an x axis.
struct AxisLabels {
  std::vector<std::string> texts;  // cut where they are very long
  bool are_slanted = false;
  double room = 0;      // under the axis
  double overhang = 0;  // left of where the first one points

  // gnuplot's, for the x axis; each text is at its number.
  std::string commands(const std::vector<double>& numbers) const;
};

AxisLabels lay_out_labels(const std::vector<std::string>& labels, double spacing);

// 1, 2 or 5 times a power of ten, so that the span has at most so many steps.
double round_step(double span, double most);

// What each label needs to stand beside the next one without a slant.
double label_spacing(const std::vector<std::string>& labels);

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
