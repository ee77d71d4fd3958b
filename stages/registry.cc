#include "stages/registry.h"

#include "lib/sweep/figures/kinds.h"
#include "stages/collect_trials.h"
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

StageRegistry all_stages() {
  StageRegistry registry;
  registry.add(ablate_heads_stage());
  registry.add(collect_trials_stage());
  registry.add(plot_stage(all_figure_kinds()));
  registry.add(prune_heads_stage());
  registry.add(shell_stage());
  registry.add(tabulate_stage());
  registry.add(train_seq2seq_stage());
  TokenNamer token_label;
  for (Study& study : all_studies()) {
    for (StageType& stage : study.stages) registry.add(std::move(stage));
    if (!token_label) token_label = study.token_label;
  }
  registry.add(report_stage(token_label));
  return registry;
}

}  // namespace headway
