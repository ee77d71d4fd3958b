#include "lib/figures/chart.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lib/base/text.h"
#include "lib/figures/chart_layout.h"
#include "lib/figures/line_styles.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

constexpr std::size_t kLongestSeriesName = 60;
constexpr std::size_t kMostMarked = 40;  // lines of more points have no marks
constexpr std::size_t kFewPoints = 300;  // series of more have small ones
constexpr double kBarGroup = 0.8;        // the width of all bars of a category
constexpr double kCap = 4;               // pixels of an error bar's ends, to each side

// Draws one panel after the other; what they share is computed once.
class ChartPainter {
 public:
  ChartPainter(const Chart& chart, const FigureOptions& options)
      : chart_(chart),
        styles_(line_styles(texts_of(chart.series, &ChartSeries::style))),
        most_points_(most_points()),
        layout_(lay_out_chart(chart, legend(), options)),
        page_(chart.subject, options, layout_.size, cut_title(chart.title, layout_.size.width)) {}

  Figure draw() {
    const std::vector<Panel> places =
        in_grid(layout_.area, layout_.columns, chart_.panels.size(), layout_.gap_x, layout_.gap_y);
    set_axes();
    page_.name_x_axis(layout_.area, fit_pixels(chart_.x_name, layout_.area.width() + 60, 12, 6),
                      layout_.below + 14);
    page_.name_y_axis(layout_.area, fit_pixels(chart_.y_name, layout_.area.height() + 40, 12, 6),
                      14, 2);
    for (std::size_t i = 0; i < places.size(); ++i) {
      page_.place(places[i]);
      if (is_grid()) {
        page_.add("set title {} offset 0,-0.5 font ',{}'",
                  literal(fit_pixels(chart_.panels[i].title, places[i].width() + 10, kAxisFont)),
                  kAxisFont);
        page_.add("set ytics {}", layout_.y_ticks.list(i % layout_.columns == 0));
      }
      draw_panel(chart_.panels[i]);
      if (i == 0) page_.add("unset label 1; unset label 2");
    }
    page_.add("unset xzeroaxis");
    if (layout_.legend_lines > 0) page_.legend(legend(), layout_.legend_lines);
    return page_.finish();
  }

 private:
  bool is_grid() const { return chart_.panels.size() > 1; }
  bool has_categories() const { return !chart_.categories.empty(); }
  double count() const { return static_cast<double>(chart_.series.size()); }

  std::size_t most_points() const {
    std::size_t most = 0;
    for (const ChartPanel& panel : chart_.panels) {
      for (const ChartPoints& points : panel.points) most = std::max(most, points.size());
    }
    return most;
  }

  void set_axes() {
    page_.add("set grid ytics {}", kGridStyle);
    page_.add("unset key; set tics font ',{}'", kAxisFont);
    if (chart_.has_log_x) page_.add("set logscale x");
    if (chart_.has_log_y) page_.add("set logscale y");
    page_.add("set xrange [{}:{}]", exact(layout_.x.low), exact(layout_.x.high));
    page_.add("set yrange [{}:{}]", exact(layout_.y.low), exact(layout_.y.high));
    if (has_categories()) {
      std::vector<double> places(chart_.categories.size());
      std::iota(places.begin(), places.end(), 1);
      page_.add("{}", layout_.categories.commands(places));
    } else {
      page_.add("set xtics {}", layout_.x_ticks.list());
    }
    page_.add("set ytics {}", layout_.y_ticks.list());
    if (chart_.style == ChartStyle::kBars && layout_.y.low < 0)
      page_.add("set xzeroaxis linetype 1 linecolor '#444444'");
  }

  std::string style_of(std::size_t series) const {
    const LineStyle& style = styles_[series];
    switch (chart_.style) {
      case ChartStyle::kPoints:
        return fmt::format("with points pt {} ps {} lw 1.5 lc '{}'", style.point,
                           most_points_ > kFewPoints ? 0.4 : 0.9, style.colour);
      case ChartStyle::kBars:
        return fmt::format("fs solid noborder lc '{}'", kLineColours[series]);
      case ChartStyle::kLines:
        break;
    }
    if (most_points_ <= kMostMarked) return style.with_points(0.7);
    return fmt::format("with lines lw 1.8 dt {} lc '{}'", style.dash, style.colour);
  }

