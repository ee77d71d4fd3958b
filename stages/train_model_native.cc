#include <algorithm>

#include "lib/base/error.h"
#include "lib/train/transformer_task.h"
#include "stages/native_support.h"
#include "stages/params.h"
#include "stages/stages.h"
#include "stages/study.h"
#include "stages/train_model_native.h"

namespace headway {
namespace {

void write_training(const StageContext& context, const TrainingResult& result) {
  write_table(context, "log", result.log);
  write_table(context, "timing", result.timing);
  Json metrics = {{"best_epoch", result.best_epoch},
                  {"epochs", result.epochs},
                  {"parameters", result.best.count()}};
  for (const auto& [name, value] : result.best_validation.metrics) metrics[name] = value;
  write_metrics(context, metrics);
}

TransformerConfig shape_of(const TransformerConfig& config, const Dataset& data) {
  try {
    return shaped_for(config, data);
  } catch (const Error& error) {
    throw error.within("input 'data'");
  }
}

void run_training(StageContext& context, const TransformerConfig& config,
                  const TrainingOptions& params) {
  const Dataset data = read_dataset(context);
  const TransformerConfig shaped = shape_of(config, data);
  TrainingOptions options = params;
  options.dropout = {shaped.dropout, shaped.attention_dropout};
  TransformerTask task(shaped, data, source_of(data, all_sources()), options.seed);
  Parameters parameters(parameter_shapes(shaped));
  parameters.draw(options.seed);
  ThreadTeam team(static_cast<std::size_t>(std::min<std::int64_t>(context.cpus(), params.shards)));
  TrainingWatch watch = training_watch(context, "state.safetensors");
  watch.event_file = context.output("events");
  watch.log("TensorBoard events while it trains: " + watch.event_file.string());
  const TrainingResult result = train(task, parameters, options, team, watch);
  write_training(context, result);
  write_model(context, checkpoint_for(shaped, data, result.best));
}

template <class Params>
void run_train(StageContext& context) {
  const auto params = read_params<Params>(context);
  run_training(context, params.config(), params);
}

}  // namespace

NativeStages training_native_stages() {
  return {{"train-classifier", run_train<TrainClassifierParams>},
          {"train-decoder", run_train<TrainDecoderParams>},
          {"train-seq2seq", run_train<TrainSeq2SeqParams>}};
}

}  // namespace headway
