// A trained model as a file: safetensors, with the model's description in its metadata, so that the
// file is enough to load it. For every kind of model.
#pragma once

#include "lib/base/json.h"
#include "lib/nn/parameters.h"

namespace headway {

struct ModelKind {
  std::string format;  // "headway seq2seq 1": what the metadata says
  std::string called;  // "a sequence-to-sequence model", for messages
};

TensorFile model_file(const ModelKind& kind, const Json& description, const Parameters& parameters);

// The description of a file of this kind. Errors are introduced by `name`.
Json description_in(const TensorFile& file, const ModelKind& kind, const std::string& name);
// Its arrays, which must be these and no others: an Error says which is missing or differs.
Parameters parameters_in(const TensorFile& file, std::vector<ParameterShape> shapes,
                         const std::string& name);

}  // namespace headway
