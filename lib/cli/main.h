// The command line as a function: what `headway` does, with the stage types it is given.
#pragma once

#include "lib/stage/stage_type.h"

namespace headway {

// The exit code: 0; 1 a stage or an expectation failed; 2 usage or pipeline error; 130 interrupted.
int headway_main(int argc, char** argv, const StageRegistry& stages);

}  // namespace headway
