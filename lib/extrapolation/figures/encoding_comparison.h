// `encoding-comparison`: positional encodings side by side. Above, the vectors of the positions;
// below, what the encoding makes of each pair of positions.
#pragma once

#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// Arrays gram: F32 [positions, positions]; positions: F32 [positions, dimensions], where the
// encoding has vectors. Metadata `gram`: what the gram is; `encoding`, `trained`: as for
// `position-heatmap`. Several files are columns, which their items name.
Figure draw_encoding_comparison(const std::vector<NamedTensors>& files,
                                const FigureOptions& options);

}  // namespace headway
