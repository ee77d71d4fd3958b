// The figures of the study of extrapolation.
#pragma once

#include "lib/figures/kinds.h"

namespace headway {

FigureKinds extrapolation_figure_kinds();

// Accuracy on sequences longer than those of the training. Columns length, negatives (how the
// unsorted sequences were made: a panel each), accuracy and its interval low, high (fractions),
// trained_from, trained_to (lengths). Several tables are lines.
Figure draw_extrapolation(const std::vector<NamedTable>& tables, const FigureOptions& options);

// The position vectors of one encoding, a column for each position. Array positions: F32
// [positions, dimensions]. Metadata `encoding`: its name; `trained`: how many positions were
// trained. One file.
Figure draw_position_heatmap(const std::vector<NamedTensors>& files, const FigureOptions& options);

// Positional encodings side by side: above, the vectors of the positions; below, what the encoding
// makes of each pair of positions. Arrays gram: F32 [positions, positions]; positions: F32
// [positions, dimensions], if the encoding has vectors. Metadata `gram`: what the gram is;
// `encoding`, `trained`: as above. Several files are columns, named by their items.
Figure draw_encoding_comparison(const std::vector<NamedTensors>& files,
                                const FigureOptions& options);

}  // namespace headway
