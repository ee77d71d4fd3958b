#include "lib/train/scoring.h"

#include <algorithm>
#include <numeric>

#include "lib/nn/decoding.h"
#include "lib/nn/kernels/layer_kernels.h"

namespace headway {

std::int64_t Seq2SeqScores::exact_count() const {
  return std::accumulate(exact.begin(), exact.end(), std::int64_t{0});
}

void append(Seq2SeqScores& scores, const Seq2SeqScores& more) {
  scores.loss_sum += more.loss_sum;
  scores.tokens += more.tokens;
  scores.right_tokens += more.right_tokens;
  scores.exact.insert(scores.exact.end(), more.exact.begin(), more.exact.end());
  scores.right.insert(scores.right.end(), more.right.begin(), more.right.end());
}

Seq2SeqScores score_logits(const at::Tensor& logits, const at::Tensor& targets, Token pad) {
  const std::int64_t rows = logits.size(0), length = targets.size(1);
  const auto* wanted = targets.data_ptr<Token>();
  const at::Tensor likely = most_likely(logits);
  const auto* given = likely.data_ptr<std::int32_t>();
  Seq2SeqScores scores;
  scores.loss_sum =
      cross_entropy({rows, logits.size(1), wanted, pad}, logits.data_ptr<float>(), 1, nullptr);
  scores.exact.assign(static_cast<std::size_t>(rows / length), 1);
  scores.right.assign(static_cast<std::size_t>(rows), 1);
  for (std::int64_t row = 0; row < rows; ++row) {
    if (wanted[row] == pad) continue;
    ++scores.tokens;
    if (given[row] == wanted[row]) {
      ++scores.right_tokens;
    } else {
      scores.right[static_cast<std::size_t>(row)] = 0;
      scores.exact[static_cast<std::size_t>(row / length)] = 0;
    }
  }
  return scores;
}

Seq2SeqScores score(const Seq2Seq& model, const Seq2SeqSplit& split, ThreadTeam& team,
                    const HeadHooks& hooks, const EachBatch& each) {
  const auto parts =
      map_batches<Seq2SeqScores>(split, team, each, [&](const Seq2SeqBatch& batch, std::int64_t) {
        DropoutStream none;
        return score_logits(model.forward(batch, none, hooks), batch.targets,
                            split.vocabulary.pad());
      });
  Seq2SeqScores scores;
  for (const Seq2SeqScores& part : parts) append(scores, part);
  return scores;
}

}  // namespace headway
