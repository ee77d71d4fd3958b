// `attention`: where every head of every module looks, for one problem, as a grid of heat maps.
#pragma once

#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// Arrays encoder.L.self, decoder.L.self, decoder.L.cross: F32 [P, H, T, S]; inputs, decoder_inputs,
// predictions: I32 [P, tokens]. Metadata `problems`: a JSON list of P texts; `heads`, where heads
// were removed: a JSON map from module to the numbers its heads had. One file.
Figure draw_attention(const std::vector<NamedTensors>& files, const FigureOptions& options);

}  // namespace headway
