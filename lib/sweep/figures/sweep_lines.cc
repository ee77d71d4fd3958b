#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/axes.h"
#include "lib/figures/line_styles.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"
#include "lib/sweep/figures/kinds.h"
#include "lib/sweep/figures/sweep_table.h"

namespace headway {
namespace {

constexpr std::size_t kMostLines = 28;  // that line_styles can tell apart
constexpr std::size_t kLongestName = 60;
constexpr double kPointSize = 0.7;
constexpr double kUsualWidth = 580;  // of the panel
constexpr double kLargestWidth = 1100;

struct MetricLine {
  std::string name;                  // "lr 0.001, d_model 64"; empty for a single line
  std::string style;                 // indices of the axis values, for line_styles: "0-1"
  std::vector<MeanInterval> points;  // for each value of x
};

std::vector<MetricLine> lines_of(const Sweep& sweep, std::size_t x,
                                 const std::vector<std::size_t>& others) {
  const SweepGroups groups = group_by(sweep, others);
  if (groups.size() > kMostLines)
    throw Error(
        "{} lines are more than can be told apart ({}): one for each combination of the axes "
        "beside '{}'; kind 'parallel-coordinates' draws them all",
        groups.size(), kMostLines, printable(sweep.axes[x].column));
  std::vector<MetricLine> lines;
  for (const auto& [values, configurations] : groups) {
    MetricLine& line = lines.emplace_back();
    line.name = sweep.describe(*configurations[0], others);
    line.style = fmt::format("{}", fmt::join(values, "-"));
    line.points.resize(sweep.axes[x].size());
    for (const SweepConfiguration* one : configurations) line.points[one->values[x]] = one->metric;
  }
  return lines;
}

Range y_range(const Sweep& sweep) {
  constexpr double kSpace = 0.06;
  Range range = range_of_means(sweep);
  for (const SweepConfiguration& configuration : sweep.configurations) {
    const MeanInterval& metric = configuration.metric;
    if (metric.count < 2) continue;
    range.low = std::min(range.low, metric.low());
    range.high = std::max(range.high, metric.high());
  }
  if (sweep.is_share) return percent_range(range.low, range.high);
  const double margin = kSpace * (range.high - range.low);
  return {range.low - margin, range.high + margin};
}

// The panel's x axis: range, ticks, and the offset of points with the same value.
class ValueAxis {
 public:
  ValueAxis(const TableAxis& axis, double pixels) : axis_(axis), pixels_(pixels) {
    low_ = axis.place(axis.numbers.front());
    high_ = axis.place(axis.numbers.back());
    double margin = 0.05 * (high_ - low_);
    if (axis.scale == AxisScale::kCategories) margin = 0.5;
    if (axis.size() == 1 && axis.scale == AxisScale::kLinear)
      margin = low_ == 0 ? 1 : 0.5 * std::abs(low_);
    low_ -= margin;
    high_ += margin;
  }

  double at(std::size_t value) const {  // pixels from the left
    return pixels_ * (axis_.place(axis_.numbers[value]) - low_) / (high_ - low_);
  }

  double smallest_gap() const {
    double smallest = pixels_;
    for (std::size_t i = 1; i < axis_.size(); ++i) smallest = std::min(smallest, at(i) - at(i - 1));
    return smallest;
  }

  // Shows all category names, but only those numbers that fit.
  AxisLabels labels() const {
    if (axis_.scale == AxisScale::kCategories) return lay_out_labels(axis_.labels, smallest_gap());
    AxisLabels labels = lay_out_labels(axis_.labels, std::numeric_limits<double>::infinity());
    std::vector<double> middles, sizes;
    for (std::size_t i = 0; i < axis_.size(); ++i) {
      middles.push_back(at(i));
      sizes.push_back(label_spacing({labels.texts[i]}));
    }
    const std::vector<bool> shown = with_room(middles, sizes);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (!shown[i]) labels.texts[i].clear();
    }
    return labels;
  }

  std::string commands() const {
    const AxisLabels shown = labels();
    const bool is_log = axis_.scale == AxisScale::kLogarithmic;
    return fmt::format("{}set xrange [{}:{}]\n{}", is_log ? "set logscale x\n" : "",
                       number_text(is_log ? std::exp(low_) : low_),
                       number_text(is_log ? std::exp(high_) : high_),
                       shown.commands(axis_.numbers));
  }

  // The first data column, shifted right by this many pixels.
  std::string moved(double pixels) const {
    if (pixels == 0) return "1";
    const double by = pixels * (high_ - low_) / pixels_;
    return axis_.scale == AxisScale::kLogarithmic ? fmt::format("($1*{:.6g})", std::exp(by))
                                                  : fmt::format("($1+{:.6g})", by);
  }

