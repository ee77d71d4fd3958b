#include "lib/analysis/ablation.h"
#include "stages/ablate_heads.h"
#include "stages/stage_files.h"
#include "stages/stage_progress.h"

namespace headway {

void run_ablate_heads(StageContext& context) {
  const AblateHeadsParams params = ablate_heads_schema().read(context.params());
  const Seq2SeqData data = read_data(context);
  const Seq2Seq model = read_checkpoint(context).model();
  const Seq2SeqSplit& split = data.split(params.split);
  ThreadTeam team(static_cast<std::size_t>(context.cpus()));
  const HeadReplacement replacement =
      params.mode == "mean" ? HeadReplacement::mean_over(model, data.val, team) : HeadReplacement();
  const Ablation ablation =
      ablate_heads(model, split, replacement, team, batch_progress(context, split.size()));
  write_table(context, "table", to_table(ablation, model.config()));
  write_metrics(context, to_metrics(ablation, model.config()));
}

}  // namespace headway
