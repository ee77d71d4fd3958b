#include <cmath>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/checks.h"
#include "lib/figures/heat_map.h"
#include "lib/figures/kinds.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

constexpr double kCellWidth = 74;
constexpr double kCellHeight = 19;
constexpr double kGap = 25;
constexpr double kDark = 0.55;  // from here on the palette is dark and text is white

const TextCellsStyle kStyle = {
    .columns = {"statistic", "head", "value"},
    .box = "fs solid border lc '#EEEEEE'",
    .text = "(sprintf('%.2f',$3))",
    .empty_name = "cells that do not apply",
    .empty = fmt::format("1:2:('–') with labels font ',10' textcolor '{}'", kGrey)};

std::vector<std::string> statistics_of(const NamedTable& named) {
  static const std::set<std::string> kNames = {"head", "label", "module", "layer", "index"};
  std::vector<std::string> statistics;
  for (const std::string& column : named.table.columns()) {
    if (!kNames.contains(column)) statistics.push_back(column);
  }
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
        (value > kDark ? cells.dark : cells.light).push_back({x, y, cell(value)});
      }
    }
  }
  return cells;
}

void draw_panel(Page& page, const NamedTable& named, const std::vector<std::string>& statistics,
                bool is_first, bool is_last) {
  page.add("set xtics ({}) scale 0 font ',11'", ticks(statistics));
  if (is_first) {
    page.name_rows(column_texts(named, "label"));
  } else {
    page.add("unset ytics");
  }
  page.add("set xrange [0.5:{}.5]; set yrange [{}.5:0.5]", statistics.size(), named.table.size());
  page.add("{}colorbox", is_last ? "set " : "unset ");
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
  const std::vector<std::string> statistics = statistics_of(tables[0]);
  for (const NamedTable& table : tables) require_columns(table, statistics);

  const double left = 20 + text_width(column_texts(tables[0], "label"), 11);
  const double right = 85;  // room for the colour bar
  const double top = tables.size() > 1 ? 65 : 45;
  const double count = static_cast<double>(tables.size());
  const double width =
      count * kCellWidth * static_cast<double>(statistics.size()) + kGap * (count - 1);
  const double height = kCellHeight * static_cast<double>(tables[0].table.size());
  Page page("head-statistics: what each head attends to", options,
            {static_cast<int>(left + width + right), static_cast<int>(top + height + 40)},
            fmt::format("Attention statistics of {} heads", tables[0].table.size()));
  const Panel area{left, page.size().width - right, top, page.size().height - 40.0};
  const std::vector<Panel> panels = side_by_side(area, tables.size(), kGap);
  page.add("unset key; unset border");
  page.add("{}", kWeightPalette);
  page.add("set cbrange [0:1]; set cbtics 0.25 font ',11'");
  page.place_colour_bar({area.right + 18, area.right + 32, area.top, area.bottom});
  for (std::size_t i = 0; i < tables.size(); ++i) {
    page.place(panels[i]);
    draw_panel(page, tables[i], statistics, i == 0, i + 1 == tables.size());
  }
  return page.finish();
}

}  // namespace headway
