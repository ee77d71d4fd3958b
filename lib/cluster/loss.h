// What the end of a job means for a stage that has no record: it is lost, or it needed too much
// memory. Pure.
#pragma once

#include "lib/cluster/allocation.h"
#include "lib/stage/executor.h"

namespace headway {

StageResult loss_of(const Allocation& at);

}  // namespace headway
