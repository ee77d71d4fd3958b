// The files of a stage's port `table`, with the names people know them by.
#pragma once

#include "lib/figures/kinds.h"
#include "lib/stage/native_stage.h"

namespace headway {

std::vector<FigureSource> read_sources(const StageContext& context);

}  // namespace headway
