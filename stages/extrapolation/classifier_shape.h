// From a stage's parameters to the shape of its classifier. Needs no LibTorch, so that wrong shapes
// are refused before anything runs.
#pragma once

#include "lib/nn/classifier_config.h"
#include "stages/extrapolation/train_classifier.h"

namespace headway {

// The data's part (vocabulary, trained lengths) stays as it is by default.
ClassifierConfig classifier_shape(const TrainClassifierParams& params);

template <std::size_t N>
std::vector<std::string> names_of(const std::string_view (&names)[N]) {
  return {std::begin(names), std::end(names)};
}

}  // namespace headway
