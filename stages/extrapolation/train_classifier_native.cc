#include "lib/extrapolation/analysis/classifier_task.h"
#include "stages/checkpoint_files.h"
#include "stages/extrapolation/inputs.h"
#include "stages/extrapolation/stages.h"
#include "stages/params.h"
#include "stages/stage_progress.h"
#include "stages/training_native.h"

namespace headway {

void run_train_classifier(StageContext& context) {
  const auto params = read_params<TrainClassifierParams>(context);
  const SortingData data = read_sorting_data(context);
  ClassifierConfig config = params.shape();
  config.vocabulary = data.recipe.range;
  config.trained_from = data.recipe.shortest;
  config.trained_to = data.recipe.longest;
  Parameters parameters(parameter_shapes(config));
  parameters.draw(static_cast<std::uint64_t>(params.seed));

  ClassifierTask task(config, data);
  ThreadTeam team(static_cast<std::size_t>(std::min<std::int64_t>(context.cpus(), params.shards)));
  const TrainingWatch watch = training_watch(context, "state.safetensors");
  const DropoutRates dropout = {config.dropout, config.attention_dropout};
  const TrainingResult result =
      train(task, parameters, training_options(params, dropout), team, watch);
  write_checkpoint(context, ClassifierCheckpoint{config, result.best});
  write_training(context, result);
}

}  // namespace headway
