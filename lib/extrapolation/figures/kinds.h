// Figures of the extrapolation study.
#pragma once

#include "lib/figures/kinds.h"

namespace headway {

FigureKinds extrapolation_figure_kinds();

// The position vectors of one encoding, one column for each position. Array positions: F32
// [positions, dimensions]. Metadata `encoding`: its name; `trained`: the number of trained
// positions. Expects one file.
Figure draw_position_heatmap(const std::vector<NamedTensors>& files, const FigureOptions& options);

// Positional encodings side by side: position vectors above; below, the effect on each pair of
// positions. Arrays gram: F32 [positions, positions]; positions: F32 [positions, dimensions], if
// there are vectors. Metadata `gram`: its meaning; `encoding`, `trained`: as above. Several files
// become columns, named by their items.
Figure draw_encoding_comparison(const std::vector<NamedTensors>& files,
                                const FigureOptions& options);

}  // namespace headway
