// Every stage type that Headway knows: one line each. Declarations only; no LibTorch.
#pragma once

#include "lib/stage/stage_type.h"

namespace headway {

StageRegistry all_stages();

}  // namespace headway
