// Collects the provenance of a stage (lib/stage/provenance.h) from the pipeline and the records of
// the stages upstream.
#pragma once

#include "lib/run/facts.h"
#include "lib/stage/provenance.h"

namespace headway {

// All stages upstream must be finished; members of a fan-in that have no record are left out.
Provenance provenance_of(const PipelineSpec& pipeline, const StageSpec& stage,
                         const Finished& finished, Store& store);

}  // namespace headway
