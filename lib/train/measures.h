// What each epoch of a training is measured by, independent of LibTorch.
#pragma once

#include <string>
#include <vector>

#include "lib/nn/transformer_config.h"

namespace headway {

// Names of metrics. With one right answer, greedy and teacher_forced are the same number.
inline std::vector<std::string> measures_of(ModelKind kind) {
  if (kind == ModelKind::kEncoder) return {"val_loss", "accuracy"};
  return {"val_loss", "token_accuracy", "teacher_forced", "greedy"};
}

}  // namespace headway
