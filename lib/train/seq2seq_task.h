// The training task for sequence-to-sequence models, with teacher forcing.
#pragma once

#include "lib/data/seq2seq_data.h"
#include "lib/nn/seq2seq_config.h"
#include "lib/train/training.h"

namespace headway {

class Seq2SeqTask final : public TrainingTask {
 public:
  // Both arguments must outlive the object.
  Seq2SeqTask(const Seq2SeqConfig& config, const Seq2SeqData& data)
      : config_(config), data_(data) {}

  std::int64_t size() const override { return data_.train.size(); }
  std::int64_t loss_terms(std::span<const std::int64_t> samples) const override;
  ShardLoss loss_with(const ParameterMap& leaves) const override;
  // Metrics: val_loss, token_accuracy, teacher_forced, greedy; the last is the objective.
  Validation validate(const Parameters& parameters, ThreadTeam& team) const override;

 private:
  const Seq2SeqConfig& config_;
  const Seq2SeqData& data_;
};

}  // namespace headway
