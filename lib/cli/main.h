// The program `headway` as a function.
#pragma once

#include "lib/stage/stage_type.h"

namespace headway {

// Runs a command line with these stage types. Never throws. Returns the exit code: 0; 1 a stage or
// an expectation failed; 2 usage or pipeline error; 130 interrupted.
int headway_main(int argc, char** argv, const StageRegistry& stages);

}  // namespace headway
