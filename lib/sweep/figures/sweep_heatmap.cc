#include <fmt/format.h>

#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/cell_map.h"
#include "lib/sweep/figures/kinds.h"
#include "lib/sweep/figures/sweep_table.h"

namespace headway {
namespace {

struct MapAxes {
  std::size_t x = 0;
  std::size_t rows = 0;
  std::vector<std::size_t> others;
};

MapAxes choose_axes(const Sweep& sweep, const FigureOptions& options) {
  if (!options.x.empty() && options.x == options.rows)
    throw Error("parameters 'x' and 'rows' name the same axis, '{}'", printable(options.x));
  if (sweep.axes.size() < 2)
    throw Error("it needs two axes, and the table has only {}; kind 'sweep-lines' draws one axis",
                printable(sweep.axes[0].column));
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
    if (sweep.axes[axis].size() <= kMostCellValues) continue;
    throw Error(
        "axis '{}' has {} values, too many for labelled cells (at most {}); kind "
        "'parallel-coordinates' draws them all",
        printable(column(axis)), sweep.axes[axis].size(), kMostCellValues);
  }
  return axes;
}

std::string cell_text(const Sweep& sweep, double value) {
  return sweep.is_share ? percent_label(value) : fmt::format("{:.3g}", value);
}

std::vector<CellMapPanel> panels_of(const Sweep& sweep, const MapAxes& axes) {
  const SweepGroups groups = group_by(sweep, axes.others);
  if (groups.size() > kMostCellPanels)
    throw Error(
        "{} panels are too many (at most {}): one for each combination of the "
        "other axes; kind 'parallel-coordinates' draws them all",
        groups.size(), kMostCellPanels);
  const SweepConfiguration* best = &sweep.configurations[sweep.best];
  const std::size_t columns = sweep.axes[axes.x].size();
  std::vector<CellMapPanel> panels;
  for (const auto& [values, configurations] : groups) {
    CellMapPanel& panel = panels.emplace_back();
    panel.title = sweep.describe(*configurations[0], axes.others);
    panel.values.resize(sweep.axes[axes.rows].size() * columns, std::nan(""));
    for (const SweepConfiguration* one : configurations) {
      const std::size_t place = one->values[axes.rows] * columns + one->values[axes.x];
      if (one->has_result()) panel.values[place] = one->metric.mean;
      if (one == best && sweep.configurations.size() > 1) panel.framed = place;
    }
  }
  return panels;
}

CellMapAxis map_axis(const TableAxis& axis) {
  return {axis.column, axis.name, axis.labels};
}

}  // namespace

Figure draw_sweep_heatmap(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  const Sweep sweep = read_sweep(tables, options);
  const MapAxes axes = choose_axes(sweep, options);
  return draw_cell_map({.subject = "sweep-heatmap: a metric of a sweep's trials by two of its axes",
                        .title = sweep.metric_name() + ": " + sweep.describe_best(),
                        .x = map_axis(sweep.axes[axes.x]),
                        .rows = map_axis(sweep.axes[axes.rows]),
                        .value = "mean",
                        .gap = "result",
                        .colours = range_of_means(sweep),
                        .text = [&](double mean) { return cell_text(sweep, mean); },
                        .panels = panels_of(sweep, axes)},
                       options);
}

}  // namespace headway
