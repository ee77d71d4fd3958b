// Heat maps: a matrix with its own colour range and colour bar, where white is 0; and cells with
// their values as text.
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
// The legend for cells that are not numbers.
LegendEntry gaps_entry(std::string_view meaning = "no number");

// gnuplot's `using` and style for cells of this many rows and columns that fill a panel: of a
// matrix, or of data with column, row and value. Skips cells that are not numbers.
std::string cells_style(const Panel& panel, std::size_t rows, std::size_t columns);
// Shows such cells in grey, in the next plot.
void shade_gaps(Page& page);

// gnuplot's `using` for a box around the place in columns 1 and 2.
inline constexpr const char* kWholeCell = "1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5)";

// Rows of a data block: x, row, value and whatever the text needs.
struct TextCells {
  Rows light;  // with black text
  Rows dark;   // with white text
  Rows empty;  // only x and row
};

struct TextCellsStyle {
  std::vector<std::string> columns;  // names of those of the rows
  std::string box;                   // gnuplot's style of the cells
  std::string text;                  // gnuplot's expression for the text
  std::string empty_name;            // of the data block
  std::string empty;                 // gnuplot's `using` and style
};

// Plots cells; `prefix` begins the names of their data blocks.
void plot_cells(Page& page, const std::string& prefix, const TextCells& cells,
                const TextCellsStyle& style);

}  // namespace headway
