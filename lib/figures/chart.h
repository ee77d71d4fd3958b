// Lines, points or bars on common axes, in one panel or in a grid of panels that share their
// ranges. Knows nothing of tables: chart_table.h makes a chart of them.
#pragma once

#include <string>
#include <vector>

#include "lib/figures/figure.h"
#include "lib/numerics/statistics.h"

namespace headway {

enum class ChartStyle { kLines, kPoints, kBars };

struct ChartPoint {
  double x = 0;  // a number, or the place of a category: 1, 2, …
  Interval y;    // NaN: no value; both ends NaN: no interval
};

using ChartPoints = std::vector<ChartPoint>;  // of lines: from left to right

struct ChartSeries {
  std::string name;
  std::string style;  // the name that chooses its style (line_styles.h)
};

struct ChartPanel {
  std::string title;
  std::vector<ChartPoints> points;  // of each series; may be empty
};

struct Chart {
  ChartStyle style = ChartStyle::kLines;
  std::string subject;  // the comment at the top of the script
  std::string title;
  std::string x_name;
  std::string y_name;
  std::vector<std::string> categories = {};  // what stands along x; empty: numbers
  // Some of them may be left out where there is no room: they are numbers, in order.
  bool has_number_categories = false;
  bool has_log_x = false;
  bool has_log_y = false;
  std::vector<ChartSeries> series = {};
  std::vector<ChartPanel> panels = {};
};

// What can be told apart, and what a page has room for: callers refuse more.
inline constexpr std::size_t kMostLines = 28;
inline constexpr std::size_t kMostBarColours = 7;
inline constexpr std::size_t kMostChartPanels = 24;
inline constexpr std::size_t kMostCategories = 100;
inline constexpr std::size_t kMostNumberCategories = 1000;

// Needs at least one value. All values are at most kLargestNumber, and above 0 on a log axis.
Figure draw_chart(const Chart& chart, const FigureOptions& options);

}  // namespace headway
