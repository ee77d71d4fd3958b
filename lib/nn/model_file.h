// Trained models as safetensors files, with the description of the model in the metadata: the file
// alone is enough to load it.
#pragma once

#include "lib/base/json.h"
#include "lib/nn/parameters.h"

namespace headway {

struct ModelKind {
  std::string format;  // as in the metadata: "headway seq2seq 1"
  std::string called;  // "a sequence-to-sequence model", for messages
};

TensorFile model_file(const ModelKind& kind, const Json& description, const Parameters& parameters);

// The description in a file of this kind. Throws Error that begins with `name`.
Json description_in(const TensorFile& file, const ModelKind& kind, const std::string& name);
// Reads the arrays, which must be exactly these. Throws Error that names a wrong one.
Parameters parameters_in(const TensorFile& file, std::vector<ParameterShape> shapes,
                         const std::string& name);

}  // namespace headway
