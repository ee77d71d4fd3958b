// The training task of every transformer: labels, target sequences with teacher forcing, or next
// tokens, as the data says.
#pragma once

#include "lib/data/sample_source.h"
#include "lib/nn/transformer_config.h"
#include "lib/train/batches.h"
#include "lib/train/measures.h"
#include "lib/train/training.h"

namespace headway {

class TransformerTask final : public TrainingTask {
 public:
  // The dataset must outlive the object. If the source has samples for each epoch, they replace
  // those of `train`.
  TransformerTask(TransformerConfig config, const Dataset& data, SampleSource source = {},
                  std::uint64_t seed = 0);

  std::int64_t size() const override { return data_.split("train").size(); }
  std::vector<std::int64_t> begin_epoch(std::int64_t epoch, std::int64_t batch,
                                        RandomStream random) override;
  std::int64_t loss_terms(std::span<const std::int64_t> samples) const override;
  ShardLoss loss_with(const Replica& replica) const override;
  // Its metrics are measures_of(kind), the last of which is the objective. Without answers
  // (Split::has_answers) they are val_loss and token_accuracy, and less loss is better.
  Validation validate(const Parameters& parameters, ThreadTeam& team) const override;

 private:
  const Split& train() const { return fresh_.inputs.empty() ? data_.split("train") : fresh_; }
  Batch batch_of(std::span<const std::int64_t> samples) const;
  // How far each sample's positions are moved in this epoch.
  std::vector<std::int32_t> offsets_of(std::span<const std::int64_t> samples) const;

  TransformerConfig config_;
  const Dataset& data_;
  SampleSource source_;
  std::uint64_t seed_;
  std::int64_t epoch_ = 0;
  Split fresh_;  // the current epoch's samples, if the source makes them
};

// What the model's shape takes from the data: tokens, classes, and the lengths that it is trained
// on. Throws Error if such a model cannot learn such data.
TransformerConfig shaped_for(TransformerConfig config, const Dataset& data);

}  // namespace headway
