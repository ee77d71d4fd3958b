#include "stages/native_stages.h"

#include <c10/util/Exception.h>

#include <new>
#include <string_view>

#include "stages/ablate_heads.h"
#include "stages/addition/attention_maps.h"
#include "stages/addition/evaluate_seq2seq.h"
#include "stages/addition/generate_addition.h"
#include "stages/addition/import_dataset.h"
#include "stages/extrapolation/analyze_positions.h"
#include "stages/extrapolation/extrapolate.h"
#include "stages/extrapolation/generate_sorting.h"
#include "stages/extrapolation/train_classifier.h"
#include "stages/plot.h"
#include "stages/prune_heads.h"
#include "stages/tabulate.h"
#include "stages/train_seq2seq.h"

namespace headway {
namespace {

// LibTorch has no type of its own for it: its text is a line of its source and a backtrace.
NativeStage telling_out_of_memory(const NativeStage& stage) {
  return [stage](StageContext& context) {
    try {
      stage(context);
    } catch (const c10::Error& error) {
      const std::string_view what = error.what_without_backtrace();
      if (what.find("DefaultCPUAllocator") == what.npos) throw;
      throw std::bad_alloc();
    }
  };
}

}  // namespace

NativeStages native_stages() {
  NativeStages stages = {
      {"ablate-heads", run_ablate_heads},
      {"analyze-positions", run_analyze_positions},
      {"attention-maps", run_attention_maps},
      {"evaluate-seq2seq", run_evaluate_seq2seq},
      {"extrapolate", run_extrapolate},
      {"generate-addition", run_generate_addition},
      {"generate-sorting", run_generate_sorting},
      {"import-dataset", run_import_dataset},
      {"plot", run_plot},
      {"prune-heads", run_prune_heads},
      {"tabulate", run_tabulate},
      {"train-classifier", run_train_classifier},
      {"train-seq2seq", run_train_seq2seq},
  };
  for (auto& [name, stage] : stages) stage = telling_out_of_memory(stage);
  return stages;
}

}  // namespace headway
