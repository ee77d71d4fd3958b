// A heat map of few enough cells to have names and to show their values as text: in panels that
// share their axes and one colour bar. Knows nothing of tables.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/figures/axes.h"
#include "lib/figures/figure.h"

namespace headway {

struct CellMapPanel {
  std::string title;
  std::vector<double> values;              // row by row; NaN: a gap
  std::optional<std::size_t> framed = {};  // index of a value to point out
};

struct CellMapAxis {
  std::string name;
  std::string short_name;  // for where the name has no room
  std::vector<std::string> labels;
};

struct CellMap {
  std::string subject;  // the comment at the top of the script
  std::string title;
  CellMapAxis x;
  CellMapAxis rows;                         // the first is at the top
  std::string value;                        // names the values in the data: "mean"
  std::string bar = {};                     // names the colour bar; empty: no name
  std::string gap;                          // what a gap lacks, for the legend: "result"
  Range colours;                            // never empty
  std::function<std::string(double)> text;  // of a value
  std::vector<CellMapPanel> panels;
};

// What the page has room for: callers refuse more, and say what to do instead.
inline constexpr std::size_t kMostCellPanels = 24;
inline constexpr std::size_t kMostCellValues = 100;  // of an axis

Figure draw_cell_map(const CellMap& map, const FigureOptions& options);

}  // namespace headway
