#include "lib/nn/transformer_shape.h"

namespace headway {

void check_size(const char* name, std::int64_t value) {
  constexpr std::int64_t kMost = 1 << 20;
  if (value < 1 || value > kMost)
    throw Error("{} must be between 1 and {}, not {}", name, kMost, value);
}

void check_transformer(const TransformerShape& shape) {
  const auto& [d_model, n_heads, n_layers, d_ff, dropout, attention_dropout] = shape;
  if (n_layers > 64) throw Error("n_layers must be at most 64, not {}", n_layers);
  if (d_model % n_heads != 0)
    throw Error("d_model ({}) must be divisible by n_heads ({})", d_model, n_heads);
  for (const double share : {dropout, attention_dropout}) {
    if (!(share >= 0 && share < 1))
      throw Error("dropout must be at least 0 and below 1, not {}", share);
  }
}

}  // namespace headway
