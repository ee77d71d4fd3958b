// `position-heatmap`: the position vectors of one encoding, a column for each position.
#pragma once

#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// Array positions: F32 [positions, dimensions]. Metadata `encoding`: what it is called; `trained`:
// how many positions were trained. One file.
Figure draw_position_heatmap(const std::vector<NamedTensors>& files, const FigureOptions& options);

}  // namespace headway
