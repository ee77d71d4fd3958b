#include "lib/train/seq2seq_task.h"

#include "lib/nn/seq2seq.h"
#include "lib/train/scoring.h"
#include "lib/train/seq2seq_batch.h"

namespace headway {
namespace {

class Seq2SeqReplica final : public Replica {
 public:
  Seq2SeqReplica(const Seq2SeqConfig& config, const ParameterMap& leaves, const Seq2SeqSplit& split)
      : model_(config, leaves), split_(split) {}

  at::Tensor loss(std::span<const std::int64_t> samples, double scale,
                  DropoutStream& dropout) const override {
    const Seq2SeqBatch batch = make_batch(split_, samples);
    const at::Tensor logits = model_.forward(batch, dropout);  // [B * T, V]
    return cross_entropy_sum(logits, batch.targets, split_.vocabulary.pad(), scale);
  }

 private:
  Seq2Seq model_;
  const Seq2SeqSplit& split_;
};

}  // namespace

std::int64_t Seq2SeqTask::loss_terms(std::span<const std::int64_t> samples) const {
  return target_count(data_.train, samples);
}

std::unique_ptr<Replica> Seq2SeqTask::replica(const ParameterMap& leaves) const {
  return std::make_unique<Seq2SeqReplica>(config_, leaves, data_.train);
}

Validation Seq2SeqTask::validate(const Parameters& parameters, ThreadTeam& team) const {
  const Seq2Seq model(config_, parameters.views(false));
  const Seq2SeqScores scores = score(model, data_.val, team);
  const double exact = scores.exact_match();
  return {{{"val_loss", scores.loss()},
           {"token_accuracy", scores.token_accuracy()},
           {"teacher_forced", exact},
           {"greedy", exact}},
          exact,
          scores.loss()};
}

}  // namespace headway
