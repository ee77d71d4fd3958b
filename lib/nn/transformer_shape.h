// The common part of all transformer shapes. Does not need LibTorch.
#pragma once

#include <cstdint>

#include "lib/base/json.h"

namespace headway {

struct TransformerShape {
  std::int64_t d_model = 128;
  std::int64_t n_heads = 4;
  std::int64_t n_layers = 2;
  std::int64_t d_ff = 512;
  double dropout = 0.1;          // of sublayer outputs, and inside feed-forward blocks
  double attention_dropout = 0;  // of attention weights

  std::int64_t head_size() const { return d_model / n_heads; }

  // Throws Error if the values do not fit, such as d_model not being a multiple of n_heads.
  void check_transformer() const;
};

// Throws Error unless the value is in 1 .. 2^20, so that sizes can be multiplied.
void check_size(const char* name, std::int64_t value);

// A part of the model's description.
Json to_json(const TransformerShape& shape);
void read_transformer(const Json& json, TransformerShape& shape);
// Reads an integer of a description. Throws Error if it is not one.
void read_integer(const Json& json, const char* key, std::int64_t& value);

}  // namespace headway
