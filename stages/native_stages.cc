#include <c10/util/Exception.h>

#include <new>
#include <string_view>

#include "lib/analysis/ablation.h"
#include "lib/train/seq2seq_task.h"
#include "stages/native_support.h"
#include "stages/params.h"
#include "stages/registry.h"
#include "stages/stages.h"
#include "stages/study.h"

namespace headway {
namespace {

void run_ablate_heads(StageContext& context) {
  const auto params = read_params<AblateHeadsParams>(context);
  const Seq2SeqData data = read_data(context);
  const Seq2Seq model = read_checkpoint(context, data).model();
  const Seq2SeqSplit& split = data.split(params.split);
  ThreadTeam team(static_cast<std::size_t>(context.cpus()));
  const HeadReplacement replacement = params.mode == RemovalMode::kMean
                                          ? HeadReplacement::mean_over(model, data.val, team)
                                          : HeadReplacement();
  const Ablation ablation =
      ablate_heads(model, split, replacement, team, batch_progress(context, split.size()));
  write_table(context, "table", to_table(ablation, model.config()));
  write_metrics(context, to_metrics(ablation, model.config()));
}

void run_train_seq2seq(StageContext& context) {
  const auto params = read_params<TrainSeq2SeqParams>(context);
  const Seq2SeqData data = read_data(context);
  Seq2SeqConfig config;
  static_cast<TransformerShape&>(config) = params.model;
  config.vocabulary = data.train.vocabulary.size();
  config.check();
  Seq2SeqTask task(config, data);
  const TrainingResult result =
      run_training(context, task, parameter_shapes(config), params, config);
  write_model(context, to_tensor_file(Checkpoint{config, result.best}),
              data.train.vocabulary.texts());
}

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
  stages.insert(
      {{"ablate-heads", run_ablate_heads},
       {"plot", [kinds = all_figure_kinds()](StageContext& context) { run_plot(kinds, context); }},
       {"prune-heads", run_prune_heads},
       {"tabulate", run_tabulate},
       {"train-seq2seq", run_train_seq2seq}});
  const StageRegistry types = all_stages();
  for (auto& [name, stage] : stages) stage = checked(*types.find(name), stage);
  return stages;
}

}  // namespace headway
