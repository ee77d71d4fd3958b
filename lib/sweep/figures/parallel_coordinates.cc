#include <algorithm>
#include <map>
#include <numeric>

#include "lib/base/text.h"
#include "lib/figures/axes.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"
#include "lib/sweep/figures/kinds.h"
#include "lib/sweep/figures/sweep_table.h"

namespace headway {
namespace {

constexpr std::size_t kLongestLabel = 20;
constexpr double kLabelFont = 10;
constexpr double kLabelHeight = 14;
constexpr std::size_t kMostLabels = 10;
constexpr double kMargin = 0.05;  // beyond the first and last value, as a share of the axis
constexpr double kSpread = 9;     // pixels by which lines through one value are spread to each side

// The metric's range, also used for the colours.
Range metric_range(const Sweep& sweep) {
  return range_of_means(sweep, kMargin);
}

// Configurations without a result first, then from worst to best: better ones are drawn on top.
std::vector<std::size_t> worst_first(const Sweep& sweep) {
  std::vector<std::size_t> order(sweep.configurations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return sweep.is_better(sweep.configurations[b], sweep.configurations[a]);
  });
  return order;
}

// Heights of all configurations on one axis, from 0 to 1. Lines through the same value are spread,
// ordered by their metric, so that they do not hide each other.
std::vector<double> heights_on(const Sweep& sweep, std::size_t axis, double pixels) {
  const TableAxis& scale = sweep.axes[axis];
  const double spread = std::min(kSpread / pixels, 0.3 * (1 - 2 * kMargin) * scale.smallest_gap());
  std::vector<std::size_t> upwards = worst_first(sweep);
  if (sweep.goal == Goal::kMin) std::reverse(upwards.begin(), upwards.end());
  std::map<std::size_t, std::vector<std::size_t>> through;  // by value, lowest metric first
  for (const std::size_t i : upwards) through[sweep.configurations[i].values[axis]].push_back(i);
  std::vector<double> heights(sweep.configurations.size());
  for (const auto& [value, lines] : through) {
    const double middle = kMargin + (1 - 2 * kMargin) * scale.share(value);
    const double last = static_cast<double>(lines.size() - 1);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const double place = last > 0 ? 2 * static_cast<double>(i) / last - 1 : 0;
      heights[lines[i]] = middle + spread * place;
    }
  }
  return heights;
}

// The data of some configurations' lines, separated by empty rows. `heights` are by axis and
// configuration.
Rows line_rows(const Sweep& sweep, const std::vector<std::vector<double>>& heights,
               const std::vector<std::size_t>& configurations) {
  const Range range = metric_range(sweep);
  Rows rows;
  for (const std::size_t i : configurations) {
    const SweepConfiguration& configuration = sweep.configurations[i];
    const double mean = configuration.metric.mean;
    if (!rows.empty()) rows.emplace_back();
    for (std::size_t axis = 0; axis < heights.size(); ++axis)
      rows.push_back({cell(axis), cell(heights[axis][i]), cell(mean),
                      cell(sweep.axes[axis].labels[configuration.values[axis]])});
    if (!configuration.has_result()) continue;
    rows.push_back({cell(heights.size()), cell((mean - range.low) / (range.high - range.low)),
                    cell(mean), cell(sweep.value_text(mean))});
  }
  return rows;
}

constexpr const char* kFailedStyle = "with lines lw 1 dt 2 lc '#999999'";

void draw_lines(Page& page, const Sweep& sweep, const Panel& panel) {
  std::vector<std::vector<double>> heights;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
    heights.push_back(heights_on(sweep, axis, panel.height()));
  std::vector<std::size_t> failed, others;
  for (const std::size_t i : worst_first(sweep)) {
    if (i != sweep.best) (sweep.configurations[i].has_result() ? others : failed).push_back(i);
  }
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const std::vector<std::size_t>& configurations,
                       const std::vector<std::string>& styles) {
    if (configurations.empty()) return;
    const std::size_t index = page.block(name, {"axis", "height", "metric", "value"},
                                         line_rows(sweep, heights, configurations));
    for (const std::string& style : styles)
      parts.push_back(fmt::format("'figure.dat' index {} using {}", index, style));
  };
  add("without a result", failed, {std::string("1:2 ") + kFailedStyle});
  add("configurations, the worst first", others, {"1:2:3 with lines lw 1.3 lc palette"});
  add("the best", {sweep.best},
      {"1:2 with lines lw 6 lc '#FFFFFF'", "1:2:3 with lines lw 4 lc palette"});
  page.plot(parts);
}

// A vertical line with its values to the left.
void draw_axis(Page& page, const TableAxis& axis, std::size_t place, double pixels) {
  page.add("set arrow from {0}, 0 to {0}, 1 nohead front lw 1 lc '#444444'", place);
  const std::vector<std::string> texts = cut_labels(axis.labels, kLongestLabel);
  std::vector<double> heights, at;
  for (std::size_t i = 0; i < axis.size(); ++i) {
    heights.push_back(kMargin + (1 - 2 * kMargin) * axis.share(i));
    at.push_back(pixels * heights.back());
  }
  // If there are many random values, a few are enough to show the scale.
  const double height = axis.size() > kMostLabels ? 3 * kLabelHeight : kLabelHeight;
  const std::vector<bool> shown = with_room(at, std::vector<double>(at.size(), height));
  for (std::size_t i = 0; i < axis.size(); ++i) {
    if (!shown[i]) continue;
    page.add("set label {} at {}, {:.4f} right offset -0.7,0 front boxed font ',{}'",
             literal(texts[i]), place, heights[i], kLabelFont);
  }
}

