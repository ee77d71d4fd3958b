// What the shapes of all transformers here have in common. Plain data, no LibTorch.
#pragma once

#include <cstdint>

#include "lib/base/json.h"

namespace headway {

struct TransformerShape {
  std::int64_t d_model = 128;
  std::int64_t n_heads = 4;
  std::int64_t n_layers = 2;
  std::int64_t d_ff = 512;
  double dropout = 0.1;          // of what sublayers add, and inside feed-forward blocks
  double attention_dropout = 0;  // of attention weights

  std::int64_t head_size() const { return d_model / n_heads; }

  // Throws Error: d_model not a multiple of n_heads, and the like.
  void check_transformer() const;
};

// An Error where it is not in 1 .. 2^20, so that sizes can be multiplied.
void check_size(const char* name, std::int64_t value);

// Part of a model's description.
Json to_json(const TransformerShape& shape);
void read_transformer(const Json& json, TransformerShape& shape);
// A whole number of a description; an Error where it is none.
void read_integer(const Json& json, const char* key, std::int64_t& value);

}  // namespace headway
