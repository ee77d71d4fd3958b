#include <c10/util/Exception.h>

#include <new>
#include <string_view>

#include "stages/artifacts.h"
#include "stages/registry.h"
#include "stages/stages.h"
#include "stages/study.h"
#include "stages/train_model_native.h"

namespace headway {
namespace {

// When memory runs out, LibTorch throws a general c10::Error: only the text says so.
NativeStage checked(const StageType& type, const NativeStage& stage) {
  return [type, stage](StageContext& context) {
    try {
      stage(context);
      check_metrics(context, type);
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
  stages.merge(training_native_stages());
  stages.insert(
      {{"ablate-model", run_ablate_model},
       {"attention-maps", run_attention_maps},
       {"evaluate-model", run_evaluate_model},
       {"import-dataset", run_import_dataset},
       {"plot", [kinds = all_figure_kinds()](StageContext& context) { run_plot(kinds, context); }},
       {"prune-model", run_prune_model},
       {"record-activations", run_record_activations},
       {"tabulate", run_tabulate}});
  const StageRegistry types = all_stages();
  for (auto& [name, stage] : stages) stage = checked(*types.find(name), stage);
  return stages;
}

}  // namespace headway