// Axis names; the metric is last.
std::vector<std::string> axis_names(const Sweep& sweep) {
  std::vector<std::string> names;
  for (const TableAxis& axis : sweep.axes) names.push_back(printable(axis.name));
  names.push_back(printable(sweep.metric_name()));
  return names;
}

// Distance between two axes, with room for names and values.
double axis_spacing(const Sweep& sweep) {
  constexpr double kSmallest = 130, kLargest = 260, kBetween = 14, kForLines = 60;
  const std::vector<std::string> names = axis_names(sweep);
  double spacing = kSmallest;
  for (std::size_t i = 1; i < names.size(); ++i) {
    const double width =
        (text_width({names[i - 1]}, kAxisFont) + text_width({names[i]}, kAxisFont)) / 2;
    spacing = std::max(spacing, width + kBetween);
  }
  for (std::size_t i = 1; i < sweep.axes.size(); ++i)
    spacing =
        std::max(spacing, text_width(cut_labels(sweep.axes[i].labels, kLongestLabel), kLabelFont) +
                              kForLines);
  return std::min(spacing, kLargest);
}

// Cuts names that would touch their neighbours.
std::vector<std::string> fit_names(std::vector<std::string> names, double spacing) {
  const auto width = [&](std::size_t i) { return text_width({names[i]}, kAxisFont); };
  std::vector<std::string> fitting = names;
  for (std::size_t i = 1; i < names.size(); ++i) {
    if ((width(i - 1) + width(i)) / 2 + 8 <= spacing) continue;
    for (const std::size_t touching : {i - 1, i})
      fitting[touching] = fit_pixels(names[touching], spacing - 8, kAxisFont, 4);
  }
  return fitting;
}

void name_axes(Page& page, const std::vector<std::string>& names, const Panel& panel) {
  const double spacing = panel.width() / static_cast<double>(names.size() - 1);
  const std::vector<std::string> fitting = fit_names(names, spacing);
  for (std::size_t i = 0; i < names.size(); ++i)
    page.add("set label {} at screen {:.4f}, screen {:.4f} center font ',{}'", literal(fitting[i]),
             page.x(panel.left + spacing * static_cast<double>(i)), page.y(panel.top - 14),
             kAxisFont);
}

}  // namespace

Figure draw_parallel_coordinates(const std::vector<NamedTable>& tables,
                                 const FigureOptions& options) {
  constexpr double kTop = 72, kPanelHeight = 360;
  const Sweep sweep = read_sweep(tables, options);
  const double spacing = axis_spacing(sweep);
  const std::vector<std::string> names = fit_names(axis_names(sweep), spacing);
  const double left =
      std::max(24 + text_width(cut_labels(sweep.axes[0].labels, kLongestLabel), kLabelFont),
               10 + text_width({names.front()}, kAxisFont) / 2);
  const double right = std::max(84.0, 10 + text_width({names.back()}, kAxisFont) / 2);
  const bool has_failed = std::ranges::any_of(
      sweep.configurations, [](const SweepConfiguration& one) { return !one.has_result(); });
  const double foot = has_failed ? 48 : 20;
  const double width = left + spacing * static_cast<double>(sweep.axes.size()) + right;
  const Size size = size_or(options.size, {std::max(560, static_cast<int>(width)),
                                           static_cast<int>(kTop + kPanelHeight + foot)});
  const std::string title =
      fmt::format("{}: {}", count_of(sweep.configurations.size(), "configuration"),
                  sweep.describe_best(sweep.metric + " "));
  Page page("parallel-coordinates: every configuration of a sweep, and its metric", options, size,
            cut_title(title, size.width));
  const Panel panel{left, size.width - right, kTop, size.height - foot};
  const Range range = metric_range(sweep);
  page.place(panel);
  page.add("unset key; unset border; unset xtics; unset ytics");
  page.add("set xrange [0:{}]; set yrange [0:1]", sweep.axes.size());
  page.add("{}", sweep.goal == Goal::kMax ? kBestIsHighPalette : kBestIsLowPalette);
  // The colour bar is the metric's axis: lines end at its edge, at the height of their value.
  page.add("set cbrange [{}:{}]; set cbtics font ',{}'", cell(range.low), cell(range.high),
           kLabelFont);
  page.place_colour_bar({panel.right + 1, panel.right + 13, panel.top, panel.bottom});
  page.add("set style textbox opaque noborder fillcolor '#FFFFFF' margins 0.4,0.2");
  name_axes(page, names, panel);
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
    draw_axis(page, sweep.axes[axis], axis, panel.height());
  draw_lines(page, sweep, panel);
  if (has_failed) page.legend({{kFailedStyle, "no result"}});
  return page.finish();
}

}  // namespace headway
