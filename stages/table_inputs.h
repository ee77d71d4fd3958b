// The files of a stage's input `table`, named as people know them.
#pragma once

#include "lib/figures/kinds.h"
#include "lib/stage/native_stage.h"

namespace headway {

std::vector<FigureSource> read_table_inputs(const StageContext& context);

}  // namespace headway
