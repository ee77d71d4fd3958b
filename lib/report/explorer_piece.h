// The attention explorer: shows the attention of any head for any problem on the page.
#pragma once

#include <functional>
#include <string>

#include "lib/numerics/safetensors.h"
#include "lib/report/piece.h"

namespace headway {

// `maps` comes from the stage attention-maps: for each site ("encoder.0.self", "decoder.1.cross")
// weights [problems, heads, queries, keys]; inputs, decoder_inputs, targets and predictions are
// token ids; metadata `heads` and `problems` are JSON. `token` names a token id. The Markdown form
// is a sentence that refers to the page. Throws Error if the maps have another form.
Piece explorer_piece(const TensorFile& maps, const std::function<std::string(int)>& token,
                     const std::string& id, const Piece& origin);

}  // namespace headway
