// The table of what the worker can run: one line a stage type. Their declarations, which need no
// LibTorch, are elsewhere, so that the engine can check a pipeline without a worker.
#pragma once

#include "lib/stage/native_stage.h"

namespace headway {

NativeStages native_stages();

}  // namespace headway
