#include "lib/figures/cell_table.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/any_tables.h"
#include "lib/figures/number_axis.h"

namespace headway {
namespace {

// Counts in full, other numbers with three digits: there is little room.
std::string cell_value_text(double value) {
  const bool is_count = value == std::trunc(value) && std::abs(value) < 1e6;
  return is_count ? number_text(value) : fmt::format("{:.3g}", value);
}

CellMapAxis cell_axis(const TableAxis& axis, const std::string& label) {
  check_count(axis.size(), kMostCellValues, fmt::format("values of '{}'", printable(axis.column)),
              "cells of a heat map have names and numbers");
  const std::string name = label.empty() ? axis.column : label;
  return {name, name, axis.labels};
}

}  // namespace

void check_cell_map_options(const FigureOptions& options) {
  require_option("x", !options.x.empty(), "the column that goes to the right");
  require_option("rows", !options.rows.empty(), "the column that goes down");
  require_option("metric", !options.metric.empty(), "the column that is shown");
  if (options.x != options.rows) return;
  throw Error("parameters 'x' and 'rows' name the same column, '{}'", printable(options.x));
}

CellMap read_cell_map(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  std::vector<std::string> needed = {options.x, options.rows, options.metric};
  if (!options.panels.empty()) needed.push_back(options.panels);
  check_tables(tables, needed);
  const PlacedAxis x = axis_of(tables, options.x), rows = axis_of(tables, options.rows);
  const PlacedAxis panels = axis_of(tables, options.panels);
  CellMap map;
  map.x = cell_axis(x.axis, options.x_label);
  map.rows = cell_axis(rows.axis, options.y_label);
  map.value = printable(options.metric);
  map.bar = options.metric;
  map.gap = "value";
  map.text = cell_value_text;
  map.title = fmt::format("{} by {} and {}{}", options.metric, options.x, options.rows,
                          table_in_title(tables));

  const std::vector<RowPlace> all = all_rows(tables);
  const std::size_t columns = x.axis.size();
  std::map<std::pair<std::size_t, std::size_t>, CellMapPanel> found;  // by table and panel
  std::set<std::pair<const CellMapPanel*, std::size_t>> taken;
  RangeFinder values(false);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const NamedTable& table = tables[all[i].table];
    CellMapPanel& panel = found[{all[i].table, panels.places[i]}];
    panel.values.resize(columns * rows.axis.size(), std::nan(""));
    const std::size_t place = rows.places[i] * columns + x.places[i];
    if (!taken.insert({&panel, place}).second)
      throw same_place(table, all[i].row, fmt::format("{} and {}", options.x, options.rows),
                       "'panels'");
    panel.values[place] = drawable_number(table, all[i].row, options.metric);
    values.add(panel.values[place]);
  }
  if (!values.found()) throw no_number(tables, options.metric);
  check_count(found.size(), kMostCellPanels, "panels",
              "'panels' should name a column with fewer values");
  map.colours = values.range(0);
  for (auto& [key, panel] : found) {
    panel.title = joined_names(
        {tables.size() > 1 ? tables[key.first].name : "", value_name(panels.axis, key.second)});
    map.panels.push_back(std::move(panel));
  }
  return map;
}

}  // namespace headway
