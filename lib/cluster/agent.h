// What runs on a node, inside a job of the cluster: takes stages from the engine, runs as many at
// once as fit, with the same executors as a local run, and writes how each ended (attempt_end.h).
// It takes no locks and publishes nothing. It ends when it is told to, when its time is nearly up,
// when nothing has come for a while, or when its folder is gone; stages that still run then save
// their state, and the engine tries them again elsewhere.
#pragma once

#include "lib/base/file_system.h"

namespace headway {

// Runs until the end and returns the exit code. `folder`: that of the allocation
// (allocation_files.h). `worker`: the program that runs native stages.
int run_agent(const Path& folder, const Path& worker);

}  // namespace headway
