#include <c10/util/Exception.h>

#include <new>
#include <string_view>

#include "stages/registry.h"
#include "stages/stages.h"
#include "stages/study.h"

namespace headway {
namespace {

// When memory runs out, LibTorch throws a general c10::Error: only the text says so.
NativeStage translating_out_of_memory(const NativeStage& stage) {
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
  NativeStages stages = study_native_stages();
  stages.insert(
      {{"ablate-heads", run_ablate_heads},
       {"plot", [kinds = all_figure_kinds()](StageContext& context) { run_plot(kinds, context); }},
       {"prune-heads", run_prune_heads},
       {"tabulate", run_tabulate},
       {"train-seq2seq", run_train_seq2seq}});
  for (auto& [name, stage] : stages) stage = translating_out_of_memory(stage);
  return stages;
}

}  // namespace headway
