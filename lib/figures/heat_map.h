// A matrix as a heat map with its own colour range and colour bar. White is 0.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/figures/checks.h"
#include "lib/figures/page.h"

namespace headway {

struct HeatMap {
  std::string name;     // of the data block
  std::string meaning;  // what rows and columns are
  FloatMatrix cells;    // the first row is at the top
  // Draws dashed lines after this many columns and rows; 0: none.
  std::size_t line_after_column = 0;
  std::size_t line_after_row = 0;
};

// Room for the colour bar and its numbers, right of the panel.
inline constexpr double kColourBarRoom = 60;

// The style of the dashed lines, for a legend.
inline constexpr const char* kHeatMapLine = "with lines dt (7,4) lw 1.5 lc '#000000'";

void draw_heat_map(Page& page, const Panel& panel, const HeatMap& map);

bool has_gaps(const FloatMatrix& cells);
LegendEntry gaps_entry();  // legend for cells that are not numbers

}  // namespace headway