 private:
  const TableAxis& axis_;
  double pixels_;
  double low_ = 0;  // on the scale
  double high_ = 0;
};

std::size_t add_block(Page& page, const Sweep& sweep, const TableAxis& axis,
                      const MetricLine& line) {
  Rows rows;
  for (std::size_t i = 0; i < axis.size(); ++i) {
    const MeanInterval& point = line.points[i];
    // A row without numbers interrupts the line where trials failed.
    rows.push_back({cell(axis.numbers[i]), cell(point.mean), cell(point.low()), cell(point.high()),
                    cell(point.count), cell(axis.labels[i])});
  }
  return page.block(line.name.empty() ? sweep.metric : line.name,
                    {"x", "mean", "low", "high", "seeds", "label"}, rows);
}

// Draws intervals first, so that they cover no points.
void draw_lines(Page& page, const Sweep& sweep, const TableAxis& axis, const ValueAxis& scale,
                const std::vector<MetricLine>& lines, const std::vector<LineStyle>& styles) {
  const double count = static_cast<double>(lines.size());
  // Shifted, so that intervals at the same value do not hide each other.
  const double step =
      sweep.has_intervals() ? std::min(5.0, 0.5 * scale.smallest_gap() / count) : 0.0;
  std::vector<std::string> bars, curves;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t index = add_block(page, sweep, axis, lines[i]);
    const std::string x = scale.moved(step * (static_cast<double>(i) - (count - 1) / 2));
    if (std::ranges::any_of(lines[i].points,
                            [](const MeanInterval& point) { return point.count > 1; }))
      bars.push_back(
          fmt::format("'figure.dat' index {} using {}:2:3:4 with yerrorbars ps 0 lw 1.2 lc '{}'",
                      index, x, styles[i].colour));
    curves.push_back(fmt::format("'figure.dat' index {} using {}:2 {}", index, x,
                                 styles[i].with_points(kPointSize)));
  }
  bars.insert(bars.end(), curves.begin(), curves.end());
  page.plot(bars);
}

double panel_width(const TableAxis& axis) {
  if (axis.scale != AxisScale::kCategories) return kUsualWidth;
  const double count = static_cast<double>(axis.size());
  const double side_by_side = count * label_spacing(axis.labels);
  if (side_by_side <= kLargestWidth) return std::max(kUsualWidth, std::ceil(side_by_side));
  return std::max(kUsualWidth, 26 * count);
}

// The metric's name may be longer than the axis.
void name_y_axis(Page& page, const Sweep& sweep, const Panel& panel) {
  const std::string unit = sweep.is_share ? " (%)" : "";
  const std::string interval = sweep.has_intervals() ? ", 95 % interval" : "";
  const double letters = (panel.height() + 60) / text_width({"x"}, 12);
  const std::size_t rest = display_width(unit + interval);
  const std::size_t room =
      static_cast<std::size_t>(std::max(8.0, letters - static_cast<double>(rest)));
  page.add("set ylabel {}", literal(fit(printable(sweep.metric), room) + unit + interval));
}

}  // namespace

Figure draw_sweep_lines(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  constexpr double kLeft = 80, kRight = 25, kTop = 48, kPanelHeight = 360;
  const Sweep sweep = read_sweep(tables, options);
  const std::size_t x = choose_axis(sweep, "x", options.x, other_axes(sweep, {}));
  const TableAxis& axis = sweep.axes[x];
  const std::vector<MetricLine> lines = lines_of(sweep, x, other_axes(sweep, {x}));
  const std::vector<LineStyle> styles = line_styles(texts_of(lines, &MetricLine::style));
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < lines.size() && !lines[i].name.empty(); ++i)
    entries.push_back(
        {styles[i].with_points(kPointSize), fit(printable(lines[i].name), kLongestName)});

  const int usual = static_cast<int>(kLeft + panel_width(axis) + kRight);
  const int width = size_or(options.size, {usual, 0}).width;
  // Slanted labels may extend further left than the y axis numbers.
  const ValueAxis first_try(axis, width - kLeft - kRight);
  const AxisLabels labels = first_try.labels();
  const double left = std::max(kLeft, labels.overhang - 0.8 * first_try.at(0));
  const std::size_t legend = entries.empty() ? 0 : legend_lines(entries, width);
  const double foot =
      labels.room + 34 + (legend > 0 ? 12 + kLegendLine * static_cast<double>(legend) : 0);
  const std::string title =
      fmt::format("{} against {}: {}", sweep.metric, axis.name, sweep.describe_best());
  Page page("sweep-lines: a metric of a sweep's trials against one of its axes", options,
            {usual, static_cast<int>(kTop + kPanelHeight + foot)}, cut_title(title, width));
  const Panel panel{left, width - kRight, kTop, page.size().height - foot};
  const ValueAxis scale(axis, panel.width());
  const Range range = y_range(sweep);
  page.place(panel);
  page.name_x_axis(panel, fit(printable(axis.column), kLongestName), labels.room + 14);
  name_y_axis(page, sweep, panel);
  page.add("set grid ytics {}", kGridStyle);
  page.add("unset key; set bars 0.6");
  page.add("{}", scale.commands());
  page.add("set yrange [{}:{}]", number_text(range.low), number_text(range.high));
  draw_lines(page, sweep, axis, scale, lines, styles);
  if (legend > 0) page.legend(entries, legend);
  return page.finish();
}

}  // namespace headway
