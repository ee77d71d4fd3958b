// Figures of the addition study.
#pragma once

#include "lib/figures/kinds.h"

namespace headway {

// Attention with the tokens of additions, and accuracy by carries.
FigureKinds addition_figure_kinds();

}  // namespace headway
