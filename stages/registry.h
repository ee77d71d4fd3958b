// All stage types: the general ones and those of every study.
#pragma once

#include "lib/figures/kinds.h"
#include "lib/stage/native_stage.h"

namespace headway {

StageRegistry all_stages();
FigureKinds all_figure_kinds();

// The worker's stages by type. Needs LibTorch.
NativeStages native_stages();

}  // namespace headway
