#include "lib/train/seq2seq_task.h"

#include "lib/train/scoring.h"

namespace headway {

std::int64_t Seq2SeqTask::loss_terms(std::span<const std::int64_t> samples) const {
  return target_count(data_.train, samples);
}

ShardLoss Seq2SeqTask::loss_with(const ParameterMap& leaves) const {
  return [this, model = Seq2Seq(config_, leaves)](std::span<const std::int64_t> samples,
                                                  double scale, DropoutStream& dropout) {
    const Seq2SeqBatch batch = make_batch(data_.train, samples);
    const at::Tensor logits = model.forward(batch, dropout);  // [B * T, V]
    return cross_entropy_sum(logits, batch.targets, data_.train.vocabulary.pad(), scale);
  };
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
