#include "lib/train/scoring.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lib/nn/kernels/layer_kernels.h"

namespace headway {
namespace {

// Positions per batch: their activations should fit a core's cache.
constexpr std::int64_t kScoringPositions = 1536;

struct Part {
  double loss_sum = 0;
  std::vector<float> probability;
};

Part score_batch(const Classifier& model, const ClassifierBatch& batch) {
  DropoutStream none;
  const at::Tensor logits = model.forward(batch, none);  // [B, classes]
  const std::int64_t rows = logits.size(0), classes = logits.size(1);
  const auto* values = logits.data_ptr<float>();
  Part part;
  part.loss_sum =
      cross_entropy({rows, classes, batch.labels.data_ptr<std::int32_t>(), -1}, values, 1, nullptr);
  for (std::int64_t row = 0; row < rows; ++row) {
    const float lead = values[row * classes + 1] - values[row * classes];
    part.probability.push_back(1 / (1 + std::exp(-lead)));
  }
  return part;
}

}  // namespace

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

double ClassifierScores::accuracy() const {
  return static_cast<double>(std::accumulate(right.begin(), right.end(), std::int64_t{0})) /
         static_cast<double>(right.size());
}

ClassifierScores score(const Classifier& model, const LabelledSequences& sequences,
                       ThreadTeam& team, const EachBatch& each) {
  const std::vector<std::int64_t> order = order_by_length(sequences);
  const std::int64_t step = std::max<std::int64_t>(1, kScoringPositions / sequences.width);
  const auto parts = map_stretches<Part>(
      sequences.size(), step, team, each, [&](std::int64_t first, std::int64_t count) {
        const auto samples = std::span(order).subspan(static_cast<std::size_t>(first),
                                                      static_cast<std::size_t>(count));
        return score_batch(model, make_batch(sequences, samples));
      });
  ClassifierScores scores;
  scores.probability.resize(order.size());
  scores.right.resize(order.size());
  auto sample = order.begin();
  for (const Part& part : parts) {
    scores.loss_sum += part.loss_sum;
    for (const float probability : part.probability) {
      const auto index = static_cast<std::size_t>(*sample++);
      scores.probability[index] = probability;
      scores.right[index] = (probability > 0.5F) == (sequences.labels[index] == 1);
    }
  }
  return scores;
}

}  // namespace headway
