#include <algorithm>
#include <numeric>

#include "lib/addition/addition.h"
#include "lib/addition/analysis/attention_maps.h"
#include "lib/addition/analysis/attention_statistics.h"
#include "lib/numerics/random.h"
#include "stages/addition/stages.h"
#include "stages/artifacts.h"
#include "stages/native_support.h"
#include "stages/params.h"

namespace headway {
namespace {

// The chosen problems, then the sampled ones, as rows like those of the split.
Seq2SeqSplit rows_to_map(const AttentionMapsParams& params, const Seq2SeqSplit& split) {
  Seq2SeqSplit rows;
  rows.vocabulary = split.vocabulary;
  rows.input_length = split.input_length;
  rows.target_length = split.target_length;
  for (const std::string& problem : params.problems) append_written(problem, split, rows);
  std::vector<std::int64_t> order(static_cast<std::size_t>(split.size()));
  std::iota(order.begin(), order.end(), 0);
  RandomStream(static_cast<std::uint64_t>(params.seed)).shuffle(std::span(order));
  const auto wanted = std::min(order.size(), static_cast<std::size_t>(params.sampled));
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto input = split.input(order[i]), target = split.target(order[i]);
    rows.inputs.insert(rows.inputs.end(), input.begin(), input.end());
    rows.targets.insert(rows.targets.end(), target.begin(), target.end());
  }
  return rows;
}

}  // namespace

void run_attention_maps(StageContext& context) {
  const auto params = read_params<AttentionMapsParams>(context);
  const Seq2SeqData data = read_data(context, &addition_vocabulary());
  const Seq2Seq model = read_checkpoint(context, data).model();
  const Seq2SeqSplit& split = data.split(params.split);
  ThreadTeam team(static_cast<std::size_t>(context.cpus()));
  const Seq2SeqSplit rows = rows_to_map(params, split);
  const TensorFile maps = attention_maps(model, rows);
  const auto statistics =
      attention_statistics(model, split, team, batch_progress(context, split.size()));
  write_output(context, "maps", to_safetensors(maps));
  write_table(context, "table", to_table(statistics, model.config()));
  write_metrics(context, {{"problems", rows.size()}, {"heads", statistics.size()}});
}

}  // namespace headway
