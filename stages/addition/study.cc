#include "stages/study.h"

#include "lib/addition/addition.h"
#include "lib/addition/figures/kinds.h"
#include "stages/addition/stages.h"

namespace headway {

Study addition_study() {
  return {.stages = {attention_maps_stage(), evaluate_seq2seq_stage(), generate_addition_stage(),
                     import_dataset_stage()},
          .figures = addition_figure_kinds(),
          .token_label = token_label};
}

}  // namespace headway
