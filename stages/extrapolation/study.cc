#include "stages/study.h"

#include "lib/extrapolation/figures/kinds.h"
#include "stages/extrapolation/stages.h"

namespace headway {

Study extrapolation_study() {
  return {.stages = {analyze_positions_stage(), extrapolate_stage(), generate_sorting_stage()},
          .figures = extrapolation_figure_kinds(),
          .sources = {{kSortingName, sorting_source}}};
}

}  // namespace headway
