#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/axes.h"
#include "lib/figures/checks.h"
#include "lib/figures/heat_map.h"
#include "lib/figures/kinds.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

constexpr double kCellWidth = 74;
constexpr double kWidestCell = 110;  // below a longer name, names are slanted
constexpr double kCellHeight = 19;
constexpr double kGap = 25;
constexpr double kDark = 0.55;  // from here on the palette is dark and text is white

const TextCellsStyle kStyle = {
    .columns = {"statistic", "head", "value"},
    .box = "fs solid border lc '#EEEEEE'",
    .text = "(sprintf('%.2f',$3))",
    .empty_name = "cells that do not apply",
    .empty = fmt::format("1:2:('–') with labels font ',10' textcolor '{}'", kGrey)};

bool is_empty(const NamedTable& named, const std::string& column) {
  return std::ranges::all_of(column_texts(named, column), &std::string::empty);
}

// Those of the first table. Leaves out what applies to no head, unless that is all.
std::vector<std::string> statistics_of(const std::vector<NamedTable>& tables) {
  static const std::set<std::string> kNames = {"head", "label", "module", "layer", "index"};
  const NamedTable& named = tables[0];
  std::vector<std::string> statistics = named.table.columns();
  std::erase_if(statistics, [](const std::string& column) { return kNames.contains(column); });
  for (const NamedTable& table : tables) require_columns(table, statistics);
  const auto applies = [&](const std::string& column) {
    return std::ranges::any_of(tables,
                               [&](const NamedTable& table) { return !is_empty(table, column); });
  };
  if (std::ranges::any_of(statistics, applies)) std::erase_if(statistics, std::not_fn(applies));
  if (statistics.empty())
    throw Error("{} has no statistics beside the heads' names; it has {}", subject_of(named),
                printable(join(named.table.columns(), ", ")));
  return statistics;
}

TextCells cells_of(const NamedTable& named, const std::vector<std::string>& statistics) {
  TextCells cells;
  for (std::size_t row = 0; row < named.table.size(); ++row) {
    for (std::size_t column = 0; column < statistics.size(); ++column) {
      const double value = named.table.number(row, statistics[column]);
      const std::string x = cell(column + 1), y = cell(row + 1);
      if (std::isnan(value)) {
        cells.empty.push_back({x, y});
      } else {
        const bool is_dark = value > kDark || value < -kDark;
        (is_dark ? cells.dark : cells.light).push_back({x, y, cell(value)});
      }
    }
  }
  return cells;
}

bool has_negative(const std::vector<NamedTable>& tables,
                  const std::vector<std::string>& statistics) {
  for (const NamedTable& named : tables) {
    for (std::size_t row = 0; row < named.table.size(); ++row) {
      for (const std::string& statistic : statistics) {
        if (named.table.number(row, statistic) < 0) return true;
      }
    }
  }
  return false;
}

// Lines between heads of different modules.
void separate_modules(Page& page, const NamedTable& named) {
  if (!named.table.has("module")) return;
  for (std::size_t row = 1; row < named.table.size(); ++row) {
    if (named.table.text(row, "module") == named.table.text(row - 1, "module")) continue;
    page.add(
        "set arrow from graph 0, first {0}.5 to graph 1, first {0}.5 nohead front lw 1 lc '{1}'",
        row, kGrey);
  }
}

void draw_panel(Page& page, const NamedTable& named, const std::vector<std::string>& statistics,
                const AxisLabels& names, bool is_first, bool is_last) {
  std::vector<double> places;
  for (std::size_t i = 0; i < statistics.size(); ++i) places.push_back(static_cast<double>(i + 1));
  page.add("set xtics scale 0; unset label; unset arrow");
  page.add("{}", names.commands(places));
  separate_modules(page, named);
  if (is_first) {
    page.name_rows(column_texts(named, "label"));
  } else {
    page.add("unset ytics");
  }
  page.add("set xrange [0.5:{}.5]; set yrange [{}.5:0.5]", statistics.size(), named.table.size());
  if (!is_last) page.add("unset colorbox");
  page.add("set title {} offset 0,-0.5", literal(named.name));
  plot_cells(page, named.name.empty() ? "" : named.name + ", ", cells_of(named, statistics),
             kStyle);
}

void check_same_heads(const std::vector<NamedTable>& tables) {
  for (const NamedTable& table : tables) {
    if (column_texts(table, "label") == column_texts(tables[0], "label")) continue;
    throw Error("{} has other heads than the first table; draw them in figures of their own",
                subject_of(table));
  }
}

}  // namespace

Figure draw_head_statistics(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  require_columns(tables, {"label"});
  check_same_heads(tables);
  const std::vector<std::string> statistics = statistics_of(tables);

  const double cell_width = std::clamp(label_spacing(statistics), kCellWidth, kWidestCell);
  const AxisLabels names = lay_out_labels(statistics, cell_width);
  const double left = std::max(20 + text_width(column_texts(tables[0], "label"), kAxisFont),
                               names.overhang - cell_width / 2);
  const double right = 85;  // room for the colour bar
  const double top = tables.size() > 1 ? 65 : 45;
  const double bottom = 19 + names.room;
  const double count = static_cast<double>(tables.size());
  const double width =
      count * cell_width * static_cast<double>(statistics.size()) + kGap * (count - 1);
  const double height = kCellHeight * static_cast<double>(tables[0].table.size());
  Page page("head-statistics: what each head attends to", options,
            {static_cast<int>(left + width + right), static_cast<int>(top + height + bottom)},
            fmt::format("Attention statistics of {}", count_of(tables[0].table.size(), "head")));
  const Panel area{left, page.size().width - right, top, page.size().height - bottom};
  const std::vector<Panel> panels = side_by_side(area, tables.size(), kGap);
  page.add("unset key; unset border");
  const bool is_signed = has_negative(tables, statistics);
  page.add("{}", is_signed ? kSignedWeightPalette : kWeightPalette);
  page.add("set cbrange [{}:1]; set cbtics {} font ',11'", is_signed ? -1 : 0,
           is_signed ? 0.5 : 0.25);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    page.place_colour_bar({area.right + 18, area.right + 32, area.top, area.bottom});
    page.place(panels[i]);
    draw_panel(page, tables[i], statistics, names, i == 0, i + 1 == tables.size());
  }
  return page.finish();
}

}  // namespace headway
