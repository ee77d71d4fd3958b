#include "stages/addition/stages.h"

namespace headway {

NativeStages addition_native_stages() {
  return {{"attention-maps", run_attention_maps},
          {"evaluate-seq2seq", run_evaluate_seq2seq},
          {"generate-addition", run_generate_addition},
          {"import-dataset", run_import_dataset}};
}

}  // namespace headway
