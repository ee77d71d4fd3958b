#include "lib/sweep/figures/kinds.h"

namespace headway {

namespace {

constexpr const char* kTrialColumns = "columns of axes, trial, columns of metrics";

}  // namespace

FigureKinds sweep_figure_kinds() {
  return {{.name = "sweep-lines",
           .help = "a metric of a sweep's trials against one axis",
           .from_tables = draw_sweep_lines,
           .needs = kTrialColumns,
           .options = {"x", "metric", "goal"}},
          {.name = "sweep-heatmap",
           .help = "a metric of a sweep's trials by two axes; others as panels",
           .from_tables = draw_sweep_heatmap,
           .needs = kTrialColumns,
           .options = {"x", "rows", "metric", "goal"}},
          {.name = "parallel-coordinates",
           .help = "every configuration of a sweep as a line over all axes to its metric",
           .from_tables = draw_parallel_coordinates,
           .needs = kTrialColumns,
           .options = {"metric", "goal"}}};
}

}  // namespace headway
