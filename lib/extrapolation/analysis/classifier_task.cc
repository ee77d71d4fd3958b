#include "lib/extrapolation/analysis/classifier_task.h"

#include "lib/train/classifier_scoring.h"

namespace headway {
namespace {

constexpr std::int32_t kNoLabel = -1;

class ClassifierReplica final : public Replica {
 public:
  ClassifierReplica(const ClassifierConfig& config, const ParameterMap& leaves,
                    const LabelledSequences& sequences)
      : model_(config, leaves, config.trained_to), sequences_(sequences) {}

  at::Tensor loss(std::span<const std::int64_t> samples, double scale,
                  DropoutStream& dropout) const override {
    const ClassifierBatch batch = make_batch(sequences_, samples);
    return cross_entropy_sum(model_.forward(batch, dropout), batch.labels, kNoLabel, scale);
  }

 private:
  Classifier model_;
  const LabelledSequences& sequences_;
};

}  // namespace

std::vector<std::int64_t> ClassifierTask::begin_epoch(std::int64_t epoch, std::int64_t batch,
                                                      RandomStream random) {
  if (data_.recipe.fresh) samples_ = data_.train_epoch(epoch);
  return bucketed_order(samples_, batch, random);
}

std::int64_t ClassifierTask::loss_terms(std::span<const std::int64_t> samples) const {
  return static_cast<std::int64_t>(samples.size());
}

std::unique_ptr<Replica> ClassifierTask::replica(const ParameterMap& leaves) const {
  return std::make_unique<ClassifierReplica>(config_, leaves, samples_);
}

Validation ClassifierTask::validate(const Parameters& parameters, ThreadTeam& team) const {
  const Classifier model(config_, parameters.views(false), data_.val.width);
  const ClassifierScores scores = score(model, data_.val, team);
  return {{{"val_loss", scores.loss()}, {"accuracy", scores.accuracy()}},
          scores.accuracy(),
          scores.loss()};
}

}  // namespace headway
