#include "lib/train/seq2seq_task.h"
#include "stages/native_support.h"
#include "stages/params.h"
#include "stages/stages.h"

namespace headway {

void run_train_seq2seq(StageContext& context) {
  const auto params = read_params<TrainSeq2SeqParams>(context);
  const Seq2SeqData data = read_data(context);
  Seq2SeqConfig config;
  static_cast<TransformerShape&>(config) = params.model;
  config.vocabulary = data.train.vocabulary.size();
  config.check();
  Seq2SeqTask task(config, data);
  const TrainingResult result =
      run_training(context, task, parameter_shapes(config), params, config);
  write_checkpoint(context, Checkpoint{config, result.best});
}

}  // namespace headway
