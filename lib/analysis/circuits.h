// What heads would do by their weights alone, without data.
#pragma once

#include <vector>

#include "lib/nn/checkpoint.h"

namespace headway {

// How much each head of a decoder without an encoder copies: whether attending to a token makes the
// model write that token. The head's path from a token's embedding through its values to the logits
// is a matrix [V, V]; its eigenvalues' sum, divided by the sum of their sizes, is 1 if every mix of
// tokens is strengthened, and -1 if every one is weakened (the positive part is what Elhage and
// others, 2021, call copying). Norms are left out. In the order of TransformerConfig::heads();
// empty for other kinds of models.
std::vector<double> copying_scores(const Checkpoint& checkpoint);

}  // namespace headway
