// The stages that train models.
#pragma once

#include "lib/stage/native_stage.h"

namespace headway {

NativeStages training_native_stages();

}  // namespace headway
