#include "lib/figures/cell_map.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lib/base/text.h"
#include "lib/figures/heat_map.h"
#include "lib/figures/number_axis.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

constexpr std::size_t kLongestRowLabel = 28;
constexpr double kNamedCellHeight = 28;
constexpr double kValueFont = 10;
constexpr double kMapGap = 24;        // between panels
constexpr double kWidestMaps = 1200;  // pixels of panels side by side
constexpr double kDarkFrom = 0.6;     // from this share of the colours on, text is white
constexpr double kBarRoom = 90;       // right of the panels
constexpr double kBarNameRoom = 18;

// Values that are close to each other have colours of their own.
std::string colour_text(const CellMap& map, double value) {
  return number_within(value, 1e-3 * (map.colours.high - map.colours.low));
}

TextCells cells_of(const CellMap& map, const CellMapPanel& panel) {
  const double dark_from = map.colours.low + kDarkFrom * (map.colours.high - map.colours.low);
  const std::size_t columns = map.x.labels.size();
  TextCells cells;
  for (std::size_t i = 0; i < panel.values.size(); ++i) {
    const double value = panel.values[i];
    const std::string x = cell(i % columns + 1), row = cell(i / columns + 1);
    if (std::isnan(value)) {
      cells.empty.push_back({x, row});
    } else {
      (value > dark_from ? cells.dark : cells.light)
          .push_back({x, row, colour_text(map, value), cell(map.text(value))});
    }
  }
  return cells;
}

bool has_empty_cells(const CellMap& map) {
  return std::ranges::any_of(map.panels, [](const CellMapPanel& panel) {
    return std::ranges::any_of(panel.values, [](double value) { return std::isnan(value); });
  });
}

void draw_panel(Page& page, const CellMap& map, const CellMapPanel& panel) {
  static const std::string kBox = "fs solid border lc '#FFFFFF'";
  const TextCellsStyle style = {
      .columns = {"x", "row", map.value, "text"},
      .box = kBox,
      .text = "4",
      .empty_name = "cells without a " + map.gap,
      .empty = fmt::format("{} with boxxyerror {} fc '{}'", kWholeCell, kBox, kGapColour)};
  page.add("unset object");
  if (panel.framed) {
    const std::size_t row = *panel.framed / map.x.labels.size();
    const std::size_t x = *panel.framed % map.x.labels.size();
    page.add(
        "set object rectangle from {0}.5, {1}.5 to {2}.5, {3}.5 front fs empty border lc '{4}' lw "
        "2.5",
        x, row, x + 1, row + 1, kVermilion);
  }
  plot_cells(page, panel.title.empty() ? "" : panel.title + ": ", cells_of(map, panel), style);
}

// Sizes in pixels.
struct CellMapLayout {
  Size size;
  AxisLabels labels;                    // of x
  std::vector<std::string> row_labels;  // shortened
  double left = 0;
  double right = 0;         // room for the colour bar
  double top = 0;           // top of the first panel
  double above = 0;         // room for a panel's title
  double below = 0;         // room for the x axis
  double foot = 0;          // room for the legend
  std::size_t columns = 1;  // of panels
};

double widest_value(const CellMap& map) {
  std::vector<std::string> texts;
  for (const CellMapPanel& panel : map.panels) {
    for (const double value : panel.values) {
      if (!std::isnan(value)) texts.push_back(map.text(value));
    }
  }
  return text_width(texts, kValueFont);
}

