// The stage of headway-plain-test-worker: counts, slowly if asked to, and misbehaves on demand.
// Without LibTorch, so that workers are tested under the sanitizers too.
#pragma once

#include "lib/stage/native_stage.h"

namespace headway::testing {

// Parameters, all optional: steps, slow_ms (per step), misbehave (half-way). Output: sum.
void run_plain(StageContext& context);

}  // namespace headway::testing
