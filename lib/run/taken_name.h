// Two pipeline files of the same name cannot share outputs: each would replace the other's, and gc
// would confuse their results.
#pragma once

#include "lib/spec/pipeline_spec.h"
#include "lib/store/pipeline_state.h"
#include "lib/store/store.h"

namespace headway {

// Throws UsageError if another file has run under the pipeline's name, still exists and still has
// that name. `state` is the pipeline's own.
void refuse_taken_name(const PipelineSpec& pipeline, const PipelineState& state, Store& store);

}  // namespace headway
