// Heat maps of weights from 0 to 1 in a grid: queries go down, keys to the right, and maps with the
// same queries and keys stand side by side. Knows nothing of files.
#pragma once

#include <string>
#include <vector>

#include "lib/figures/figure.h"

namespace headway {

struct WeightMap {
  std::string title;            // "H0"
  std::vector<double> weights;  // [queries, keys], row by row; NaN: a gap
};

struct WeightRow {
  std::string label;  // "Decoder Cross L0"
  std::vector<std::string> queries;
  std::vector<std::string> keys;
  std::vector<WeightMap> maps;  // at least one
};

struct WeightGrid {
  std::string subject;  // the comment at the top of the script
  std::string title;
  std::string note;  // what rows, columns and colours mean
  std::vector<WeightRow> rows;
};

// Throws Error if there are more queries, keys or maps than a page has room for.
Figure draw_weight_grid(const WeightGrid& grid, const FigureOptions& options);

}  // namespace headway