  std::vector<LegendEntry> legend() const {
    const std::string boxes = chart_.style == ChartStyle::kBars ? "with boxes " : "";
    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < chart_.series.size(); ++i)
      entries.push_back(
          {boxes + style_of(i), fit(printable(chart_.series[i].name), kLongestSeriesName)});
    return entries;
  }

  void draw_panel(const ChartPanel& panel) {
    below_.clear();
    above_.clear();
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      if (panel.points[i].empty()) continue;
      const std::string& series = chart_.series[i].name;
      name_ = panel.title.empty() || series.empty() ? panel.title + series
                                                    : panel.title + ", " + series;
      chart_.style == ChartStyle::kLines ? add_line(panel.points[i], i)
                                         : add_marks(panel.points[i], i);
    }
    below_.insert(below_.end(), above_.begin(), above_.end());
    // A panel of gaps: gnuplot draws its axes only with something to plot.
    if (below_.empty()) below_.push_back("NaN notitle");
    page_.plot(below_);
  }

  using Points = std::vector<const ChartPoint*>;

  // The parts between gaps; `has` says whether a point is none.
  template <class Has>
  static std::vector<Points> pieces(const ChartPoints& points, Has has) {
    std::vector<Points> pieces;
    bool is_new = true;
    for (const ChartPoint& point : points) {
      if (has(point) && is_new) pieces.emplace_back();
      if (has(point)) pieces.back().push_back(&point);
      is_new = !has(point);
    }
    return pieces;
  }

  static bool has_value(const ChartPoint& point) { return !std::isnan(point.y.value); }
  static bool has_interval(const ChartPoint& point) { return !std::isnan(point.y.low); }

  // Empty rows between the pieces interrupt what gnuplot draws.
  template <class Row>
  std::size_t add_block(const std::string& what, const std::vector<std::string>& columns,
                        const std::vector<Points>& pieces, Row row) {
    Rows rows;
    for (const Points& piece : pieces) {
      if (!rows.empty()) rows.emplace_back();
      for (const ChartPoint* point : piece) rows.push_back(row(*point));
    }
    return page_.block(name_.empty() ? what : name_ + ": " + what, columns, rows);
  }

  std::size_t add_values(const std::string& what, const std::vector<Points>& pieces) {
    return add_block(what, {"x", "value"}, pieces, [](const ChartPoint& point) {
      return std::vector<std::string>{exact(point.x), exact(point.y.value)};
    });
  }

  std::size_t add_intervals(const std::string& what, const std::vector<Points>& pieces) {
    return add_block(what, {"x", "low", "high"}, pieces, [](const ChartPoint& point) {
      return std::vector<std::string>{exact(point.x), exact(point.y.low), exact(point.y.high)};
    });
  }

  // Not gnuplot's yerrorbars: they clear a circle for a point, although there may be none.
  std::string error_bars(std::size_t index, const std::string& x, std::string_view colour) const {
    return fmt::format(
        "'figure.dat' index {} using {}:2:(0):($3-$2) with vectors heads size screen {:.4f},90 "
        "fixed lw 1.2 lc '{}'",
        index, x, kCap / page_.size().width, colour);
  }

  // A line with its band. What stands alone between gaps has no length: it becomes a point, and its
  // band an error bar.
  void add_line(const ChartPoints& points, std::size_t series) {
    const auto alone = [](const Points& piece) { return piece.size() == 1; };
    std::vector<Points> bands = pieces(points, has_interval), lines = pieces(points, has_value);
    std::vector<Points> bars, dots;
    std::ranges::copy_if(bands, std::back_inserter(bars), alone);
    std::erase_if(bands, alone);
    if (most_points_ > kMostMarked) {  // else every point has a mark
      std::ranges::copy_if(lines, std::back_inserter(dots), alone);
      std::erase_if(lines, alone);
    }
    const LineStyle& style = styles_[series];
    if (!bands.empty())
      below_.push_back(fmt::format(
          "'figure.dat' index {} using 1:2:3 with filledcurves fs transparent solid 0.2 "
          "noborder fc '{}'",
          add_intervals("intervals", bands), style.colour));
    if (!bars.empty())
      below_.push_back(error_bars(add_intervals("single intervals", bars), "1", style.colour));
    if (!lines.empty())
      above_.push_back(fmt::format("'figure.dat' index {} using 1:2 {}",
                                   add_values("values", lines), style_of(series)));
    if (!dots.empty())
      above_.push_back(
          fmt::format("'figure.dat' index {} using 1:2 with points pt 7 ps 0.4 lc '{}'",
                      add_values("single values", dots), style.colour));
  }

  // How far a series stands from the middle of its category, and the width of its bars.
  double bar_width() const { return kBarGroup / count(); }
  double shift(std::size_t series) const {
    if (!has_categories()) return 0;
    const double step =
        chart_.style == ChartStyle::kBars ? bar_width() : std::min(0.12, kBarGroup / count());
    return step * (static_cast<double>(series) - (count() - 1) / 2);
  }

  void add_marks(const ChartPoints& points, std::size_t series) {
    const double by = shift(series);
    const std::string x = by == 0 ? "1" : fmt::format("($1{:+.4g})", by);
    const bool are_bars = chart_.style == ChartStyle::kBars;
    if (const auto values = pieces(points, has_value); !values.empty()) {
      const std::size_t index = add_values("values", joined(values));
      // Bars are below their intervals, points above them.
      (are_bars ? below_ : above_)
          .push_back(
              are_bars
                  ? fmt::format("'figure.dat' index {} using 1:2:($1{:+.4g}):($1{:+.4g}):({}):"
                                "2 with boxxyerror {}",
                                index, by - bar_width() / 2, by + bar_width() / 2,
                                chart_.has_log_y ? exact(layout_.y.low) : "0", style_of(series))
                  : fmt::format("'figure.dat' index {} using {}:2 {}", index, x, style_of(series)));
    }
    if (const auto intervals = pieces(points, has_interval); !intervals.empty())
      (are_bars ? above_ : below_)
          .push_back(error_bars(add_intervals("intervals", joined(intervals)), x,
                                are_bars ? "#333333" : styles_[series].colour));
  }

  // Marks have no gaps between them.
  static std::vector<Points> joined(const std::vector<Points>& pieces) {
    Points all;
    for (const Points& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
    return {all};
  }

  const Chart& chart_;
  const std::vector<LineStyle> styles_;
  const std::size_t most_points_;  // of a series in a panel
  const ChartLayout layout_;
  Page page_;
  std::string name_;                // of the series' data blocks
  std::vector<std::string> below_;  // parts of the panel's plot
  std::vector<std::string> above_;
};

}  // namespace

Figure draw_chart(const Chart& chart, const FigureOptions& options) {
  return ChartPainter(chart, options).draw();
}

}  // namespace headway
