// The common part of all transformer shapes. Does not need LibTorch.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lib/base/json_fields.h"

namespace headway {

struct TransformerShape {
  std::int64_t d_model = 128;
  std::int64_t n_heads = 4;
  std::int64_t n_layers = 2;
  std::int64_t d_ff = 512;
  double dropout = 0.1;          // of sublayer outputs, and inside feed-forward blocks
  double attention_dropout = 0;  // of attention weights

  std::int64_t head_size() const { return d_model / n_heads; }

  template <class Self, class Visit>
  static void each_field(Self& self, const Visit& visit) {
    visit("d_model", self.d_model);
    visit("n_heads", self.n_heads);
    visit("n_layers", self.n_layers);
    visit("d_ff", self.d_ff);
    visit("dropout", self.dropout);
    visit("attention_dropout", self.attention_dropout);
  }
};

// Throws Error unless the value is in 1 .. 2^20, so that sizes can be multiplied.
void check_size(const char* name, std::int64_t value);
// Throws Error if the values do not fit, such as d_model not being a multiple of n_heads.
void check_transformer(const TransformerShape& shape);

// Both for a shape with more fields, whose integers are all sizes.
template <class Shape>
void check_shape(const Shape& shape) {
  Shape::each_field(shape, [](const char* name, const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::int64_t>)
      check_size(name, value);
  });
  check_transformer(shape);
}

}  // namespace headway
