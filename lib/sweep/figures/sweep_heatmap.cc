#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/axes.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"
#include "lib/sweep/figures/kinds.h"
#include "lib/sweep/figures/sweep_table.h"

namespace headway {
namespace {

constexpr std::size_t kMostPanels = 24;
constexpr std::size_t kMostValues = 100;  // per axis
constexpr std::size_t kLongestRowLabel = 28;
constexpr double kCellHeight = 28;
constexpr double kValueFont = 10;
constexpr double kGap = 24;            // between panels
constexpr double kLargestPage = 1200;  // width in pixels of panels side by side
constexpr double kDarkFrom = 0.6;      // from this share of the colours on, text is white

using Rows = std::vector<std::vector<std::string>>;

struct MapAxes {
  std::size_t x = 0;
  std::size_t rows = 0;
  std::vector<std::size_t> others;
};

MapAxes choose_axes(const Sweep& sweep, const FigureOptions& options) {
  if (!options.x.empty() && options.x == options.rows) {
    throw Error(
        fmt::format("parameters 'x' and 'rows' name the same axis, '{}'", printable(options.x)));
  }
  if (sweep.axes.size() < 2) {
    throw Error(
        fmt::format("it needs two axes, and the table has only {}; kind 'sweep-lines' draws "
                    "one axis",
                    printable(sweep.axes[0].column)));
  }
  MapAxes axes;
  const auto column = [&](std::size_t axis) { return sweep.axes[axis].column; };
  // With two axes, both orientations are equally good.
  const bool free = sweep.axes.size() == 2 && options.x.empty();
  const std::string x = !free ? options.x : column(0) == options.rows ? column(1) : column(0);
  const auto all = other_axes(sweep, {});
  if (x.empty() && !options.rows.empty()) {
    axes.rows = choose_axis(sweep, "rows", options.rows, all);
    axes.x = choose_axis(sweep, "x", x, other_axes(sweep, {axes.rows}));
  } else {
    axes.x = choose_axis(sweep, "x", x, all);
    axes.rows = choose_axis(sweep, "rows", options.rows, other_axes(sweep, {axes.x}));
  }
  axes.others = other_axes(sweep, {axes.x, axes.rows});
  for (const std::size_t axis : {axes.x, axes.rows}) {
    if (sweep.axes[axis].size() <= kMostValues) continue;
    throw Error(
        fmt::format("axis '{}' has {} values, too many for labelled cells (at most {}); kind "
                    "'parallel-coordinates' draws them all",
                    printable(column(axis)), sweep.axes[axis].size(), kMostValues));
  }
  return axes;
}

struct MapPanel {
  std::string title;  // values of the other axes
  std::map<std::pair<std::size_t, std::size_t>, const SweepConfiguration*> cells;  // by row and x
};

std::vector<MapPanel> panels_of(const Sweep& sweep, const MapAxes& axes) {
  const auto groups = combinations(sweep, axes.others);
  if (groups.size() > kMostPanels) {
    throw Error(
        fmt::format("{} panels are too many (at most {}): one for each combination of the "
                    "other axes; kind 'parallel-coordinates' draws them all",
                    groups.size(), kMostPanels));
  }
  std::vector<MapPanel> panels(groups.size());
  for (const SweepConfiguration& configuration : sweep.configurations) {
    const auto found =
        std::lower_bound(groups.begin(), groups.end(), values_of(configuration, axes.others));
    MapPanel& panel = panels[static_cast<std::size_t>(found - groups.begin())];
    panel.title = sweep.describe(configuration, axes.others);
    panel.cells[{configuration.values[axes.rows], configuration.values[axes.x]}] = &configuration;
  }
  return panels;
}

std::string cell_text(const Sweep& sweep, double value) {
  return sweep.is_share ? percent_label(value) : fmt::format("{:.3g}", value);
}

// A panel's cells, grouped by how they are drawn.
struct MapCells {
  Rows light;  // x, row, value, text
  Rows dark;
  Rows empty;  // x, row
};

MapCells cells_of(const Sweep& sweep, const MapAxes& axes, const MapPanel& panel) {
  const Range range = range_of_means(sweep);
  MapCells cells;
  for (std::size_t row = 0; row < sweep.axes[axes.rows].size(); ++row) {
    for (std::size_t x = 0; x < sweep.axes[axes.x].size(); ++x) {
      const auto found = panel.cells.find({row, x});
      if (found == panel.cells.end() || !found->second->has_result()) {
        cells.empty.push_back({cell(x + 1), cell(row + 1)});
        continue;
      }
      const double mean = found->second->metric.mean;
      const bool dark = mean > range.low + kDarkFrom * (range.high - range.low);
      (dark ? cells.dark : cells.light)
          .push_back({cell(x + 1), cell(row + 1), cell(mean), cell(cell_text(sweep, mean))});
    }
  }
  return cells;
}

constexpr const char* kWholeCell = "1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5)";

void add_values(Page& page, const std::string& name, const Rows& rows, std::string_view text_colour,
                std::vector<std::string>& parts) {
  if (rows.empty()) return;
  const std::size_t index = page.block(name, {"x", "row", "mean", "text"}, rows);
  parts.push_back(fmt::format(
      "'figure.dat' index {} using {}:3 with boxxyerror fs solid border lc '#FFFFFF' fc palette",
      index, kWholeCell));
  parts.push_back(fmt::format("'' index {} using 1:2:4 with labels font ',{}' textcolor '{}'",
                              index, kValueFont, text_colour));
}

void add_empty(Page& page, const std::string& name, const Rows& rows,
               std::vector<std::string>& parts) {
  if (rows.empty()) return;
  const std::size_t index = page.block(name, {"x", "row"}, rows);
  parts.push_back(fmt::format(
      "'figure.dat' index {} using {} with boxxyerror fs solid border lc '#FFFFFF' fc '{}'", index,
      kWholeCell, kGapColour));
}

void mark_best(Page& page, const Sweep& sweep, const MapAxes& axes, const MapPanel& panel) {
  page.add("unset object");
  const SweepConfiguration& best = sweep.configurations[sweep.best];
  const std::size_t row = best.values[axes.rows], x = best.values[axes.x];
  const auto found = panel.cells.find({row, x});
  if (sweep.configurations.size() == 1 || found == panel.cells.end() || found->second != &best) {
    return;
  }
  page.add(
      "set object rectangle from {0}.5, {1}.5 to {2}.5, {3}.5 front fs empty border lc '{4}' lw "
      "2.5",
      x, row, x + 1, row + 1, kVermilion);
}

void draw_panel(Page& page, const Sweep& sweep, const MapAxes& axes, const MapPanel& panel) {
  const std::string prefix = panel.title.empty() ? "" : panel.title + ": ";
  const MapCells cells = cells_of(sweep, axes, panel);
  std::vector<std::string> parts;
  add_values(page, prefix + "light cells", cells.light, "black", parts);
  add_values(page, prefix + "dark cells", cells.dark, "white", parts);
  add_empty(page, prefix + "cells without a result", cells.empty, parts);
  mark_best(page, sweep, axes, panel);
  page.add("plot {}", join(parts, ", \\\n     "));
}

bool is_any_empty(const Sweep& sweep, const MapAxes& axes, const std::vector<MapPanel>& panels) {
  return std::any_of(panels.begin(), panels.end(), [&](const MapPanel& panel) {
    return !cells_of(sweep, axes, panel).empty.empty();
  });
}

// Sizes in pixels.
struct MapLayout {
  double cell_width = 0;
  AxisLabels labels;                    // of x
  std::vector<std::string> row_labels;  // shortened
  double left = 0;
  double top = 0;    // top of the first panel
  double above = 0;  // room for a panel's title
  double below = 0;  // room for the x axis
  double foot = 0;   // room for the legend
  std::size_t columns = 1;
  std::size_t rows = 1;  // rows of panels
};

double widest_value(const Sweep& sweep) {
  std::vector<std::string> texts;
  for (const SweepConfiguration& configuration : sweep.configurations) {
    if (configuration.has_result()) {
      texts.push_back(cell_text(sweep, configuration.metric.mean));
    }
  }
  return text_width(texts, kValueFont);
}

constexpr double kBarRoom = 90;  // right of the panels

MapLayout lay_out(const Sweep& sweep, const MapAxes& axes, const std::vector<MapPanel>& panels) {
  constexpr double kWidestForLabels = 90;
  const SweepAxis &x = sweep.axes[axes.x], &rows = sweep.axes[axes.rows];
  MapLayout layout;
  layout.cell_width = std::max(46.0, widest_value(sweep) + 14);
  const double spacing = label_spacing(x.labels);
  if (spacing <= kWidestForLabels) layout.cell_width = std::max(layout.cell_width, spacing);
  // A few cells need little width, but titles need some.
  layout.cell_width = std::max(layout.cell_width, 180 / static_cast<double>(x.size()));
  layout.labels = lay_out_labels(x.labels, layout.cell_width);
  for (const std::string& label : rows.labels) {
    layout.row_labels.push_back(fit(printable(label), kLongestRowLabel));
  }
  layout.left = std::max(50 + text_width(layout.row_labels, kAxisFont), layout.labels.overhang);
  layout.above = panels.size() > 1 ? 22 : 0;
  layout.top = 44 + layout.above;
  layout.below = layout.labels.room + 28;
  layout.foot = is_any_empty(sweep, axes, panels) ? 36 : 4;
  const double panel_width = layout.cell_width * static_cast<double>(x.size());
  const double fitting = std::floor((kLargestPage + kGap) / (panel_width + kGap));
  layout.columns = std::clamp<std::size_t>(static_cast<std::size_t>(fitting), 1, panels.size());
  layout.rows = (panels.size() + layout.columns - 1) / layout.columns;
  layout.columns = (panels.size() + layout.rows - 1) / layout.rows;  // rows of equal length
  return layout;
}

Size page_size(const Sweep& sweep, const MapAxes& axes, const MapLayout& layout) {
  const double columns = static_cast<double>(layout.columns);
  const double rows = static_cast<double>(layout.rows);
  const double width = layout.cell_width * static_cast<double>(sweep.axes[axes.x].size());
  // A single row of cells would be too low for the colour bar.
  const double height =
      std::max(90.0, kCellHeight * static_cast<double>(sweep.axes[axes.rows].size()));
  return {std::max(520, static_cast<int>(layout.left + columns * width + kGap * (columns - 1) +
                                         kBarRoom)),
          static_cast<int>(layout.top + rows * (height + layout.below) + (rows - 1) * layout.above +
                           layout.foot)};
}

// Positions of the panels, row by row.
std::vector<Panel> place_panels(const MapLayout& layout, const Size& size, std::size_t count) {
  const double rows = static_cast<double>(layout.rows);
  const double height =
      (size.height - layout.top - layout.foot - rows * layout.below - (rows - 1) * layout.above) /
      rows;
  std::vector<Panel> places;
  for (std::size_t row = 0; row < layout.rows; ++row) {
    const double top =
        layout.top + static_cast<double>(row) * (height + layout.below + layout.above);
    for (const Panel& place : side_by_side({layout.left, size.width - kBarRoom, top, top + height},
                                           layout.columns, kGap)) {
      if (places.size() < count) places.push_back(place);
    }
  }
  return places;
}

std::string row_ticks(const MapLayout& layout) {
  std::vector<std::string> ticks;
  for (std::size_t i = 0; i < layout.row_labels.size(); ++i) {
    ticks.push_back(tick(layout.row_labels[i], i + 1));
  }
  return fmt::format("set ytics ({}) scale 0 font ',{}'", join(ticks, ", \\\n  "), kAxisFont);
}

// The full column name if it fits, else the short name.
std::string fit_name(const SweepAxis& axis, double pixels) {
  const double letters = std::max(6.0, pixels / text_width({"x"}, 12));
  const std::string whole = printable(axis.column);
  if (static_cast<double>(display_width(whole)) <= letters) return whole;
  return fit(printable(axis.name), static_cast<std::size_t>(letters));
}

// Positioned in pixels, at the left edge of the page.
void name_rows(Page& page, const Panel& panel, const SweepAxis& axis) {
  page.add("set label 2 {} at screen {:.4f}, screen {:.4f} center rotate by 90",
           literal(fit_name(axis, panel.bottom - panel.top + 50)), page.x(14),
           page.y((panel.top + panel.bottom) / 2));
}

// Spans all panels.
void set_colour_bar(Page& page, const Sweep& sweep, const std::vector<Panel>& places) {
  const Range range = range_of_means(sweep);
  const double right = page.size().width - kBarRoom;
  page.add("{}", kCellPalette);
  const double height = places.back().bottom - places.front().top;
  page.add("set cbrange [{}:{}]; set cbtics {} scale 0.5 font ',{}'", cell(range.low),
           cell(range.high), cell(round_step(range.high - range.low, std::max(2.0, height / 17))),
           kValueFont);
  page.place_colour_bar({right + 16, right + 28, places.front().top, places.back().bottom});
}

std::string heatmap_title(const Sweep& sweep) {
  return fmt::format("{}: {}", sweep.metric_name(), sweep.describe_best());
}

}  // namespace

Figure draw_sweep_heatmap(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  const Sweep sweep = read_sweep(tables, options);
  const MapAxes axes = choose_axes(sweep, options);
  const std::vector<MapPanel> panels = panels_of(sweep, axes);
  const MapLayout layout = lay_out(sweep, axes, panels);
  const Size size = size_or(options.size, page_size(sweep, axes, layout));
  Page page("sweep-heatmap: a metric of a sweep's trials by two of its axes", options, size,
            cut_title(heatmap_title(sweep), size.width));
  const std::vector<Panel> places = place_panels(layout, size, panels.size());
  page.add("unset key; unset border");
  std::vector<double> columns(sweep.axes[axes.x].size());
  std::iota(columns.begin(), columns.end(), 1);
  page.add("set tics scale 0");
  page.add("{}", layout.labels.commands(columns));
  page.add("set xrange [0.5:{}.5]; set yrange [{}.5:0.5]", sweep.axes[axes.x].size(),
           sweep.axes[axes.rows].size());
  set_colour_bar(page, sweep, places);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Panel& place = places[i];
    const bool is_first_in_row = i % layout.columns == 0;
    page.place(place);
    page.name_x_axis(place, fit_name(sweep.axes[axes.x], place.right - place.left + kGap),
                     layout.labels.room + 12);
    if (is_first_in_row) {
      page.add("{}", row_ticks(layout));
      name_rows(page, place, sweep.axes[axes.rows]);
    } else {
      page.add("unset ytics; unset label 2");
    }
    if (i == 1) page.add("unset colorbox");
    const double letters = (place.right - place.left + kGap / 2) / text_width({"x"}, kAxisFont);
    page.add("set title {} offset 0,-0.5 font ',{}'",
             literal(fit(printable(panels[i].title), static_cast<std::size_t>(letters))),
             kAxisFont);
    draw_panel(page, sweep, axes, panels[i]);
  }
  if (is_any_empty(sweep, axes, panels)) {
    page.legend({{fmt::format("with boxes fs solid noborder lc '{}'", kGapColour), "no result"}});
  }
  return page.finish();
}

}  // namespace headway
