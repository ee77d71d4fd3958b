#include "stages/registry.h"

#include <map>

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

StageRegistry all_stages() {
  StageRegistry registry;
  registry.add(ablate_heads_stage());
  registry.add(collect_trials_stage());
  registry.add(plot_stage(all_figure_kinds()));
  registry.add(prune_heads_stage());
  registry.add(shell_stage());
  registry.add(tabulate_stage());
  registry.add(train_seq2seq_stage());
  // By stage type. A file of another type, such as a copy, has the tokens of the first study.
  std::map<std::string, std::function<std::string(int)>> labels;
  for (Study& study : all_studies()) {
    if (study.token_label) labels.emplace("", study.token_label);
    for (StageType& stage : study.stages) {
      if (study.token_label) labels[stage.name] = study.token_label;
      registry.add(std::move(stage));
    }
  }
  registry.add(report_stage([labels = std::move(labels)](const std::string& type, int token) {
    const auto label = labels.find(labels.contains(type) ? type : "");
    return label == labels.end() ? std::to_string(token) : label->second(token);
  }));
  return registry;
}

}  // namespace headway
