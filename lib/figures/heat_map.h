// A matrix as a heat map, with its own range of colours and a bar that shows it. White is 0.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/figures/checks.h"
#include "lib/figures/page.h"

namespace headway {

struct HeatMap {
  std::string name;     // of its data
  std::string meaning;  // of the data's rows and columns
  FloatMatrix cells;    // the first row is at the top
  // Dashed lines after so many columns and rows. 0: none.
  std::size_t line_after_column = 0;
  std::size_t line_after_row = 0;
};

// What the colour bar takes right of the panel, with its numbers.
inline constexpr double kColourBarRoom = 60;

// The style of the dashed lines, for a legend.
inline constexpr const char* kHeatMapLine = "with lines dt (7,4) lw 1.5 lc '#000000'";

void draw_heat_map(Page& page, const Panel& panel, const HeatMap& map);

bool has_gaps(const FloatMatrix& cells);
LegendEntry gaps_entry();  // what the legend says of cells that are no numbers

}  // namespace headway
