// The worker's side: reads requests, runs one at a time and reports events. Knows nothing of pools
// or time limits; the program supplies the stages.
#pragma once

#include <string>

#include "lib/stage/native_stage.h"

namespace headway {

// Main function of a worker program. Without arguments, serves the engine at the other end of
// descriptor 3 until that is closed; if it closes during a job, the engine is dead and the process
// exits at once. With --request FILE, runs one request from a file, and
// prints the events to stdout. --version prints the version. `numerics`: see run_job.
int worker_main(int argc, char** argv, const NativeStages& stages, const std::string& version,
                const std::string& numerics);

}  // namespace headway
