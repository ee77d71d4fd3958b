#include "lib/nn/transformer_shape.h"

#include <fmt/format.h>

#include "lib/base/error.h"

namespace headway {

void check_size(const char* name, std::int64_t value) {
  constexpr std::int64_t kMost = 1 << 20;
  if (value < 1 || value > kMost) {
    throw Error(fmt::format("{} must be between 1 and {}, not {}", name, kMost, value));
  }
}

void TransformerShape::check_transformer() const {
  check_size("d_model", d_model);
  check_size("n_heads", n_heads);
  check_size("n_layers", n_layers);
  check_size("d_ff", d_ff);
  if (n_layers > 64) throw Error(fmt::format("n_layers must be at most 64, not {}", n_layers));
  if (d_model % n_heads != 0) {
    throw Error(fmt::format("d_model ({}) must be divisible by n_heads ({})", d_model, n_heads));
  }
  for (const double share : {dropout, attention_dropout}) {
    if (!(share >= 0 && share < 1)) {
      throw Error(fmt::format("dropout must be at least 0 and below 1, not {}", share));
    }
  }
}

Json to_json(const TransformerShape& shape) {
  return {{"d_model", shape.d_model},   {"n_heads", shape.n_heads},
          {"n_layers", shape.n_layers}, {"d_ff", shape.d_ff},
          {"dropout", shape.dropout},   {"attention_dropout", shape.attention_dropout}};
}

void read_integer(const Json& json, const char* key, std::int64_t& value) {
  if (!json.at(key).is_number_integer()) {
    throw Error(fmt::format("the model's {} is no whole number", key));
  }
  json.at(key).get_to(value);
}

void read_transformer(const Json& json, TransformerShape& shape) {
  read_integer(json, "d_model", shape.d_model);
  read_integer(json, "n_heads", shape.n_heads);
  read_integer(json, "n_layers", shape.n_layers);
  read_integer(json, "d_ff", shape.d_ff);
  json.at("dropout").get_to(shape.dropout);
  json.at("attention_dropout").get_to(shape.attention_dropout);
}

}  // namespace headway
