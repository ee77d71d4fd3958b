// The worker's side: takes requests from the engine, runs one at a time, reports what happens.
// Knows nothing of which stages there are (the program's table says), of pools or of time limits.
#pragma once

#include <string>

#include "lib/stage/native_stage.h"

namespace headway {

// Serves the engine at the other end of `channel`, a socket, until that closes: 0. Where it closes
// during a job the engine is dead, and the process ends at once: nobody would ever see the result.
int run_worker(const NativeStages& stages, int channel);

// One request, from a file, with the events as lines on stdout: what a cluster's job runs. 0 where
// it is done.
int run_request_file(const NativeStages& stages, const Path& request);

// The command line of a worker program: --version, --request FILE, or started by the engine on
// descriptor 3.
int worker_main(int argc, char** argv, const NativeStages& stages, const std::string& version);

}  // namespace headway
