// A trained model with its shape, and its safetensors file. The metadata describes the model: the
// file alone is enough to load it.
#pragma once

#include "lib/nn/parameters.h"
#include "lib/nn/transformer.h"

namespace headway {

struct Checkpoint {
  TransformerConfig config;
  // The texts of the model's tokens, by number, and of its classes: data with others is not for it.
  std::vector<std::string> tokens;
  std::vector<std::string> classes;
  Parameters parameters;

  // For positions below `longest`, without gradients; shares the parameters' memory.
  Transformer model(std::int64_t longest) const {
    return Transformer(config, parameters.views(false), longest);
  }
};

TensorFile to_tensor_file(const Checkpoint& checkpoint);
// Throws Error that begins with `name` if the description is wrong, or an array is missing, has
// another shape or is not of the model.
Checkpoint checkpoint_from(const TensorFile& file, const std::string& name);

// The same model without some heads and feed-forward layers: their rows and columns are removed.
// Computes the same as the complete model with the outputs of those units set to zero.
Checkpoint without_units(const Checkpoint& checkpoint, const std::vector<Unit>& removed);

}  // namespace headway
