#include "lib/extrapolation/analysis/classifier_task.h"
#include "stages/extrapolation/inputs.h"
#include "stages/extrapolation/stages.h"
#include "stages/native_support.h"
#include "stages/params.h"

namespace headway {

void run_train_classifier(StageContext& context) {
  const auto params = read_params<TrainClassifierParams>(context);
  const SortingData data = read_sorting_data(context);
  ClassifierConfig config = params.shape();
  config.vocabulary = data.recipe.range;
  config.trained_from = data.recipe.shortest;
  config.trained_to = data.recipe.longest;
  ClassifierTask task(config, data);
  const TrainingResult result =
      run_training(context, task, parameter_shapes(config), params, config);
  write_checkpoint(context, ClassifierCheckpoint{config, result.best});
}

}  // namespace headway
