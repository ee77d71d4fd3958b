// Texts along an axis: which of them have room, and when they are slanted. Lengths are in pixels.
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

}  // namespace headway
