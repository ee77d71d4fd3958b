#include "lib/train/seq2seq_task.h"
#include "stages/stage_files.h"
#include "stages/stage_progress.h"
#include "stages/train_seq2seq.h"

namespace headway {
namespace {

Seq2SeqConfig config_of(const Seq2SeqModelParams& params) {
  Seq2SeqConfig config;
  config.d_model = params.d_model;
  config.n_heads = params.n_heads;
  config.n_layers = params.n_layers;
  config.d_ff = params.d_ff;
  config.dropout = params.dropout;
  config.attention_dropout = params.attention_dropout;
  config.vocabulary = kVocabularySize;
  config.check();
  return config;
}

TrainingOptions options_of(const TrainSeq2SeqParams& params) {
  TrainingOptions options;
  options.epochs = params.epochs;
  options.schedule_epochs = params.schedule_epochs;
  options.batch = params.batch;
  options.shards = params.shards;
  options.lr = params.lr;
  options.warmup = params.warmup;
  options.beta1 = params.beta1;
  options.beta2 = params.beta2;
  options.weight_decay = params.weight_decay;
  options.clip = params.clip;
  options.dropout = {params.model.dropout, params.model.attention_dropout};
  options.patience = params.patience;
  options.seed = static_cast<std::uint64_t>(params.seed);
  return options;
}

}  // namespace

void run_train_seq2seq(StageContext& context) {
  const TrainSeq2SeqParams params = train_seq2seq_schema().read(context.params());
  const Seq2SeqData data = read_data(context);
  const Seq2SeqConfig config = config_of(params.model);
  Parameters parameters(parameter_shapes(config));
  parameters.draw(static_cast<std::uint64_t>(params.seed));

  const Seq2SeqTask task(config, data);
  ThreadTeam team(static_cast<std::size_t>(std::min<std::int64_t>(context.cpus(), params.shards)));
  const TrainingWatch watch = training_watch(context, "state.safetensors");
  const TrainingResult result = train(task, parameters, options_of(params), team, watch);

  write_checkpoint(context, {config, result.best});
  write_table(context, "log", result.log);
  write_table(context, "timing", result.timing);
  Json metrics = {{"best_epoch", result.best_epoch}, {"epochs", result.epochs}};
  metrics["parameters"] = result.best.count();
  for (const auto& [name, value] : result.best_validation.metrics) metrics[name] = value;
  write_metrics(context, metrics);
}

}  // namespace headway
