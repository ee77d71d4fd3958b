#include <algorithm>
#include <cmath>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/checks.h"
#include "lib/figures/kinds.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

constexpr double kCellWidth = 74;
constexpr double kCellHeight = 19;
constexpr double kGap = 25;
constexpr double kDark = 0.55;  // from here on the palette is dark and text is white

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::string> statistics_of(const NamedTable& named) {
  static const std::set<std::string> kNames = {"head", "label", "module", "layer", "index"};
  std::vector<std::string> statistics;
  for (const std::string& column : named.table.columns()) {
    if (!kNames.contains(column)) statistics.push_back(column);
  }
  if (statistics.empty()) {
    throw Error(fmt::format("{} has no statistics beside the heads' names; it has {}",
                            subject_of(named), printable(join(named.table.columns(), ", "))));
  }
  return statistics;
}

std::vector<std::string> labels_of(const NamedTable& named) {
  std::vector<std::string> labels;
  for (std::size_t row = 0; row < named.table.size(); ++row) {
    labels.push_back(named.table.text(row, "label"));
  }
  return labels;
}

struct Cells {
  Rows light;  // x, y, value
  Rows dark;
  Rows empty;  // x, y
};

Cells cells_of(const NamedTable& named, const std::vector<std::string>& statistics) {
  Cells cells;
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

void add_values(Page& page, const std::string& name, const Rows& rows, std::string_view text_colour,
                std::vector<std::string>& parts) {
  if (rows.empty()) return;
  const std::size_t index = page.block(name, {"statistic", "head", "value"}, rows);
  parts.push_back(
      fmt::format("'figure.dat' index {} using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with "
                  "boxxyerror fs solid border lc '#EEEEEE' fc palette",
                  index));
  parts.push_back(
      fmt::format("'' index {} using 1:2:(sprintf('%.2f',$3)) with labels font ',10' "
                  "textcolor '{}'",
                  index, text_colour));
}

void add_empty(Page& page, const std::string& name, const Rows& rows,
               std::vector<std::string>& parts) {
  if (rows.empty()) return;
  const std::size_t index = page.block(name, {"statistic", "head"}, rows);
  parts.push_back(
      fmt::format("'figure.dat' index {} using 1:2:('–') with labels font ',10' "
                  "textcolor '{}'",
                  index, kGrey));
}

void draw_panel(Page& page, const NamedTable& named, const std::vector<std::string>& statistics,
                bool is_first, bool is_last) {
  const std::string prefix = named.name.empty() ? "" : named.name + ", ";
  const Cells cells = cells_of(named, statistics);
  std::vector<std::string> parts;
  add_values(page, prefix + "light cells", cells.light, "black", parts);
  add_values(page, prefix + "dark cells", cells.dark, "white", parts);
  add_empty(page, prefix + "cells that do not apply", cells.empty, parts);

  std::vector<std::string> heads, columns;
  const std::vector<std::string> labels = labels_of(named);
  for (std::size_t i = 0; i < labels.size(); ++i) heads.push_back(tick(labels[i], i + 1));
  for (std::size_t i = 0; i < statistics.size(); ++i) columns.push_back(tick(statistics[i], i + 1));
  page.add("set xtics ({}) scale 0 font ',11'", join(columns, ", "));
  if (is_first) {
    page.add("set ytics ({}) scale 0 font ',11'", join(heads, ", \\\n  "));
  } else {
    page.add("unset ytics");
  }
  page.add("set xrange [0.5:{}.5]; set yrange [{}.5:0.5]", statistics.size(), labels.size());
  page.add("{}colorbox", is_last ? "set " : "unset ");
  page.add("set title {} offset 0,-0.5", literal(named.name));
  page.add("plot {}", join(parts, ", \\\n     "));
}

std::string default_title(const std::vector<NamedTable>& tables) {
  return fmt::format("Attention statistics of {} heads", tables[0].table.size());
}

void check_same_heads(const std::vector<NamedTable>& tables) {
  for (const NamedTable& table : tables) {
    if (labels_of(table) == labels_of(tables[0])) continue;
    throw Error(
        fmt::format("{} has other heads than the first table; draw them in figures of "
                    "their own",
                    subject_of(table)));
  }
}

}  // namespace

Figure draw_head_statistics(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  require_columns(tables, {"label"});
  check_same_heads(tables);
  const std::vector<std::string> statistics = statistics_of(tables[0]);
  for (const NamedTable& table : tables) require_columns(table, statistics);

  const double left = 20 + text_width(labels_of(tables[0]), 11);
  const double right = 85;  // room for the colour bar
  const double top = tables.size() > 1 ? 65 : 45;
  const double count = static_cast<double>(tables.size());
  const double width =
      count * kCellWidth * static_cast<double>(statistics.size()) + kGap * (count - 1);
  const double height = kCellHeight * static_cast<double>(tables[0].table.size());
  Page page("head-statistics: what each head attends to", options,
            {static_cast<int>(left + width + right), static_cast<int>(top + height + 40)},
            default_title(tables));
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
