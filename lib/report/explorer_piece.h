// The attention explorer: the page shows the attention of any head on any problem.
#pragma once

#include <functional>
#include <string>

#include "lib/numerics/safetensors.h"
#include "lib/report/piece.h"

namespace headway {

// `maps` is what the stage attention-maps writes: for each site ("encoder.0.self",
// "decoder.1.cross") weights [problems, heads, queries, keys]; inputs, decoder_inputs, targets and
// predictions are token ids; metadata `heads` and `problems` are JSON. `token` names a token id.
// The Markdown form is a sentence that refers to the page. Throws Error if the maps are not as
// above.
Piece explorer_piece(const TensorFile& maps, const std::function<std::string(int)>& token,
                     const std::string& id, const Piece& origin);

}  // namespace headway
