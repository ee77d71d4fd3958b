#include <fmt/format.h>

#include "lib/figures/cell_map.h"
#include "lib/figures/cell_table.h"
#include "lib/figures/chart.h"
#include "lib/figures/chart_table.h"
#include "lib/figures/kinds.h"

namespace headway {
namespace {

FigureKind chart_kind(const std::string& name, const std::string& help, ChartStyle style) {
  const auto check = [style](const FigureOptions& options) { check_chart_options(options, style); };
  return {
      .name = name,
      .help = help,
      .from_tables =
          [name, help, style](const std::vector<NamedTable>& tables, const FigureOptions& options) {
            Chart chart = read_chart(tables, options, style);
            chart.subject = fmt::format("{}: {}", name, help);
            return draw_chart(chart, options);
          },
      .needs = "the columns that x, y, low, high, series and panels name",
      .options = {"x", "y", "low", "high", "series", "panels", "log", "x_label", "y_label"},
      .check_options = check};
}

Figure draw_heatmap(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  CellMap map = read_cell_map(tables, options);
  map.subject = "heatmap: a column of any table by two others";
  return draw_cell_map(map, options);
}

}  // namespace

// Four kinds and not one with a parameter for its style: `kind: bars` says in YAML what is seen, as
// other kinds do, the list of kinds shows what there is, and a parameter that only some styles have
// (rows, log) is refused like any that a kind does not have. The heat map calls its columns as
// sweep-heatmap does.
FigureKinds chart_kinds() {
  return {
      chart_kind("lines", "columns of any table against one of numbers, as lines",
                 ChartStyle::kLines),
      chart_kind("points", "columns of any table against one of numbers or texts, as points",
                 ChartStyle::kPoints),
      chart_kind("bars", "columns of any table by the values of one, as bars", ChartStyle::kBars),
      {.name = "heatmap",
       .help = "a column of any table by two others, as coloured cells",
       .from_tables = draw_heatmap,
       .needs = "the columns that x, rows, metric and panels name",
       .options = {"x", "rows", "metric", "panels", "x_label", "y_label"},
       .check_options = check_cell_map_options}};
}

}  // namespace headway
