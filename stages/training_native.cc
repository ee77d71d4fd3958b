#include "stages/training_native.h"

#include "stages/artifacts.h"

namespace headway {

TrainingOptions training_options(const TrainingParams& params, const DropoutRates& dropout) {
  return {.epochs = params.epochs,
          .schedule_epochs = params.schedule_epochs,
          .batch = params.batch,
          .shards = params.shards,
          .lr = params.lr,
          .warmup = params.warmup,
          .beta1 = params.beta1,
          .beta2 = params.beta2,
          .weight_decay = params.weight_decay,
          .clip = params.clip,
          .dropout = dropout,
          .patience = params.patience,
          .seed = static_cast<std::uint64_t>(params.seed)};
}

void write_training(const StageContext& context, const TrainingResult& result) {
  write_table(context, "log", result.log);
  write_table(context, "timing", result.timing);
  Json metrics = {{"best_epoch", result.best_epoch}, {"epochs", result.epochs}};
  metrics["parameters"] = result.best.count();
  for (const auto& [name, value] : result.best_validation.metrics) metrics[name] = value;
  write_metrics(context, metrics);
}

}  // namespace headway
