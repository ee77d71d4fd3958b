// The ways in which a stage can go wrong, on purpose: for the test stages, with and without
// LibTorch.
#pragma once

#include <string>
#include <vector>

#include "lib/stage/native_stage.h"

namespace headway::testing {

// Every kind but huge-tensor, which is LibTorch's own.
const std::vector<std::string>& misbehaviours();

// Does it, for one of misbehaviours(); "none" and what is not in the list do nothing.
void misbehave(const std::string& how, StageContext& context);

}  // namespace headway::testing
