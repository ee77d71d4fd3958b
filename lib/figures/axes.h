// Labels along an axis: which ones fit, and when they are slanted; lengths are in pixels. Also axes
// of percentages: near 100 % accuracies differ by tenths, so an axis from 0 would hide differences,
// and an axis that is always cut would exaggerate them.
#pragma once

#include <string>
#include <vector>

namespace headway {

inline constexpr double kAxisFont = 11;

// Which texts fit without touching: both ends first, then by rank (lower ones first, if there are
// any), then in order. `at` are their centres, `sizes` their lengths along the axis.
std::vector<bool> with_room(const std::vector<double>& at, const std::vector<double>& sizes,
                            std::vector<int> ranks = {});

// Printable, and each at most `width` columns wide.
std::vector<std::string> cut_labels(const std::vector<std::string>& labels, std::size_t width);

// Names below an x axis.
struct AxisLabels {
  std::vector<std::string> texts;  // shortened if very long
  bool are_slanted = false;
  double room = 0;      // height below the axis
  double overhang = 0;  // to the left of the first tick

  // gnuplot commands for the x axis; each text is at its number.
  std::string commands(const std::vector<double>& numbers) const;
};

AxisLabels lay_out_labels(const std::vector<std::string>& labels, double spacing);

// 1, 2 or 5 times a power of ten, such that the span has at most `most` steps.
double round_step(double span, double most);

// The spacing that labels need to stand side by side without a slant.
double label_spacing(const std::vector<std::string>& labels);

struct Range {
  double low = 0;
  double high = 100;
};

// An axis range for values in percent: from 0 if they are far apart or low, else just around them,
// at least a fifth of a point. May end slightly above 100, so that points there are fully visible.
Range percent_range(double lowest, double highest);

// For yes/no answers, where guessing gives 50 %: from 40 or lower, so that chance is always visible
// and figures are comparable.
Range percent_range_around_chance(double lowest);

// At most two decimals, rounded down: 99.99 for 99.996, so that only 100 is shown as 100.
std::string percent_label(double percent);
// "97.5 to 99.99", or one label if the lowest and the highest have the same.
std::string percent_span(const std::vector<double>& percents);

}  // namespace headway