CellMapLayout lay_out(const CellMap& map) {
  constexpr double kWidestForLabels = 90;
  const std::size_t count = map.panels.size();
  const double columns_of_cells = static_cast<double>(map.x.labels.size());
  double cell_width = std::max(46.0, widest_value(map) + 14);
  const double spacing = label_spacing(map.x.labels);
  if (spacing <= kWidestForLabels) cell_width = std::max(cell_width, spacing);
  // A few cells need little width, but titles need some.
  cell_width = std::max(cell_width, 180 / columns_of_cells);
  CellMapLayout layout;
  layout.labels = lay_out_labels(map.x.labels, cell_width);
  layout.row_labels = cut_labels(map.rows.labels, kLongestRowLabel);
  layout.left = std::max(50 + text_width(layout.row_labels, kAxisFont), layout.labels.overhang);
  layout.right = kBarRoom + (map.bar.empty() ? 0 : kBarNameRoom);
  layout.above = count > 1 ? 22 : 0;
  layout.top = 44 + layout.above;
  layout.below = layout.labels.room + 28;
  layout.foot = has_empty_cells(map) ? 36 : 4;
  const double width = cell_width * columns_of_cells;
  const double fitting = std::floor((kWidestMaps + kMapGap) / (width + kMapGap));
  layout.columns = even_columns(count, static_cast<std::size_t>(std::max(1.0, fitting)));

  const double columns = static_cast<double>(layout.columns);
  const double rows = std::ceil(static_cast<double>(count) / columns);
  // A single row of cells would be too low for the colour bar.
  const double height =
      std::max(90.0, kNamedCellHeight * static_cast<double>(layout.row_labels.size()));
  const double all_columns = layout.left + columns * width + kMapGap * (columns - 1) + layout.right;
  const double all_rows = rows * (height + layout.below) + (rows - 1) * layout.above;
  layout.size = {std::max(520, static_cast<int>(all_columns)),
                 static_cast<int>(layout.top + all_rows + layout.foot)};
  return layout;
}

// The full name if it fits, else the short name.
std::string fit_name(const CellMapAxis& axis, double pixels) {
  const std::string whole = fit_pixels(axis.name, pixels, 12, 6);
  return whole == printable(axis.name) ? whole : fit_pixels(axis.short_name, pixels, 12, 6);
}

// Spans all panels.
void set_colour_bar(Page& page, const CellMap& map, const Panel& area) {
  const Range& range = map.colours;
  page.add("{}", kCellPalette);
  page.add("set cbrange [{}:{}]; set cbtics {} scale 0.5 font ',{}'", colour_text(map, range.low),
           colour_text(map, range.high),
           cell(round_step(range.high - range.low, std::max(2.0, area.height() / 17))), kValueFont);
  page.place_colour_bar({area.right + 16, area.right + 28, area.top, area.bottom});
  if (map.bar.empty()) return;
  page.name_y_axis(area, fit_pixels(map.bar, area.height() + 60, 12, 6),
                   page.size().width - kBarNameRoom / 2 - 2, 3);
}

}  // namespace

Figure draw_cell_map(const CellMap& map, const FigureOptions& options) {
  const CellMapLayout layout = lay_out(map);
  const Size size = size_or(options.size, layout.size);
  Page page(map.subject, options, size, cut_title(map.title, size.width));
  const Panel area{layout.left, size.width - layout.right, layout.top,
                   size.height - layout.foot - layout.below};
  const std::vector<Panel> places =
      in_grid(area, layout.columns, map.panels.size(), kMapGap, layout.below + layout.above);
  page.add("unset key; unset border");
  std::vector<double> columns(map.x.labels.size());
  std::iota(columns.begin(), columns.end(), 1);
  page.add("set tics scale 0");
  page.add("{}", layout.labels.commands(columns));
  page.add("set xrange [0.5:{}.5]; set yrange [{}.5:0.5]", map.x.labels.size(),
           map.rows.labels.size());
  set_colour_bar(page, map, area);
  for (std::size_t i = 0; i < map.panels.size(); ++i) {
    const Panel& place = places[i];
    const bool is_first_in_row = i % layout.columns == 0;
    page.place(place);
    page.name_x_axis(place, fit_name(map.x, place.width() + kMapGap), layout.labels.room + 12);
    if (is_first_in_row) {
      page.name_rows(layout.row_labels);
      page.name_y_axis(place, fit_name(map.rows, place.height() + 50), 14, 2);
    } else {
      page.add("unset ytics; unset label 2");
    }
    if (i == 1) page.add("unset colorbox{}", map.bar.empty() ? "" : "; unset label 3");
    page.add("set title {} offset 0,-0.5 font ',{}'",
             literal(fit_pixels(map.panels[i].title, place.width() + kMapGap / 2, kAxisFont)),
             kAxisFont);
    draw_panel(page, map, map.panels[i]);
  }
  if (has_empty_cells(map)) page.legend({gaps_entry("no " + map.gap)});
  return page.finish();
}

}  // namespace headway
