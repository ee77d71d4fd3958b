#include "stages/native_stages.h"

#include "stages/ablate_heads.h"
#include "stages/attention_maps.h"
#include "stages/evaluate_seq2seq.h"
#include "stages/generate_addition.h"
#include "stages/import_dataset.h"
#include "stages/plot.h"
#include "stages/prune_heads.h"
#include "stages/train_seq2seq.h"

namespace headway {

NativeStages native_stages() {
  return {
      {"ablate-heads", run_ablate_heads},         {"attention-maps", run_attention_maps},
      {"evaluate-seq2seq", run_evaluate_seq2seq}, {"generate-addition", run_generate_addition},
      {"import-dataset", run_import_dataset},     {"plot", run_plot},
      {"prune-heads", run_prune_heads},           {"train-seq2seq", run_train_seq2seq},
  };
}

}  // namespace headway
