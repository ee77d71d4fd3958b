// The training task for classifying sequences as sorted or not.
#pragma once

#include "lib/extrapolation/sorting.h"
#include "lib/nn/classifier_config.h"
#include "lib/train/training.h"

namespace headway {

class ClassifierTask final : public TrainingTask {
 public:
  // Both arguments must outlive the object.
  ClassifierTask(const ClassifierConfig& config, const SortingData& data)
      : config_(config), data_(data), samples_(data.train) {}

  std::int64_t size() const override { return data_.train.size(); }
  // Batches have similar lengths; samples are new for each epoch if the recipe says so.
  std::vector<std::int64_t> begin_epoch(std::int64_t epoch, std::int64_t batch,
                                        RandomStream random) override;
  std::int64_t loss_terms(std::span<const std::int64_t> samples) const override;
  ShardLoss loss_with(const ParameterMap& leaves) const override;
  // Metrics: val_loss and accuracy, which is the objective.
  Validation validate(const Parameters& parameters, ThreadTeam& team) const override;

 private:
  const ClassifierConfig& config_;
  const SortingData& data_;
  LabelledSequences samples_;  // of the current epoch
};

}  // namespace headway
