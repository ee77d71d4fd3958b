#include "lib/extrapolation/analysis/classifier_task.h"

#include "lib/train/scoring.h"

namespace headway {

std::vector<std::int64_t> ClassifierTask::begin_epoch(std::int64_t epoch, std::int64_t batch,
                                                      RandomStream random) {
  if (data_.recipe.fresh) samples_ = data_.train_epoch(epoch);
  return bucketed_order(samples_, batch, random);
}

std::int64_t ClassifierTask::loss_terms(std::span<const std::int64_t> samples) const {
  return static_cast<std::int64_t>(samples.size());
}

ShardLoss ClassifierTask::loss_with(const ParameterMap& leaves) const {
  return [this, model = Classifier(config_, leaves, config_.trained_to)](
             std::span<const std::int64_t> samples, double scale, DropoutStream& dropout) {
    constexpr std::int32_t kNoLabel = -1;
    const ClassifierBatch batch = make_batch(samples_, samples);
    return cross_entropy_sum(model.forward(batch, dropout), batch.labels, kNoLabel, scale);
  };
}

Validation ClassifierTask::validate(const Parameters& parameters, ThreadTeam& team) const {
  const Classifier model(config_, parameters.views(false), data_.val.width);
  const ClassifierScores scores = score(model, data_.val, team);
  return {{{"val_loss", scores.loss()}, {"accuracy", scores.accuracy()}},
          scores.accuracy(),
          scores.loss()};
}

}  // namespace headway
