// Collects a stage's provenance (lib/stage/provenance.h) from the pipeline and the records of its
// upstream stages.
#pragma once

#include "lib/run/facts.h"
#include "lib/stage/provenance.h"

namespace headway {

// Expects all upstream stages to be finished; fan-in members without a record are left out.
Provenance provenance_of(const PipelineSpec& pipeline, const StageSpec& stage,
                         const Finished& finished, Store& store);

}  // namespace headway
