// The worker's side: reads requests, runs one at a time and reports events. Knows nothing of pools
// or time limits; the program supplies the stages.
#pragma once

#include <string>

#include "lib/stage/native_stage.h"

namespace headway {

// Serves the engine at the other end of the socket `channel` and returns 0 when it is closed. If it
// closes during a job, the engine is dead and the process exits at once.
int run_worker(const NativeStages& stages, int channel);

// Runs one request from a file, as a cluster's job does, and prints the events to stdout. Returns 0
// if the stage is done.
int run_request_file(const NativeStages& stages, const Path& request);

// Main function of a worker program: --version, --request FILE, or started by the engine on
// descriptor 3.
int worker_main(int argc, char** argv, const NativeStages& stages, const std::string& version);

}  // namespace headway
