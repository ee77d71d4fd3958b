// A file of attention weights of single problems. For every attention of an encoder and a decoder
// (encoder.0.self, decoder.1.self, decoder.1.cross) it has an array F32 [problems, heads, queries,
// keys]; inputs, decoder_inputs, targets and predictions are token ids, I32 [problems, tokens].
// Metadata: problems, a JSON list of their texts; heads, a JSON map from attention to head numbers,
// without which they count from 0. Does not know what the tokens mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json.h"
#include "lib/numerics/safetensors.h"

namespace headway {

// All functions throw Error if the file has another form.
class AttentionMaps {
 public:
  // A kind of attention: its arrays, its names for people and in tables, and the arrays of the
  // tokens that attend and are attended to.
  struct Stack {
    const char *arrays, *module, *label, *queries, *keys;
  };
  struct Site {
    std::string name;  // "decoder.0.cross"
    const Stack* stack = nullptr;
    int layer = 0;
    const Array* weights = nullptr;

    std::string label() const;  // "Decoder Cross L0"
    std::size_t heads() const { return static_cast<std::size_t>(weights->shape[1]); }
  };

  // Uses the file as long as it exists.
  explicit AttentionMaps(const TensorFile& file);

  const std::vector<std::string>& problems() const { return problems_; }
  // At least one; encoder, decoder self, decoder cross; each by layer.
  std::vector<Site> sites() const;
  // The numbers of a site's heads before pruning, as in the metadata, which may be wrong.
  Json heads_of(const Site& site) const;
  std::vector<float> weights(const Site& site,
                             std::size_t problem) const;  // [heads, queries, keys]
  std::vector<std::int32_t> tokens(std::string_view name, std::size_t problem) const;

 private:
  const Array& tokens(std::string_view name) const;

  const TensorFile& file_;
  std::vector<std::string> problems_;
  Json heads_;  // null: not in the metadata
};

}  // namespace headway
