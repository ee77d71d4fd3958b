// Where the parts of a chart stand on its page.
#pragma once

#include "lib/figures/axes.h"
#include "lib/figures/chart.h"
#include "lib/figures/number_axis.h"
#include "lib/figures/page.h"

namespace headway {

// Sizes are in pixels.
struct ChartLayout {
  Size size;                // of the page
  Panel area;               // of all panels
  std::size_t columns = 1;  // of panels
  double gap_x = 0;         // between panels
  double gap_y = 0;
  double below = 0;              // room for the labels of an x axis
  std::size_t legend_lines = 0;  // none for a single series
  Range x;
  Range y;
  AxisLabels categories;  // of x, if it has some
  NumberTicks x_ticks;    // else
  NumberTicks y_ticks;
};

ChartLayout lay_out_chart(const Chart& chart, const std::vector<LegendEntry>& legend,
                          const FigureOptions& options);

}  // namespace headway
