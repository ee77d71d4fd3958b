#include "lib/figures/heat_map.h"

#include <algorithm>
#include <cmath>

#include "lib/figures/axes.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

// SVG viewers blur embedded pictures. Cells large enough (in pixels) for that to show are drawn as
// rectangles; many small rectangles would make a file of megabytes.
constexpr double kBlurredFrom = 5;

constexpr double kTickFont = 10;

// Rounds up to two significant digits, so that the ends can be written at the bar.
double rounded_up(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return unit * std::ceil(value / unit - 1e-6);
}

// The range of the colours: symmetric around 0, or from 0 if nothing is negative.
Range colours_of(const FloatMatrix& cells) {
  double lowest = 0, highest = 0;
  for (const float value : cells.values) {
    if (!std::isfinite(value)) continue;
    lowest = std::min(lowest, static_cast<double>(value));
    highest = std::max(highest, static_cast<double>(value));
  }
  const double largest = std::max(highest, -lowest);
  const double end = largest > 0 ? rounded_up(largest) : 1;
  return {lowest < 0 ? -end : 0, end};
}

void set_colours(Page& page, const Range& colours) {
  const bool both = colours.low < 0;
  page.add("{}", both ? kDivergingPalette : kPositivePalette);
  page.add("set cbrange [{}:{}]", number_text(colours.low), number_text(colours.high));
  const double middle = both ? 0 : colours.high / 2;
  page.add("set cbtics ({}, {}, {}) scale 0 font ',{}'",
           tick(number_text(colours.low), colours.low), tick(number_text(middle), middle),
           tick(number_text(colours.high), colours.high), kTickFont);
}

// A label every 1, 2, 4, … cells, so that labels of this size do not touch.
std::size_t tick_step(std::size_t cells, double pixels, double pixels_a_tick) {
  std::size_t step = 1;
  while (static_cast<double>(cells) / static_cast<double>(step) * pixels_a_tick > pixels) step *= 2;
  return step;
}

void set_axes(Page& page, const Panel& panel, const FloatMatrix& cells) {
  const double number = text_width({std::to_string(cells.columns)}, kTickFont);
  page.add("set xrange [-0.5:{}-0.5]; set yrange [{}-0.5:-0.5]", cells.columns, cells.rows);
  // Ends at the last cell: gnuplot would also label the one after it.
  page.add("set xtics 0, {}, {} font ',{}'", tick_step(cells.columns, panel.width(), number + 18),
           cells.columns - 1, kTickFont);
  page.add("set ytics 0, {}, {} font ',{}'", tick_step(cells.rows, panel.height(), 30),
           cells.rows - 1, kTickFont);
}

// Black dashes on white are visible on any colour.
void add_line(Page& page, std::string_view from, std::string_view to) {
  page.add("set arrow from {} to {} nohead front lw 2.5 lc '#FFFFFF'", from, to);
  page.add("set arrow from {} to {} nohead front lw 1.5 dt (7,4) lc '#000000'", from, to);
}

void set_lines(Page& page, const HeatMap& map) {
  page.add("unset arrow");
  if (map.line_after_column > 0) {
    const std::string x = fmt::format("first {}-0.5", map.line_after_column);
    add_line(page, x + ", graph 0", x + ", graph 1");
  }
  if (map.line_after_row > 0) {
    const std::string y = fmt::format("first {}-0.5", map.line_after_row);
    add_line(page, "graph 0, " + y, "graph 1, " + y);
  }
}

std::size_t block(Page& page, const HeatMap& map) {
  Rows rows(map.cells.rows);
  for (std::size_t row = 0; row < map.cells.rows; ++row) {
    for (std::size_t column = 0; column < map.cells.columns; ++column)
      rows[row].push_back(cell(static_cast<double>(map.cells.at(row, column))));
  }
  return page.block(map.name, {map.meaning}, rows);
}

}  // namespace

std::string cells_style(const Panel& panel, std::size_t rows, std::size_t columns) {
  const double width = panel.width() / static_cast<double>(columns);
  const double height = panel.height() / static_cast<double>(rows);
  const bool can_be_picture = rows > 1 && columns > 1;  // gnuplot needs two of each
  if (can_be_picture && std::max(width, height) < kBlurredFrom) return "with image";
  // Each cell extends half a pixel under the next, or the background would show between them.
  // Adding 0*value skips cells that are not numbers.
  return fmt::format(
      "using ($1+0*$3):2:($1-0.5):($1+{:.3f}):($2-0.5):($2+{:.3f}):3 with boxxyerror fs solid "
      "noborder fc palette",
      0.5 + 0.5 / width, 0.5 + 0.5 / height);
}

void shade_gaps(Page& page) {
  page.add(
      "set object rectangle from graph 0, graph 0 to graph 1, graph 1 fc '{}' fs solid noborder "
      "behind",
      kGapColour);
}

void draw_heat_map(Page& page, const Panel& panel, const HeatMap& map) {
  const std::size_t index = block(page, map);
  page.place(panel);
  set_axes(page, panel, map.cells);
  set_lines(page, map);
  set_colours(page, colours_of(map.cells));
  page.place_colour_bar({panel.right + 8, panel.right + 18, panel.top, panel.bottom});
  page.add("unset object");
  if (has_gaps(map.cells)) shade_gaps(page);
  page.add("plot 'figure.dat' index {} matrix {}", index,
           cells_style(panel, map.cells.rows, map.cells.columns));
}

bool has_gaps(const FloatMatrix& cells) {
  return !std::ranges::all_of(cells.values, [](float value) { return std::isfinite(value); });
}

LegendEntry gaps_entry(std::string_view meaning) {
  return {fmt::format("with boxes fs solid noborder lc '{}'", kGapColour), std::string(meaning)};
}

void plot_cells(Page& page, const std::string& prefix, const TextCells& cells,
                const TextCellsStyle& style) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const Rows& rows, const char* text_colour) {
    if (rows.empty()) return;
    const std::size_t index = page.block(prefix + name, style.columns, rows);
    parts.push_back(fmt::format("'figure.dat' index {} using {}:3 with boxxyerror {} fc palette",
                                index, kWholeCell, style.box));
    parts.push_back(fmt::format("'' index {} using 1:2:{} with labels font ',10' textcolor '{}'",
                                index, style.text, text_colour));
  };
  add("light cells", cells.light, "black");
  add("dark cells", cells.dark, "white");
  if (!cells.empty.empty()) {
    const std::size_t index =
        page.block(prefix + style.empty_name, {style.columns[0], style.columns[1]}, cells.empty);
    parts.push_back(fmt::format("'figure.dat' index {} using {}", index, style.empty));
  }
  page.plot(parts);
}

}  // namespace headway
