// `shell`: a stage that is a command line.
#pragma once

#include "lib/stage/stage_type.h"

namespace headway {

StageType shell_stage();

}  // namespace headway
