#include "lib/train/classifier_scoring.h"

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
