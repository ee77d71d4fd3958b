#include "stages/registry.h"

#include "lib/sweep/figures/kinds.h"
#include "stages/report.h"
#include "stages/stages.h"
#include "stages/study.h"

namespace headway {
namespace {

void append(FigureKinds& kinds, const FigureKinds& more) {
  kinds.insert(kinds.end(), more.begin(), more.end());
}

}  // namespace

FigureKinds all_figure_kinds() {
  FigureKinds kinds = general_figure_kinds();
  append(kinds, sweep_figure_kinds());
  for (const Study& study : all_studies()) append(kinds, study.figures);
  return kinds;
}

SourceMakers all_sources() {
  SourceMakers sources;
  for (const Study& study : all_studies())
    sources.insert(study.sources.begin(), study.sources.end());
  return sources;
}

StageRegistry all_stages() {
  StageRegistry registry;
  registry.add(ablate_model_stage());
  registry.add(attention_maps_stage());
  registry.add(collect_trials_stage());
  registry.add(plot_stage(all_figure_kinds()));
  registry.add(evaluate_model_stage());
  registry.add(import_dataset_stage());
  registry.add(prune_model_stage());
  registry.add(record_activations_stage());
  registry.add(report_stage());
  registry.add(shell_stage());
  registry.add(tabulate_stage());
  registry.add(train_classifier_stage());
  registry.add(train_decoder_stage());
  registry.add(train_seq2seq_stage());
  for (Study& study : all_studies()) {
    for (StageType& stage : study.stages) registry.add(std::move(stage));
  }
  return registry;
}

}  // namespace headway
