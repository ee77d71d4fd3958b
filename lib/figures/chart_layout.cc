#include "lib/figures/chart_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway {
namespace {

constexpr double kWidestPanels = 1200;  // pixels of panels side by side
constexpr double kChartRight = 25;
constexpr double kNameRoom = 22;  // for the name of the y axis

bool is_grid(const Chart& chart) {
  return chart.panels.size() > 1;
}

void find_ranges(const Chart& chart, ChartLayout& layout) {
  RangeFinder x(chart.has_log_x), y(chart.has_log_y);
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartPoints& points : panel.points) {
      for (const ChartPoint& point : points) {
        x.add(point.x);
        for (const double value : {point.y.value, point.y.low, point.y.high}) y.add(value);
      }
    }
  }
  const bool from_zero = chart.style == ChartStyle::kBars && !chart.has_log_y;
  if (from_zero) y.add(0);
  layout.x = x.range(0.03);
  layout.y = y.range(0.06);
  // No margin where the bars begin.
  if (from_zero && y.low() == 0) layout.y.low = 0;
  if (from_zero && y.high() == 0 && y.low() < 0) layout.y.high = 0;
  const double places = static_cast<double>(chart.categories.size());
  if (places > 0) layout.x = {0.5, places + 0.5};
}

double usual_width(const Chart& chart) {
  const double usual = is_grid(chart) ? 300 : 580, largest = is_grid(chart) ? 380 : 1100;
  if (chart.categories.empty()) return usual;
  const double places = static_cast<double>(chart.categories.size());
  const double series = static_cast<double>(chart.series.size());
  const double bars = chart.style == ChartStyle::kBars ? places * (5 * series + 4) : 0;
  if (chart.has_number_categories) return std::max(usual, std::min(bars, 5000.0));
  const double labels = places * label_spacing(chart.categories);
  return std::max({usual, bars, labels <= largest ? std::ceil(labels) : 26 * places});
}

// Every 2nd, 5th, 10th, … of so many labels that they stand side by side.
std::size_t label_step(const std::vector<std::string>& labels, double spacing) {
  const double needed = label_spacing(labels) / spacing;
  return needed <= 1 ? 1 : static_cast<std::size_t>(round_step(needed, 1));
}

// All names are shown, but of numbers only as many as fit.
AxisLabels labels_along(const Chart& chart, double width) {
  const double spacing = width / static_cast<double>(chart.categories.size());
  if (!chart.has_number_categories) return lay_out_labels(chart.categories, spacing);
  AxisLabels labels = lay_out_labels(chart.categories, std::numeric_limits<double>::infinity());
  const std::size_t step = label_step(labels.texts, spacing);
  for (std::size_t i = 0; i < labels.texts.size(); ++i) {
    if (i % step != 0) labels.texts[i].clear();
  }
  return labels;
}

}  // namespace

ChartLayout lay_out_chart(const Chart& chart, const std::vector<LegendEntry>& legend,
                          const FigureOptions& options) {
  ChartLayout layout;
  find_ranges(chart, layout);
  const bool has_categories = !chart.categories.empty();
  const double usual = usual_width(chart), usual_height = is_grid(chart) ? 200 : 360;
  const double fitting = std::clamp(std::floor(kWidestPanels / usual), 1.0, 3.0);
  layout.columns = even_columns(chart.panels.size(), static_cast<std::size_t>(fitting));
  const double columns = static_cast<double>(layout.columns);
  const double rows = std::ceil(static_cast<double>(chart.panels.size()) / columns);

  const double height = options.size.height > 0 ? options.size.height / rows - 80 : usual_height;
  layout.y_ticks = number_ticks(layout.y, chart.has_log_y,
                                static_cast<std::size_t>(std::clamp(height / 40, 2.0, 8.0)));
  double left = kNameRoom + 18 + text_width(layout.y_ticks.labels, kAxisFont);
  layout.gap_x = 26;
  const auto panel_width = [&](int page_width) {
    return (page_width - left - kChartRight - layout.gap_x * (columns - 1)) / columns;
  };
  if (has_categories) {
    // Slanted labels extend to the left of their panel.
    const int asked = options.size.width;
    const double width = asked > 0 ? panel_width(asked) : usual;
    const double half_a_place = width / static_cast<double>(chart.categories.size()) / 2;
    const double overhang = labels_along(chart, width).overhang - half_a_place;
    left = std::max(left, overhang + kNameRoom);
    layout.gap_x = std::max(layout.gap_x, overhang + 8);
  }
  const double needed = left + columns * usual + layout.gap_x * (columns - 1) + kChartRight;
  const int width = size_or(options.size, {static_cast<int>(needed), 0}).width;
  if (has_categories) {
    layout.categories = labels_along(chart, panel_width(width));
  } else {
    layout.x_ticks = number_ticks_along(layout.x, chart.has_log_x, panel_width(width));
  }
  layout.below = has_categories ? layout.categories.room : kAxisFont + 10;

  layout.legend_lines = legend.size() > 1 ? legend_lines(legend, width) : 0;
  const double legend_room =
      layout.legend_lines > 0 ? 12 + kLegendLine * static_cast<double>(layout.legend_lines) : 0;
  const double foot = layout.below + 34 + legend_room;
  const double above = is_grid(chart) ? 22 : 0, top = 48 + above;
  layout.gap_y = layout.below + 10 + above;
  const double all_rows = rows * usual_height + (rows - 1) * layout.gap_y;
  layout.size = size_or(options.size, {width, static_cast<int>(top + all_rows + foot)});
  layout.area = {left, width - kChartRight, top, layout.size.height - foot};
  return layout;
}

}  // namespace headway
