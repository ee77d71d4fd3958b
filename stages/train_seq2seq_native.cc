#include "lib/train/seq2seq_task.h"
#include "stages/artifacts.h"
#include "stages/checkpoint_files.h"
#include "stages/params.h"
#include "stages/stage_progress.h"
#include "stages/stages.h"
#include "stages/training_native.h"

namespace headway {
namespace {

Seq2SeqConfig config_of(const TransformerShape& shape, const Vocabulary& vocabulary) {
  Seq2SeqConfig config;
  static_cast<TransformerShape&>(config) = shape;
  config.vocabulary = vocabulary.size();
  config.check();
  return config;
}

}  // namespace

void run_train_seq2seq(StageContext& context) {
  const auto params = read_params<TrainSeq2SeqParams>(context);
  const Seq2SeqData data = read_data(context);
  const Seq2SeqConfig config = config_of(params.model, data.train.vocabulary);
  Parameters parameters(parameter_shapes(config));
  parameters.draw(static_cast<std::uint64_t>(params.seed));

  Seq2SeqTask task(config, data);
  ThreadTeam team(static_cast<std::size_t>(std::min<std::int64_t>(context.cpus(), params.shards)));
  const TrainingWatch watch = training_watch(context, "state.safetensors");
  const DropoutRates dropout = {config.dropout, config.attention_dropout};
  const TrainingResult result =
      train(task, parameters, training_options(params, dropout), team, watch);
  write_checkpoint(context, {config, result.best});
  write_training(context, result);
}

}  // namespace headway
