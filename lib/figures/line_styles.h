// Line styles that combine colour, dashes and points, for more lines than there are colours; and
// lines with bands.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/figures/page.h"
#include "lib/numerics/statistics.h"

namespace headway {

struct LineStyle {
  std::string_view colour;
  int dash = 1;   // gnuplot's `dt`
  int point = 7;  // gnuplot's `pt`
  bool operator==(const LineStyle&) const = default;

  // "with linespoints …"
  std::string with_points(double size) const;
};

// A style for each name. For items of two axes ("alibi-mean", "alibi-max"), colour shows one axis,
// dashes and points the other; other names use all colours first.
std::vector<LineStyle> line_styles(const std::vector<std::string>& names);

using IntervalsByX = std::multimap<double, Interval>;

// A line through values, with a band for their intervals.
struct BandedLine {
  std::string name;  // of the data block
  IntervalsByX points;
  std::string_view colour;  // of the band
  std::string style;        // of the line: "with lines …"
};

// Plots accuracies against the quantity `x`. Bands are drawn first, so that they cover no lines.
void plot_accuracies(Page& page, const std::string& x, const std::vector<BandedLine>& lines,
                     double opacity);

}  // namespace headway
