#include "stages/registry.h"

#include "stages/ablate_heads.h"
#include "stages/addition/attention_maps.h"
#include "stages/addition/evaluate_seq2seq.h"
#include "stages/addition/generate_addition.h"
#include "stages/addition/import_dataset.h"
#include "stages/collect_trials.h"
#include "stages/extrapolation/analyze_positions.h"
#include "stages/extrapolation/extrapolate.h"
#include "stages/extrapolation/generate_sorting.h"
#include "stages/extrapolation/train_classifier.h"
#include "stages/plot.h"
#include "stages/prune_heads.h"
#include "stages/report.h"
#include "stages/shell.h"
#include "stages/tabulate.h"
#include "stages/train_seq2seq.h"

namespace headway {

StageRegistry all_stages() {
  StageRegistry registry;
  registry.add(ablate_heads_stage());
  registry.add(analyze_positions_stage());
  registry.add(attention_maps_stage());
  registry.add(collect_trials_stage());
  registry.add(evaluate_seq2seq_stage());
  registry.add(extrapolate_stage());
  registry.add(generate_addition_stage());
  registry.add(generate_sorting_stage());
  registry.add(import_dataset_stage());
  registry.add(plot_stage());
  registry.add(prune_heads_stage());
  registry.add(report_stage());
  registry.add(shell_stage());
  registry.add(tabulate_stage());
  registry.add(train_classifier_stage());
  registry.add(train_seq2seq_stage());
  return registry;
}

}  // namespace headway
