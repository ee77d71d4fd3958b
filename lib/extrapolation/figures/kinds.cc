#include "lib/extrapolation/figures/kinds.h"

namespace headway {

FigureKinds extrapolation_figure_kinds() {
  return {{.name = "extrapolation",
           .help = "accuracy against the length of sequences; several models as lines",
           .from_tables = draw_extrapolation},
          {.name = "position-heatmap",
           .help = "the position vectors of one encoding",
           .from_tensors = draw_position_heatmap,
           .arrays = "position vectors"},
          {.name = "encoding-comparison",
           .help = "position vectors of encodings, and what they make of pairs of positions",
           .from_tensors = draw_encoding_comparison,
           .arrays = "positional encodings"}};
}

}  // namespace headway
