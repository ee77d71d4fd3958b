// Two pipeline files of one name cannot share outputs: each would replace what the other shows, and
// gc would take the results of one for those of the other.
#pragma once

#include "lib/spec/pipeline_spec.h"
#include "lib/store/pipeline_state.h"
#include "lib/store/store.h"

namespace headway {

// Throws UsageError where another file has run under the pipeline's name, is still there and still
// has that name. (A file that is gone was moved or renamed.) `state` is the pipeline's own.
void refuse_taken_name(const PipelineSpec& pipeline, const PipelineState& state, Store& store);

}  // namespace headway
