// Ways for a stage to go wrong on purpose, for test stages with and without LibTorch.
#pragma once

#include <string>
#include <vector>

#include "lib/stage/native_stage.h"

namespace headway::testing {

// All kinds except huge-tensor, which needs LibTorch.
const std::vector<std::string>& misbehaviours();

// Performs one of misbehaviours(); does nothing for "none" and unknown ones.
void misbehave(const std::string& how, StageContext& context);

}  // namespace headway::testing
