// Stages that wait for each other in a circle.
#pragma once

#include "lib/spec/pipeline_spec.h"

namespace headway {

// Adds one mistake for every circle met, with its path: "stages wait for each other: a -> b -> a".
void find_cycles(const PipelineSpec& pipeline, Diagnostics& diagnostics);

}  // namespace headway
