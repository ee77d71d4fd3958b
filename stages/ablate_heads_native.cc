#include "lib/analysis/ablation.h"
#include "stages/artifacts.h"
#include "stages/native_support.h"
#include "stages/params.h"
#include "stages/stages.h"

namespace headway {

void run_ablate_heads(StageContext& context) {
  const auto params = read_params<AblateHeadsParams>(context);
  const Seq2SeqData data = read_data(context);
  const Seq2Seq model = read_checkpoint(context, data).model();
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
