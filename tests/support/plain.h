// The stage of headway-plain-test-worker: counts, slowly if asked to, and misbehaves on demand.
// Without LibTorch, so that what workers and their pool do is tested under the sanitizers too.
#pragma once

#include "lib/stage/native_stage.h"

namespace headway::testing {

// Parameters, all optional: steps, slow_ms (a step), misbehave (half-way through). Output: sum.
void run_plain(StageContext& context);

}  // namespace headway::testing
