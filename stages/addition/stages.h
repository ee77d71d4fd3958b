// The stage types of the addition study. Models, analyses and figures of its data are the general
// ones.
#pragma once

#include "lib/stage/native_stage.h"

namespace headway {

StageType generate_addition_stage();
void run_generate_addition(StageContext& context);

}  // namespace headway
