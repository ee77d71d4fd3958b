// Everything that Headway knows: the stage types of no study, and those of every study.
#pragma once

#include "lib/figures/kinds.h"
#include "lib/stage/native_stage.h"

namespace headway {

StageRegistry all_stages();
FigureKinds all_figure_kinds();

// What the worker runs, by stage type. Needs LibTorch.
NativeStages native_stages();

}  // namespace headway
