// Trained models with their shapes, and their safetensors files. The metadata describes the model:
// the file alone is enough to load it.
#pragma once

#include "lib/nn/classifier.h"
#include "lib/nn/parameters.h"
#include "lib/nn/seq2seq.h"

namespace headway {

struct Checkpoint {
  Seq2SeqConfig config;
  Parameters parameters;

  // Without gradients; shares the parameters' memory.
  Seq2Seq model() const { return Seq2Seq(config, parameters.views(false)); }
};

TensorFile to_tensor_file(const Checkpoint& checkpoint);
// Throws Error that begins with `name` if the description is wrong, or an array is missing, has
// another shape or is not of the model.
Checkpoint checkpoint_from(const TensorFile& file, const std::string& name);

struct ClassifierCheckpoint {
  ClassifierConfig config;
  Parameters parameters;

  // For sequences up to `longest`, without gradients; shares the parameters' memory.
  Classifier model(std::int64_t longest) const {
    return Classifier(config, parameters.views(false), longest);
  }
};

TensorFile to_tensor_file(const ClassifierCheckpoint& checkpoint);
ClassifierCheckpoint classifier_checkpoint_from(const TensorFile& file, const std::string& name);

// The same model without some heads: their rows and columns are removed. Computes the same as the
// complete model with the outputs of those heads set to zero.
Checkpoint without_heads(const Checkpoint& checkpoint, const std::vector<HeadId>& removed);

}  // namespace headway
